// How a loader makes its batches. (LibTorch: torch::data::DataLoaderOptions)
#pragma once
#include <chrono>
#include <cstddef>
#include <optional>

namespace notape::data {

class DataLoaderOptions {
 public:
  DataLoaderOptions(std::size_t batch_size = 1) : batch_size_(batch_size) {}

  DataLoaderOptions& batch_size(std::size_t examples) { return batch_size_ = examples, *this; }
  /// How many threads make batches; 0: they are made when they are asked for.
  DataLoaderOptions& workers(std::size_t threads) { return workers_ = threads, *this; }
  /// How many batches may be in the making or waiting; by default twice the workers.
  DataLoaderOptions& max_jobs(std::optional<std::size_t> batches) {
    return max_jobs_ = batches, *this;
  }
  /// How long to wait for a batch; by default without limit. The error comes at once, while the
  /// worker still makes its batch; the loader's destructor and its next pass wait for the worker.
  DataLoaderOptions& timeout(std::optional<std::chrono::milliseconds> limit) {
    return timeout_ = limit, *this;
  }
  /// Whether batches come in the sampler's order, whichever worker is first.
  DataLoaderOptions& enforce_ordering(bool on) { return enforce_ordering_ = on, *this; }
  /// Whether a last batch that is smaller is left out.
  DataLoaderOptions& drop_last(bool on) { return drop_last_ = on, *this; }
  /// Whether the tensors of batches are in pinned memory, which a device reads while the program
  /// continues: `batch.data.to(device, /*non_blocking=*/true)`. Without a device they stay where
  /// they are. (From the paper; PyTorch's Python loader has it, LibTorch's has not.)
  DataLoaderOptions& pin_memory(bool on) { return pin_memory_ = on, *this; }

  std::size_t batch_size() const { return batch_size_; }
  std::size_t workers() const { return workers_; }
  std::optional<std::size_t> max_jobs() const { return max_jobs_; }
  std::optional<std::chrono::milliseconds> timeout() const { return timeout_; }
  bool enforce_ordering() const { return enforce_ordering_; }
  bool drop_last() const { return drop_last_; }
  bool pin_memory() const { return pin_memory_; }

 private:
  std::size_t batch_size_, workers_ = 0;
  std::optional<std::size_t> max_jobs_;
  std::optional<std::chrono::milliseconds> timeout_;
  bool enforce_ordering_ = true, drop_last_ = false, pin_memory_ = false;
};

/// The same with everything decided.
struct FullDataLoaderOptions {
  explicit FullDataLoaderOptions(const DataLoaderOptions& options)
      : batch_size(options.batch_size()),
        workers(options.workers()),
        max_jobs(options.max_jobs().value_or(2 * workers)),
        timeout(options.timeout()),
        enforce_ordering(options.enforce_ordering()),
        drop_last(options.drop_last()),
        pin_memory(options.pin_memory()) {}

  std::size_t batch_size, workers, max_jobs;
  std::optional<std::chrono::milliseconds> timeout;
  bool enforce_ordering, drop_last, pin_memory;
};

}  // namespace notape::data
