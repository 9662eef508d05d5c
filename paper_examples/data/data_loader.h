// A loader goes through a data set in batches, which worker threads make ahead (2019 paper, 4.2:
// "the Dataset class ... the DataLoader ... shuffling, batching, parallelization"). LibTorch's
// names:
//
//   auto loader = data::make_data_loader(
//       data::datasets::MNIST("data").map(data::transforms::Stack<>()),
//       data::DataLoaderOptions(64).workers(2));
//   for (const auto& batch : *loader) net(batch.data);
//
// The batches do not depend on the number of workers: the sampler is asked on the caller's thread,
// and random numbers that a data set draws for a batch come from a generator of that batch. Its
// seed comes from the default generator when a pass begins.
#pragma once
#include <algorithm>
#include <array>
#include <concepts>
#include <functional>
#include <iterator>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "autograd/modes/grad_mode.h"
#include "autograd/tensor/generator.h"
#include "paper_examples/data/data_loader_options.h"
#include "paper_examples/data/pinned.h"
#include "paper_examples/data/prefetch.h"
#include "paper_examples/data/samplers/sampler.h"

namespace notape::data {

/// One pass. Copies go on together; the last of them to go ends the pass's workers.
template <typename Batch>
class Iterator {
 public:
  using difference_type = std::ptrdiff_t;
  using value_type = Batch;
  using pointer = Batch*;
  using reference = Batch&;
  using iterator_category = std::input_iterator_tag;
  using NextBatch = std::function<std::optional<Batch>()>;

  /// The end.
  Iterator() = default;
  /// The first batch is made when it is asked for.
  explicit Iterator(NextBatch next_batch)
      : pass_(std::make_shared<Pass>(Pass{std::move(next_batch), {}, false})) {}

  // Each throws what making the batch throws, and IndexError past the end.
  Batch& operator*() const { return *current(); }
  Batch* operator->() const { return &*current(); }
  Iterator& operator++() {
    current();
    pass_->batch = pass_->next_batch();
    return *this;
  }
  /// Of the same pass, or both at the end.
  bool operator==(const Iterator& other) const {
    return pass_ == other.pass_ || (is_at_end() && other.is_at_end());
  }

 private:
  struct Pass {
    NextBatch next_batch;
    std::optional<Batch> batch;
    bool has_begun;
  };

  bool is_at_end() const {
    if (!pass_) return true;
    if (!pass_->has_begun) pass_->batch = pass_->next_batch();  // which may throw: then the next
    pass_->has_begun = true;
    return !pass_->batch;
  }
  std::optional<Batch>& current() const {
    if (is_at_end()) throw IndexError("DataLoader: the iterator is past the end");
    return pass_->batch;
  }

  std::shared_ptr<Pass> pass_;
};

/// A data set that keeps nothing from batch to batch, in a sampler's order.
template <typename Dataset, typename Sampler>
class StatelessDataLoader {
 public:
  using BatchType = typename Dataset::BatchType;

  /// Throws ValueError for batches of 0 examples, and workers that may have no job.
  StatelessDataLoader(const Dataset& dataset, Sampler sampler, const DataLoaderOptions& options)
      : options_(options),
        datasets_(std::max<std::size_t>(options_.workers, 1), dataset),
        sampler_(std::move(sampler)) {
    if (options_.batch_size == 0) throw ValueError("DataLoader: batch_size is 0");
    if (options_.workers > 0 && options_.max_jobs == 0)
      throw ValueError("DataLoader: max_jobs is 0, with {} workers", options_.workers);
  }

  StatelessDataLoader(const StatelessDataLoader&) = delete;
  StatelessDataLoader& operator=(const StatelessDataLoader&) = delete;

  /// Begins a pass; its iterators must not outlive the loader. Without workers passes do not know
  /// of each other. With some it throws Error while iterators of another pass live that is not at
  /// its end (after `break` none do, and its workers have ended), and waits for those of a pass
  /// that has timed out.
  Iterator<BatchType> begin() {
    if (options_.workers > 0 && !pass_.expired())
      throw Error(
          "Attempted to get a new DataLoader iterator while another iterator is not yet exhausted");
    late_.clear();
    sampler_.reset({});
    auto pass = std::make_shared<Pass>(*this);
    pass_ = pass;
    return Iterator<BatchType>([pass]() mutable {
      std::optional<BatchType> batch = pass->next();
      if (!batch) pass.reset();
      return batch;
    });
  }
  Iterator<BatchType> end() { return {}; }

