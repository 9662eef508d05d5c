#include "ops/parallel.h"

#include <pthread.h>

#include <atomic>
#include <charconv>
#include <chrono>
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

/// Gives way to the other thread of a core for a moment.
void give_way() {
#ifdef __x86_64__
  __builtin_ia32_pause();
#endif
}

/// Whether `holds()` within the time that waking a sleeping thread takes, several times over. With
/// more threads than processors waiting would keep from work who is waited for.
template <typename F>
bool comes_soon(const F& holds) {
  static const auto processors = static_cast<int>(std::thread::hardware_concurrency());
  if (holds()) return true;
  if (get_num_threads() > processors) return false;
  constexpr std::chrono::microseconds kPatience(30);
  const auto end = std::chrono::steady_clock::now() + kPatience;
  do {
    for (int i = 0; i < 16; ++i) {
      if (holds()) return true;
      give_way();
    }
  } while (std::chrono::steady_clock::now() < end);
  return false;
}

/// Threads that wait for one job at a time, for a while awake: operations follow one another. They
/// are never joined: they live as long as the process, and do not follow into a forked one.
class Helpers {
 public:
  /// False if they are at work for somebody else.
  bool run(Job& job, int wanted) {
    const std::unique_lock busy(busy_, std::try_to_lock);
    if (!busy) return false;
    if (threads_ < wanted) start_threads(wanted);
    job_ = &job;
    gate_.store(static_cast<uint64_t>(std::min(wanted, threads_)) * kPlace);
    if (asleep_.load() > 0) {
      { const std::lock_guard guard(lock_); }  // who has seen no place is asleep by now
      wake_.notify_all();
    }
    job.work();
    gate_.fetch_and(kPlace - 1);  // whoever comes only now finds no place
    const auto all_left = [this] { return gate_.load() == 0; };
    if (!comes_soon(all_left)) {
      std::unique_lock guard(lock_);
      caller_sleeps_.store(true);
      done_.wait(guard, all_left);
      caller_sleeps_.store(false);
    }
    return true;
  }

 private:
  /// The gate counts who is at work and, in units of this, the places that are left.
  static constexpr uint64_t kPlace = uint64_t{1} << 32;

  void start_threads(int wanted) {
    try {
      for (; threads_ < wanted; ++threads_) std::thread([this] { serve(); }).detach();
    } catch (const std::system_error&) {
      return;  // fewer threads do the work as well
    }
  }

  bool is_open() const { return gate_.load() >= kPlace; }
  bool enter() {
    uint64_t seen = gate_.load();
    while (seen >= kPlace)
      if (gate_.compare_exchange_weak(seen, seen - kPlace + 1)) return true;
    return false;
  }

  void serve() {
    for (;;) {
      if (!comes_soon([this] { return is_open(); })) {
        std::unique_lock guard(lock_);
        ++asleep_;
        wake_.wait(guard, [this] { return is_open(); });
        --asleep_;
      }
      if (!enter()) continue;
      job_->work();
      // The job may be gone once nobody is at work.
      if (gate_.fetch_sub(1) == 1 && caller_sleeps_.load()) {
        { const std::lock_guard guard(lock_); }
        done_.notify_one();
      }
    }
  }

  std::mutex busy_;  // held while a job runs; guards threads_
  int threads_ = 0;
  Job* job_ = nullptr;  // written while nobody is within the gate
  std::atomic<uint64_t> gate_{0};
  std::mutex lock_;  // held while falling asleep
  std::condition_variable wake_, done_;
  std::atomic<int> asleep_{0};
  std::atomic<bool> caller_sleeps_{false};
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

bool runs_on_one_thread() { return inside_piece || get_num_threads() == 1; }

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
