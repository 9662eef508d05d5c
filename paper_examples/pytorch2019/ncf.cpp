// 2019 paper, Table 1: NCF, here on real data: MovieLens (F. M. Harper and J. A. Konstan 2015,
// GroupLens, for research) and InstEval (ETH Zurich, of lme4, GPL-2+). Each user's last rating is
// to be found among 100 items that the user has not rated. Sizes are ours; with --full the layers
// are as wide as the benchmark's.
#include "paper_examples/pytorch2019/ncf.h"

#include <chrono>

#include "ops/ops.h"
#include "paper_examples/data/dataset.h"
#include "paper_examples/data/package_file.h"
#include "paper_examples/optim/adam.h"
#include "paper_examples/programs.h"
#include "paper_examples/support/median.h"
#include "paper_examples/support/report.h"

namespace notape::paper {
namespace {

constexpr int64_t kNegatives = 4;

/// Every rating once, wanted 1, and its user with kNegatives random items, wanted 0: data (M, 2) is
/// user and item.
data::Dataset samples_of_one_epoch(const data::LeaveOneOut& split, int64_t item_count) {
  const int64_t count = split.users.size(0);
  const Tensor users = split.users.repeat({1 + kNegatives});
  const Tensor items = cat({split.items, randint(item_count, {kNegatives * count})});
  return {stack({users, items}, 1), cat({ones({count}), zeros({kNegatives * count})})};
}

data::Ranking judge(const models::NCF& model, const data::LeaveOneOut& split, Device device) {
  const NoGradGuard no_grad;
  model->eval();
  const int64_t users = split.candidates.size(0), candidates = split.candidates.size(1);
  const Tensor who = arange(users).unsqueeze(1).expand({users, candidates}).reshape({-1});
  const Tensor scores = model(who.to(device), split.candidates.reshape({-1}).to(device));
  model->train();
  return data::ranking_of(scores.view({users, candidates}).cpu());
}

/// The set, what is to be reached on it and how.
struct Task {
  data::Ratings ratings;
  int64_t epochs;
  double hit_rate;
};

models::NCFOptions model_for(const data::Ratings& ratings, ExampleSize size) {
  models::NCFOptions options(ratings.user_count, ratings.item_count);
  if (size != ExampleSize::Full) options.mf_dim(8).mlp_layer_sizes({64, 32, 16, 8}).dropout(0);
  return options;
}

/// Of the sets that are installed. Throws MissingPackage if there is none.
std::vector<Task> tasks_of(ExampleSize size, std::ostream& out) {
  const bool is_small = size != ExampleSize::Full;
  std::vector<Task> tasks;
  try {
    tasks.push_back({data::read_movielens(), is_small ? 8 : 4, is_small ? 0.66 : 0.63});
  } catch (const data::MissingPackage& missing) {
    fmt::print(out, "Without MovieLens: {} is not installed.\n", missing.package);
  }
  if (!is_small && !tasks.empty()) return tasks;
  try {
    tasks.push_back({data::read_inst_eval(), 4, 0.60});
  } catch (const data::MissingPackage& missing) {
    if (tasks.empty()) throw;
    fmt::print(out, "Without InstEval: {} is not installed.\n", missing.package);
  }
  return tasks;
}

}  // namespace

NcfResult train_ncf(std::ostream& out, const data::Ratings& ratings, const NcfOptions& options) {
  const auto start = std::chrono::steady_clock::now();
  manual_seed(options.seed);
  const data::LeaveOneOut split = data::leave_one_out(ratings);
  const models::NCF model(options.model);
  model->to(options.device);
  NcfResult result{};
  result.popularity = data::ranking_of(data::popularity(split, ratings.item_count)).hit_rate;
  for (const Tensor& parameter : model->parameters()) result.parameters += parameter.numel();
  optim::Adam optimizer(model->parameters(), optim::AdamOptions(2e-3));
  fmt::print(out, "    {:>5}  {:>6}  {:>6}  {:>7}  {:>7}\n", "epoch", "loss", "HR@10", "NDCG@10",
             "seconds");
  for (int64_t epoch = 1; epoch <= options.epochs; ++epoch) {
    double sum_of_losses = 0;
    const data::Dataset samples = samples_of_one_epoch(split, ratings.item_count);
    for (const data::Dataset& batch : data::ShuffledBatches(samples, options.batch_size)) {
      const auto [pairs, wanted] = batch.to(options.device);
      optimizer.zero_grad();
      const Tensor scores = model(pairs.select(1, 0), pairs.select(1, 1));
      const Tensor loss = binary_cross_entropy_with_logits(scores, wanted);
      loss.backward();
      optimizer.step();
      sum_of_losses += loss.item() * static_cast<double>(wanted.size(0));
    }
    result.ranking = judge(model, split, options.device);
    const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - start;
    result.seconds = elapsed.count();
    fmt::print(out, "    {:>5}  {:>6.4f}  {:>6.3f}  {:>7.3f}  {:>7.1f}\n", epoch,
               sum_of_losses / static_cast<double>(samples.size()), result.ranking.hit_rate,
               result.ranking.ndcg, result.seconds);
    out.flush();
  }
  return result;
}

int ncf(std::ostream& out, const ExampleOptions& options) {
  Report report;
  for (const Task& task : tasks_of(options.size, out)) {
    const data::Ratings& ratings = task.ratings;
    NcfOptions training{
        .model = model_for(ratings, options.size), .epochs = task.epochs, .device = options.device};
    if (options.size == ExampleSize::Full) training.batch_size = 4096;
    std::vector<double> hit_rates, gains;
    double seconds = 0;
    for (const uint64_t seed : options.all_seeds()) {
      fmt::print(out, "{}: {} ratings by {} users of {} items, seed {}\n", ratings.name,
                 ratings.users.size(), ratings.user_count, ratings.item_count, seed);
      training.seed = seed;
      const NcfResult result = train_ncf(out, ratings, training);
      fmt::print(out, "    {} parameters; by popularity alone HR@10 is {:.3f}\n\n",
                 result.parameters, result.popularity);
      hit_rates.push_back(result.ranking.hit_rate);
      gains.push_back(result.ranking.hit_rate - result.popularity);
      seconds += result.seconds;
    }
    report.add(fmt::format("{} HR@10 >= {}", ratings.name, task.hit_rate),
               fmt::format("{} HR@10 {:.3f} in {:.1f} s", ratings.name, median(hit_rates), seconds),
               median(hit_rates) >= task.hit_rate);
    report.add_fact("better than popularity", median(gains) > 0);
  }
  return report.conclude(out);
}

}  // namespace notape::paper
