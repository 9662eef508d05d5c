// 2019 paper, Table 1: GNMT, here on real data: verses of the Bible, from English to Spanish
// (sword-text-kjv and sword-text-sparv, in the public domain). Sizes are ours, and a hundredth of
// the benchmark's, or with --full a twentieth.
#include "paper_examples/pytorch2019/gnmt.h"

#include <chrono>
#include <cmath>

#include "ops/ops.h"
#include "paper_examples/data/data_loader.h"
#include "paper_examples/data/samplers/random_order.h"
#include "paper_examples/data/translation.h"
#include "paper_examples/models/gnmt.h"
#include "paper_examples/nn/clip_grad.h"
#include "paper_examples/optim/adam.h"
#include "paper_examples/programs.h"
#include "paper_examples/support/median.h"
#include "paper_examples/support/report.h"

namespace notape::paper {
namespace {

using data::TranslationBatch;
using data::Vocabulary;
static_assert(Vocabulary::kPad == models::GNMTOptions::kPad);

constexpr std::size_t kBatch = 64;

struct Task {
  std::vector<data::SentencePair> train, held_out;
  Vocabulary vocabulary;
  Device device;
};

Task task_of(const std::vector<data::VersePair>& verses, const GnmtOptions& options) {
  const std::vector<data::SentencePair> pairs =
      data::sentence_pairs(verses, options.shortest, options.longest);
  if (pairs.size() <= options.held_out)
    throw ValueError("gnmt: {} pairs of {} to {} words, of which {} are to be held out",
                     pairs.size(), options.shortest, options.longest, options.held_out);
  std::vector<data::SentencePair> train, held_out;
  for (std::size_t i : data::samplers::random_order(pairs.size(), default_generator()))
    (held_out.size() < options.held_out ? held_out : train).push_back(pairs[i]);
  Vocabulary vocabulary(data::words_of(pairs), options.vocabulary);
  return {std::move(train), std::move(held_out), std::move(vocabulary), options.device};
}

template <typename Sampler>
auto batches_of(const std::vector<data::SentencePair>& pairs, const Vocabulary& vocabulary) {
  return data::make_data_loader<Sampler>(
      data::Sentences(pairs, vocabulary).map(data::CollateSentences()),
      data::DataLoaderOptions(kBatch).workers(1).pin_memory(true));
}

/// Both on one device.
Tensor scores_of(const models::GNMT& model, const TranslationBatch& batch) {
  return model(batch.source, batch.lengths, batch.target);  // (T, B, vocabulary)
}

struct Quality {
  double perplexity, token_accuracy;
};

Quality judge(const models::GNMT& model, const Task& task) {
  const NoGradGuard no_grad;
  model->eval();
  const auto loader = batches_of<data::samplers::SequentialSampler>(task.held_out, task.vocabulary);
  double loss = 0, right = 0, words = 0;
  for (const TranslationBatch& loaded : *loader) {
    const TranslationBatch batch = loaded.to(task.device, /*non_blocking=*/true);
    const Tensor scores = scores_of(model, batch).flatten(0, 1), next = batch.next_words.flatten();
    loss += nll_loss(log_softmax(scores, 1), next, {}, Reduction::Sum, Vocabulary::kPad).item();
    const Tensor counts = next.ne(Vocabulary::kPad);
    right += (scores.argmax(1).eq(next) & counts).sum().item();
    words += counts.sum().item();
  }
  model->train();
  return {std::exp(loss / words), right / words};
}

/// The most probable word after each word, until the sentence ends.
std::string translated(const models::GNMT& model, const Task& task,
                       const std::vector<std::string>& words) {
  const NoGradGuard no_grad;
  model->eval();
  const std::vector<int64_t> numbers = task.vocabulary.sentence(words);
  const Tensor lengths = tensor(std::vector<int64_t>{static_cast<int64_t>(numbers.size())});
  const Tensor context = model->encoder(tensor(numbers, task.device).unsqueeze(1), lengths);
  std::optional<models::GNMTDecoderImpl::State> state;
  std::string text;
  constexpr int kLongest = 20;
  int64_t word = Vocabulary::kBegin;
  for (int i = 0; i < kLongest; ++i) {
    auto [scores, after] = model->decoder->forward(
        full({1, 1}, word, TensorOptions(kInt64).device(task.device)), context, lengths, state);
    state = std::move(after);
    word = scores.flatten().argmax().item<int64_t>();
    if (word == Vocabulary::kEnd) break;
    text += (text.empty() ? "" : " ") + task.vocabulary.word(word);
  }
  model->train();
  return text;
}

std::string joined(const std::vector<std::string>& words) {
  return fmt::format("{}", fmt::join(words, " "));
}

void train(std::ostream& out, const models::GNMT& model, const Task& task, int64_t steps) {
  optim::Adam optimizer(model->parameters(), optim::AdamOptions(2e-3));
  const auto start = std::chrono::steady_clock::now();
  fmt::print(out, "    {:>4}  {:>12}  {:>19}  {:>13}  {:>7}\n", "step", "loss per pair",
             "held-out perplexity", "right words", "seconds");
  const auto loader = batches_of<data::samplers::RandomSampler>(task.train, task.vocabulary);
  for (int64_t step = 0; step < steps;)
    for (const TranslationBatch& loaded : *loader) {
      const TranslationBatch batch = loaded.to(task.device, /*non_blocking=*/true);
      optimizer.zero_grad();
      const Tensor loss = models::label_smoothing_loss(scores_of(model, batch), batch.next_words);
      loss.backward();
      nn::utils::clip_grad_norm_(model->parameters(), 5);
      optimizer.step();
      if (++step % 50 == 0) {
        const Quality quality = judge(model, task);
        const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - start;
        fmt::print(out, "    {:>4}  {:>13.1f}  {:>19.1f}  {:>11.1f} %  {:>7.1f}\n", step,
                   loss.item(), quality.perplexity, 100 * quality.token_accuracy, elapsed.count());
        out.flush();
      }
      if (step == steps) break;
    }
}

}  // namespace

GnmtResult train_gnmt(std::ostream& out, const std::vector<data::VersePair>& verses,
                      const GnmtOptions& options) {
  const auto start = std::chrono::steady_clock::now();
  manual_seed(options.seed);
  const Task task = task_of(verses, options);
  const models::GNMT model(
      models::GNMTOptions(task.vocabulary.size()).hidden_size(options.hidden_size));
  model->to(options.device);
  GnmtResult result{};
  for (const Tensor& parameter : model->parameters()) result.parameters += parameter.numel();
  fmt::print(out, "    {} pairs to train with, {} held out; {} words, {} parameters\n",
             task.train.size(), task.held_out.size(), task.vocabulary.size(), result.parameters);
  train(out, model, task, options.steps);
  const Quality quality = judge(model, task);
  result.perplexity = quality.perplexity;
  result.token_accuracy = quality.token_accuracy;
  for (std::size_t i = 0; i < std::min<std::size_t>(3, task.held_out.size()); ++i)
    fmt::print(out, "    {}\n      should be  {}\n      comes out  {}\n",
               joined(task.held_out[i].source), joined(task.held_out[i].target),
               translated(model, task, task.held_out[i].source));
  const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - start;
  result.seconds = elapsed.count();
  return result;
}

int gnmt(std::ostream& out, const ExampleOptions& options) {
  const std::vector<data::VersePair> verses = data::read_bible_pairs();
  GnmtOptions training{.device = options.device};
  double wanted = 30;
  if (options.size == ExampleSize::Quick) {
    training.steps = 50;
    wanted = 110;
  }
  if (options.size == ExampleSize::Full) {
    training.hidden_size = 256;
    training.vocabulary = 4000;
    training.longest = 20;
    training.steps = 200;
    wanted = 60;
  }
  std::vector<double> perplexities;
  double seconds = 0;
  for (const uint64_t seed : options.all_seeds()) {
    fmt::print(out, "Verses from English to Spanish, seed {}:\n", seed);
    training.seed = seed;
    const GnmtResult result = train_gnmt(out, verses, training);
    perplexities.push_back(result.perplexity);
    seconds += result.seconds;
  }
  Report report;
  report.add(fmt::format("held-out perplexity <= {} at step {}", wanted, training.steps),
             fmt::format("{:.1f} in {:.1f} s", median(perplexities), seconds),
             median(perplexities) <= wanted);
  return report.conclude(out);
}

}  // namespace notape::paper