  const FullDataLoaderOptions& options() const { return options_; }

 private:
  struct Request {
    typename Sampler::BatchRequestType indices;
    uint64_t number;  // of the batch in its pass
  };

  /// What makes a batch the same on any thread.
  struct Work {
    uint64_t seed;
    bool records, pins;
    BatchType batch_of(Dataset& dataset, Request request) const {
      const std::array<uint32_t, 4> words = philox(seed, request.number);
      const GeneratorScope scope(Generator(uint64_t{words[0]} << 32 | words[1]));
      const AutoGradMode mode(records);
      if (!pins) return dataset.get_batch(std::move(request.indices));
      return pinned(dataset.get_batch(std::move(request.indices)));
    }
  };

  struct Pass {
    explicit Pass(StatelessDataLoader& l)
        : loader(l),
          sampler(l.sampler_),
          work{default_generator().next64(), GradMode::is_enabled(), l.options_.pin_memory} {
      if (l.options_.workers == 0) return;
      std::vector<typename Prefetch<Request, BatchType>::Worker> workers;
      for (Dataset& dataset : l.datasets_)
        workers.push_back([&dataset, work = work](Request request) {
          return work.batch_of(dataset, std::move(request));
        });
      prefetch = std::make_unique<Prefetch<Request, BatchType>>(
          std::move(workers), [this] { return next_request(); },
          PrefetchOptions{l.options_.max_jobs, l.options_.enforce_ordering, l.options_.timeout});
    }
    /// An error that says that a worker is late must not wait for it: the loader does in the end.
    ~Pass() {
      if (!prefetch || !prefetch->has_timed_out()) return;
      prefetch->request_stop();
      loader.late_.push_back(std::move(prefetch));
    }
    Pass(const Pass&) = delete;
    Pass& operator=(const Pass&) = delete;

    std::optional<BatchType> next() {
      if (prefetch) return prefetch->take();
      std::optional<Request> request = next_request();
      if (!request) return {};
      return work.batch_of(loader.datasets_[0], std::move(*request));
    }

   private:
    /// The next batch's indices, or nullopt at the end of the pass.
    std::optional<Request> next_request() {
      const FullDataLoaderOptions& o = loader.options_;
      auto indices = sampler.next(o.batch_size);
      if (!indices || (o.drop_last && indices->size() < o.batch_size)) return {};
      return Request{std::move(*indices), asked++};
    }

    StatelessDataLoader& loader;
    Sampler sampler;  // its own
    const Work work;
    uint64_t asked = 0;
    std::unique_ptr<Prefetch<Request, BatchType>> prefetch;
  };

  FullDataLoaderOptions options_;
  std::vector<Dataset> datasets_;  // one per worker
  Sampler sampler_;
  std::weak_ptr<Pass> pass_;
  std::vector<std::unique_ptr<Prefetch<Request, BatchType>>> late_;  // their workers still run
};

template <typename Dataset, typename Sampler>
requires(!std::convertible_to<Sampler, DataLoaderOptions>)
    std::unique_ptr<StatelessDataLoader<Dataset, Sampler>> make_data_loader(
        Dataset dataset, Sampler sampler, const DataLoaderOptions& options = {}) {
  return std::make_unique<StatelessDataLoader<Dataset, Sampler>>(dataset, std::move(sampler),
                                                                 options);
}

/// With a sampler over all of the data set. Throws ValueError if that does not know its size.
template <typename Sampler = samplers::RandomSampler, typename Dataset>
std::unique_ptr<StatelessDataLoader<Dataset, Sampler>> make_data_loader(
    Dataset dataset, const DataLoaderOptions& options = {}) {
  const std::optional<std::size_t> size = dataset.size();
  if (!size) throw ValueError("make_data_loader: the data set does not know its size");
  return std::make_unique<StatelessDataLoader<Dataset, Sampler>>(dataset, Sampler(*size), options);
}

}  // namespace notape::data
