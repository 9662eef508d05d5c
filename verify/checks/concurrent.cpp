// concurrent: two threads call a user's operator at once, at two points, and each gets the bits
// that it gets alone: taking turns (both forwards, then both backwards), and side by side, one
// of them interrupted again and again wherever it is. In a child process, as a race may end it;
// then that is what is found.
#include <signal.h>
#include <sys/time.h>
#include <time.h>

#include <atomic>
#include <chrono>
#include <thread>

#include "autograd/autograd.h"
#include "verify/checks/held_call.h"
#include "verify/plugin/c_operator.h"
#include "verify/plugin/inside.h"
#include "verify/processes/child.h"

namespace notape::verify {
namespace {

using Clock = std::chrono::steady_clock;
constexpr std::chrono::microseconds kMoment(20);

/// A point, and what a call gives there when it is alone.
struct Task {
  const Subject& subject;
  std::vector<Numbers> values;
  Numbers incoming;
  Run alone = {};

  HeldCall call() const {
    const EnableGradGuard recording;
    return {subject, subject.inputs(kAllArguments, Placement::Contiguous, &values),
            subject.output_tensor(incoming)};
  }
  /// What differs, in words; empty if nothing does.
  std::string fault(const Run& run) const {
    Outcome found;
    if (absorb_same(subject, alone, run, "race", "", found)) return "";
    return found.guilty ? found.guilty->where : found.message;
  }
};

/// Runs `work` and says what it throws.
template <typename Work>
std::string said_by(const Work& work) {
  try {
    return work();
  } catch (const std::exception& error) {
    return error.what();
  }
}

/// Forward on one thread, forward on the other, then their backwards.
std::string take_turns(const Task (&tasks)[2]) {
  std::string faults[2];
  std::atomic<int> turn{0};
  const auto run = [&](int own) {
    const auto wait_for = [&](int wanted) {
      while (turn.load() < wanted) std::this_thread::sleep_for(kMoment);
    };
    faults[own] = said_by([&] {
      wait_for(own);
      std::optional<HeldCall> call;
      const std::string refused = said_by([&] {
        call.emplace(tasks[own].call());
        return std::string();
      });
      ++turn;
      wait_for(2 + own);
      const std::string fault =
          call ? said_by([&] { return tasks[own].fault(call->finish()); }) : refused;
      ++turn;
      return fault;
    });
  };
  std::thread other(run, 1);
  run(0);
  other.join();
  return faults[0].empty() ? faults[1] : faults[0];
}

/// Stops the child's first thread now and then until the other one has gone on: on a busy machine
/// threads that run for microseconds would never meet. Wherever it is; in a C operator, only inside
/// of its functions, of which a call spends little time in.
class Interruptions {
 public:
  explicit Interruptions(bool inside_only) {
    inside_only_ = inside_only;
    struct sigaction action {};
    action.sa_handler = [](int) { interrupt(); };
    action.sa_flags = SA_RESTART;
    ::sigaction(SIGALRM, &action, nullptr);
    arm();
  }
  ~Interruptions() {
    ::signal(SIGALRM, SIG_IGN);
    const itimerval never{};
    ::setitimer(ITIMER_REAL, &never, nullptr);
  }
  Interruptions(const Interruptions&) = delete;
  Interruptions& operator=(const Interruptions&) = delete;

  /// Those in which the other thread did a call.
  static int count() { return count_; }
  /// Of all signals.
  static int signals() { return signals_; }
  /// The other thread waits for the first one to be stopped, as it would only take its time.
  static void wait_for_one(const std::atomic<bool>& over) {
    const timespec pause{0, 10000};
    while (!stopped_ && !over) ::nanosleep(&pause, nullptr);
  }
  /// The other thread has done a call.
  static void go_on() { ++calls_; }

