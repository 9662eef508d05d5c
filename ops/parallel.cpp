#include "ops/parallel.h"

#include <pthread.h>
#include <sched.h>
#include <unistd.h>

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
#include <vector>

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

int processors() {
  static const auto count = static_cast<int>(std::thread::hardware_concurrency());
  return count;
}

/// Whether `holds()` soon. Waking a thread that sleeps takes up to milliseconds, for which it may
/// stay on the processor of who has woken it, and operations follow one another. After the first
/// moments whoever else wants the processor gets it. With more threads than processors waiting
/// would keep from work who is waited for.
template <typename F>
bool comes_soon(const F& holds) {
  using std::chrono::microseconds;
  if (holds()) return true;
  if (get_num_threads() > processors()) return false;
  const auto start = std::chrono::steady_clock::now();
  for (microseconds waited(0); waited < microseconds(2000);) {
    for (int i = 0; i < 16; ++i) {
      if (holds()) return true;
      give_way();
    }
    if (waited > microseconds(30)) std::this_thread::yield();
    waited = std::chrono::duration_cast<microseconds>(std::chrono::steady_clock::now() - start);
  }
  return false;
}

/// A thread that waits for jobs. Its members are guarded by the lock under which it falls asleep.
/// One that is woken starts on the processor of who wakes it as often as not, and may have to wait
/// there for milliseconds while others idle: it is kept off that one until it runs.
struct Helper {
  bool sleeps = false;
#ifdef __linux__
  void keep_off(int processor) {
    cpu_set_t others;
    if (!sleeps || kept_off_ >= 0 || ::sched_getaffinity(thread_, sizeof others, &others) != 0)
      return;
    const auto bit = static_cast<std::size_t>(processor);
    if (!CPU_ISSET(bit, &others) || CPU_COUNT(&others) < 2) return;
    CPU_CLR(bit, &others);
    if (::sched_setaffinity(thread_, sizeof others, &others) == 0) kept_off_ = processor;
  }
  void go_anywhere() {
    cpu_set_t allowed;
    if (kept_off_ < 0) return;
    if (::sched_getaffinity(0, sizeof allowed, &allowed) == 0) {
      CPU_SET(static_cast<std::size_t>(kept_off_), &allowed);
      ::sched_setaffinity(0, sizeof allowed, &allowed);
    }
    kept_off_ = -1;
  }
  void begin() { thread_ = ::gettid(); }
  static int this_processor() { return ::sched_getcpu(); }

 private:
  pid_t thread_ = 0;
  int kept_off_ = -1;
#else
  void keep_off(int) {}
  void go_anywhere() {}
  void begin() {}
  static int this_processor() { return -1; }
#endif
};

/// Threads that wait for one job at a time, for a while awake: operations follow one another. They
/// are never joined: they live as long as the process, and do not follow into a forked one.
class Helpers {
 public:
  /// False if they are at work for somebody else.
  bool run(Job& job, int wanted) {
    const std::unique_lock busy(busy_, std::try_to_lock);
    if (!busy) return false;
    if (count() < wanted) start_threads(wanted);
    job_ = &job;
    ++calls_;
    gate_.store(static_cast<uint64_t>(std::min(wanted, count())) * kPlace);
    if (asleep_.load() > 0) {
      {
        const std::lock_guard guard(lock_);  // who has seen no place is asleep by now
        if (get_num_threads() <= processors())
          for (const auto& helper : helpers_) helper->keep_off(Helper::this_processor());
      }
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

  int count() const { return static_cast<int>(helpers_.size()); }
  void start_threads(int wanted) {
    while (count() < wanted) {
      auto fresh = std::make_unique<Helper>();
      helpers_.reserve(helpers_.size() + 1);
      try {
        std::thread([this, helper = fresh.get()] { serve(*helper); }).detach();
      } catch (const std::system_error&) {
        return;  // fewer threads do the work as well
      }
      helpers_.push_back(std::move(fresh));
    }
  }

  bool is_open() const { return gate_.load() >= kPlace; }
  bool enter() {
    uint64_t seen = gate_.load();
    while (seen >= kPlace)
      if (gate_.compare_exchange_weak(seen, seen - kPlace + 1)) return true;
    return false;
  }

  void serve(Helper& self) {
    self.begin();
    for (;;) {
      if (!comes_soon([this] { return is_open(); })) {
        std::unique_lock guard(lock_);
        const uint64_t seen = calls_.load();
        ++asleep_;
        self.sleeps = true;
        // Also if it comes too late for this call: the next one finds it awake.
        wake_.wait(guard, [&] { return is_open() || calls_.load() != seen; });
        self.sleeps = false;
        self.go_anywhere();
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

  std::mutex busy_;  // held while a job runs; guards helpers_, beside their own
  std::vector<std::unique_ptr<Helper>> helpers_;
  Job* job_ = nullptr;  // written while nobody is within the gate
  std::atomic<uint64_t> gate_{0};
  std::atomic<uint64_t> calls_{0};
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
