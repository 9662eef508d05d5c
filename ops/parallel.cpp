#include "ops/parallel.h"

#include <pthread.h>

#include <atomic>
#include <charconv>
#include <condition_variable>
#include <cstdlib>
#include <exception>
#include <memory>
#include <mutex>
#include <string_view>
#include <thread>

#include "autograd/error.h"
#include "autograd/printable.h"

namespace notape {
namespace {

thread_local bool inside_piece = false;

struct Job {
  int64_t pieces;
  void (*run)(const void* context, int64_t piece);
  const void* context;
  std::atomic<int64_t> next{0};
  std::mutex lock{};  // guards error
  std::exception_ptr error{};

  void work() {
    inside_piece = true;
    for (;;) {
      const int64_t piece = next.fetch_add(1, std::memory_order_relaxed);
      if (piece >= pieces) break;
      try {
        run(context, piece);
      } catch (...) {
        next.store(pieces, std::memory_order_relaxed);
        const std::lock_guard guard(lock);
        if (!error) error = std::current_exception();
      }
    }
    inside_piece = false;
  }
};

/// Threads that wait for one job at a time. They are never joined: they live as long as the
/// process, and do not follow into a forked one.
class Helpers {
 public:
  /// False if they are at work for somebody else.
  bool run(Job& job, int wanted) {
    const std::unique_lock busy(busy_, std::try_to_lock);
    if (!busy) return false;
    {
      const std::lock_guard guard(lock_);
      while (threads_ < wanted && start_thread()) continue;
      job_ = &job;
      ++jobs_;
      places_ = wanted;
    }
    wake_.notify_all();
    job.work();
    std::unique_lock guard(lock_);
    job_ = nullptr;  // whoever wakes only now finds nothing to do
    done_.wait(guard, [this] { return working_ == 0; });
    return true;
  }

 private:
  bool start_thread() {
    try {
      std::thread([this] { serve(); }).detach();
    } catch (const std::system_error&) {
      return false;  // fewer threads do the work as well
    }
    ++threads_;
    return true;
  }

  void serve() {
    int64_t last = 0;
    std::unique_lock guard(lock_);
    for (;;) {
      wake_.wait(guard, [&] { return job_ && jobs_ != last && places_ > 0; });
      last = jobs_;
      Job& job = *job_;
      --places_;
      ++working_;
      guard.unlock();
      job.work();
      guard.lock();
      if (--working_ == 0) done_.notify_one();
    }
  }

  std::mutex busy_;  // held while a job runs
  std::mutex lock_;  // guards what follows
  std::condition_variable wake_, done_;
  Job* job_ = nullptr;
  int64_t jobs_ = 0;  // ever
  int threads_ = 0, places_ = 0, working_ = 0;
};

std::atomic<Helpers*> the_helpers{nullptr};

Helpers& helpers() {
  static const int follow_forks = pthread_atfork(
      nullptr, nullptr, [] { the_helpers.store(nullptr, std::memory_order_relaxed); });
  static_cast<void>(follow_forks);
  Helpers* present = the_helpers.load(std::memory_order_acquire);
  if (present) return *present;
  auto fresh = std::make_unique<Helpers>();
  if (the_helpers.compare_exchange_strong(present, fresh.get())) return *fresh.release();
  return *present;
}

int threads_at_start() {
  constexpr int kMost = 4096;
  const char* wanted = std::getenv("NOTAPE_NUM_THREADS");
  if (!wanted) return static_cast<int>(std::max(1u, std::thread::hardware_concurrency()));
  const std::string_view text = wanted;
  int count = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), count);
  if (error != std::errc() || end != text.data() + text.size() || count < 1 || count > kMost)
    throw ValueError("NOTAPE_NUM_THREADS: '{}' is no whole number from 1 to {}",
                     printable(shortened(text)), kMost);
  return count;
}

std::atomic<int>& thread_count() {
  static std::atomic<int> count{threads_at_start()};
  return count;
}

}  // namespace

int get_num_threads() { return thread_count().load(std::memory_order_relaxed); }

void set_num_threads(int count) {
  if (count <= 0) throw ValueError("set_num_threads: expected a positive number, got {}", count);
  thread_count().store(count, std::memory_order_relaxed);
}

void detail::run_pieces(int64_t pieces, void (*run)(const void* context, int64_t piece),
                        const void* context) {
  const auto wanted = static_cast<int>(std::min<int64_t>(pieces, get_num_threads())) - 1;
  Job job{pieces, run, context};
  if (wanted > 0 && !inside_piece && helpers().run(job, wanted)) {
    if (job.error) std::rethrow_exception(job.error);
    return;
  }
  for (int64_t piece = 0; piece < pieces; ++piece) run(context, piece);
}

}  // namespace notape
