// Data parallelism (2019 paper, 5.4 and 7): every process has a copy of the model and a part of
// each batch; gradients are summed over the processes by all-reduce, so all copies make the same
// step, which is the one that a single process makes with the whole batch.
//
// Gradients are summed in buckets while backward() is still at work: hooks on the parameters fill a
// bucket, from the last layer to the first, and hand it to a second thread when it is full.
// (S. Li et al., "PyTorch Distributed: Experiences on Accelerating Data Parallel Training", 2020)
#include <atomic>
#include <condition_variable>
#include <mutex>
#include <queue>
#include <thread>

#include "ops/ops.h"
#include "paper_examples/data/digits.h"
#include "paper_examples/data/find_data.h"
#include "paper_examples/multiprocessing/process_group.h"
#include "paper_examples/multiprocessing/spawn.h"
#include "paper_examples/nn/activation.h"
#include "paper_examples/nn/linear.h"
#include "paper_examples/nn/sequential.h"
#include "paper_examples/optim/sgd.h"
#include "paper_examples/programs.h"
#include "paper_examples/support/example_options.h"
#include "paper_examples/support/report.h"

namespace notape::paper {
namespace {

using multiprocessing::ProcessGroup;
using multiprocessing::SharedTensor;

constexpr int64_t kBatch = 64, kBucketElements = 10'000;

/// Runs what it is given, one after the other, on a thread of its own.
class Worker {
 public:
  Worker() : thread_([this] { run(); }) {}
  ~Worker() {
    add(nullptr);
    thread_.join();
  }
  Worker(const Worker&) = delete;
  Worker& operator=(const Worker&) = delete;

  void add(std::function<void()> work) {
    const std::lock_guard lock(mutex_);
    work_.push(std::move(work));
    changed_.notify_all();
  }
  void wait_until_all_is_done() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return work_.empty(); });
  }

 private:
  void run() {
    for (;;) {
      std::unique_lock lock(mutex_);
      changed_.wait(lock, [&] { return !work_.empty(); });
      const std::function<void()> work = work_.front();
      if (!work) return;
      lock.unlock();
      work();
      lock.lock();
      work_.pop();  // now: what is under way is not done
      changed_.notify_all();
    }
  }

  std::mutex mutex_;
  std::condition_variable changed_;
  std::queue<std::function<void()>> work_;
  std::thread thread_;
};

/// Makes the gradients of a model the mean over all ranks.
class DistributedDataParallel {
 public:
  DistributedDataParallel(const nn::Module& model, const ProcessGroup& group, int rank)
      : group_(group), rank_(rank) {
    const std::vector<Tensor> parameters = model.parameters();
    for (auto p = parameters.rbegin(); p != parameters.rend(); ++p) {
      if (buckets_.empty() || buckets_.back().elements >= kBucketElements) buckets_.emplace_back();
      buckets_.back().parameters.push_back(*p);
      buckets_.back().elements += p->numel();
      p->register_post_accumulate_grad_hook(
          [this, number = buckets_.size() - 1](const Tensor&) { one_more_in(number); });
    }
  }

  /// After backward(): waits for the rest.
  void finish() {
    begun_in_backward += begun_;
    worker_.wait_until_all_is_done();
    for (Bucket& bucket : buckets_) bucket.arrived = 0;
    begun_ = 0;
    next_ = 0;
  }
  std::size_t buckets() const { return buckets_.size(); }

  int64_t begun_in_backward = 0;  ///< all-reduces that began before backward() had ended

 private:
  struct Bucket {
    std::vector<Tensor> parameters;
    int64_t elements = 0;
    std::size_t arrived = 0;
  };

  /// A gradient is there. Buckets are handed over in their order, the same in every rank.
  void one_more_in(std::size_t number) {
    ++buckets_[number].arrived;
    for (; next_ < buckets_.size(); ++next_) {
      const Bucket& bucket = buckets_[next_];
      if (bucket.arrived < bucket.parameters.size()) return;
      worker_.add([this, &bucket] { reduce(bucket); });
    }
  }
  void reduce(const Bucket& bucket) {
    ++begun_;
    const NoGradGuard no_grad;
    TensorList pieces;
    for (const Tensor& parameter : bucket.parameters)
      pieces.push_back(parameter.grad().reshape({-1}));
    const Tensor all = cat(pieces);
    group_.all_reduce(rank_, all);
    all.div_(group_.size());
    int64_t first = 0;
    for (const Tensor& parameter : bucket.parameters) {
      parameter.grad().copy_(all.narrow(0, first, parameter.numel()).view(parameter.sizes()));
      first += parameter.numel();
    }
  }