 private:
  static void arm() {
    // 1 to 64 microseconds, in no rhythm.
    phase_ = phase_ * 1103515245 + 12345;
    const itimerval soon{{0, 0}, {0, static_cast<suseconds_t>(1 + (phase_ >> 16) % 64)}};
    ::setitimer(ITIMER_REAL, &soon, nullptr);
  }
  static void interrupt() {
    ++signals_;
    if (inside_only_ && !InsideForeign::is_inside()) return arm();
    const int before = calls_;
    const timespec pause{0, 20000};
    stopped_ = true;
    for (int i = 0; i < 250 && calls_ < before + 2; ++i) ::nanosleep(&pause, nullptr);
    stopped_ = false;
    if (calls_ > before) ++count_;
    arm();
  }

  static inline std::atomic<int> count_{0}, calls_{0}, signals_{0};
  static inline std::atomic<bool> inside_only_{false};
  static inline std::atomic<bool> stopped_{false};
  static inline uint32_t phase_ = 1;
};

std::string side_by_side(const Task (&tasks)[2]) {
  constexpr int kInterruptions = 64, kMostCalls = 4000, kSignals = 2000;
  // Never reached but where others take the processor all the time.
  const auto end = Clock::now() + std::chrono::seconds(1);
  std::string faults[2];
  std::atomic<int> ready{0};
  std::atomic<bool> over{false};
  const auto run = [&](int own) {
    ++ready;
    while (ready.load() < 2) std::this_thread::sleep_for(kMoment);
    std::optional<Interruptions> interruptions;
    if (own == 0) interruptions.emplace(/*inside_only=*/ways_of(tasks[0].subject.spec) > 0);
    for (int i = 0; i < kMostCalls && !over; ++i) {
      if (own == 1) Interruptions::wait_for_one(over);
      faults[own] = said_by([&] {
        HeldCall call = tasks[own].call();
        return tasks[own].fault(call.finish());
      });
      if (own == 1) Interruptions::go_on();
      if (!faults[own].empty() ||
          (own == 0 && (Interruptions::count() >= kInterruptions ||
                        Interruptions::signals() >= kSignals || Clock::now() > end)))
        over = true;
    }
    over = true;
  };
  // Signals go to the first thread alone.
  sigset_t alarm, before;
  sigemptyset(&alarm);
  sigaddset(&alarm, SIGALRM);
  ::pthread_sigmask(SIG_BLOCK, &alarm, &before);
  std::thread other(run, 1);
  ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
  run(0);
  other.join();
  return faults[0].empty() ? faults[1] : faults[0];
}

}  // namespace

Outcome check_concurrent(const Subject& subject) {
  Outcome total;
  total.comparisons = 1;
  const auto other = second_point(subject);
  if (!other) return total;
  Numbers incoming = subject.incoming();
  for (double& number : incoming) number *= -2;
  Task tasks[2] = {{subject, values_of(subject.drawn), subject.incoming(), subject.base()},
                   {subject, *other, incoming}};
  const auto start = Clock::now();
  tasks[1].alone = tasks[1].call().finish();
  if (tasks[1].alone.sizes != tasks[0].alone.sizes) return total;
  const double alone = std::chrono::duration<double>(Clock::now() - start).count();
  const ChildEnd end = run_in_child(
      [&](ToParent& parent) {
        std::string fault = take_turns(tasks);
        if (fault.empty()) fault = side_by_side(tasks);
        parent.send(fault);
      },
      {.seconds = 5 + 100 * alone, .bytes = 0});
  const auto race = [&](const std::string& what) {
    Outcome found = Outcome::of(Verdict::Nondeterministic, "race", what);
    found.comparisons = 1;
    return found;
  };
  if (end.kind == ChildEnd::Kind::Crashed)
    return race("it crashes (" + end.detail + ") when two threads call it at once");
  if (end.kind == ChildEnd::Kind::Finished && !end.said.empty())
    return race("two threads that call it at once get other bits than one alone: " + end.said);
  // A child that cannot start threads, or is not served in time, says nothing.
  if (end.kind == ChildEnd::Kind::Finished) ++total.comparisons;
  return total;
}

}  // namespace notape::verify