  const ProcessGroup& group_;
  int rank_;
  std::vector<Bucket> buckets_;
  std::size_t next_ = 0;  // to be handed over
  std::atomic<int64_t> begun_ = 0;
  Worker worker_;
};

nn::Sequential make_model(uint64_t seed) {
  manual_seed(seed);
  nn::Sequential model(nn::Linear(64, 256), nn::Tanh(), nn::Linear(256, 64), nn::Tanh(),
                       nn::Linear(64, 10));
  model->to(kFloat64);
  return model;
}

struct Trained {
  Tensor parameters;           // one after the other
  double buckets, overlapped;  // a step; the second: whose all-reduce began within backward()
};

/// The part of `rank` in training with all of them.
Trained train(const data::Dataset& digits, const ProcessGroup& group, int rank, int64_t steps,
              uint64_t seed) {
  const nn::Sequential model = make_model(seed);
  DistributedDataParallel parallel(*model, group, rank);
  optim::SGD optimizer(model->parameters(), optim::SGDOptions(0.1).momentum(0.9));
  const int64_t part = kBatch / group.size();
  Trained result{};
  for (int64_t step = 0; step < steps; ++step) {
    const Tensor batch = randint(digits.size(), {kBatch});  // the same in every rank
    const data::Dataset mine = digits.at(batch.narrow(0, rank * part, part));
    optimizer.zero_grad();
    cross_entropy(model(mine.data), mine.target).backward();
    parallel.finish();
    optimizer.step();
  }
  result.buckets = static_cast<double>(parallel.buckets());
  result.overlapped = static_cast<double>(parallel.begun_in_backward) / static_cast<double>(steps);
  TensorList pieces;
  for (const Tensor& parameter : model->parameters())
    pieces.push_back(parameter.detach().reshape({-1}));
  result.parameters = cat(pieces);
  return result;
}

}  // namespace

int parallel(std::ostream& out, const ExampleOptions& options) {
  Report report;
  data::Dataset digits = data::read_digits(data::find_data("digits.csv.gz"));
  digits.data = digits.data.reshape({-1, 64}).to(kFloat64);
  const int64_t steps = options.size != ExampleSize::Quick ? 500 : 50;

  int64_t elements = 0;
  for (const Tensor& parameter : make_model(0)->parameters()) elements += parameter.numel();
  fmt::print(out, "A model of {} parameters, {} steps of SGD with batches of {}:\n", elements,
             steps, kBatch);
  Tensor alone;
  for (const int processes : {1, 2, 4}) {
    const ProcessGroup group(processes, elements);
    const SharedTensor trained = SharedTensor::zeros({processes, elements}, kFloat64);
    const SharedTensor counts = SharedTensor::zeros({2}, kFloat64);  // of rank 0
    multiprocessing::spawn(processes, [&](int rank) {
      const Trained mine = train(digits, group, rank, steps, options.seed);
      trained.tensor()[rank].copy_(mine.parameters);
      if (rank == 0) counts.tensor().copy_(tensor({mine.buckets, mine.overlapped}, kFloat64));
    });
    if (!alone.defined()) alone = trained.tensor()[0].clone();
    const bool all_same = (trained.tensor() == trained.tensor()[0]).all().item<bool>();
    const double difference = (trained.tensor()[0] - alone).abs().max().item();
    fmt::print(out,
               "    {} {} {} examples each, {} buckets, {:.1f} of them within backward();\n"
               "        copies are {}, off by {:.2g} from that of 1 process\n",
               processes, processes == 1 ? "process, " : "processes,", kBatch / processes,
               counts.tensor()[0].item(), counts.tensor()[1].item(),
               all_same ? "the same bits" : "different", difference);
    out.flush();
    if (processes == 1) continue;
    report.add(fmt::format("{} copies with the same bits, 1e-9 from 1 process", processes),
               fmt::format("{} copies with {} bits, {:.2g} from 1 process", processes,
                           all_same ? "the same" : "different", difference),
               all_same && difference <= 1e-9);
  }
  return report.conclude(out);
}

}  // namespace notape::paper
