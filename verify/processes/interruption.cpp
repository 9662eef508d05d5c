#include "verify/processes/interruption.h"

#include <signal.h>
#include <time.h>
#include <unistd.h>

#include <atomic>
#include <cstring>
#include <iterator>

#include "autograd/interchange/output_file.h"

namespace notape::verify {
namespace {

constexpr int kSignals[] = {SIGINT, SIGTERM};
constexpr long kSameMilliseconds = 250;

std::atomic<int> wanted{0};  // the signal that asked for it
std::atomic<long> asked_at{0};
int living = 0;
struct sigaction before[std::size(kSignals)];

long milliseconds() noexcept {
  timespec now{};
  ::clock_gettime(CLOCK_MONOTONIC, &now);
  return now.tv_sec * 1000 + now.tv_nsec / 1'000'000;
}

void on_signal(int number) {
  const int error = errno;
  int none = 0;
  if (wanted.compare_exchange_strong(none, number)) {
    asked_at.store(milliseconds());
  } else if (const long asked = asked_at.load();
             asked > 0 && milliseconds() - asked > kSameMilliseconds) {
    interchange::remove_partial_files();
    constexpr char kNoBar[] = "\r\033[K";
    if (::isatty(STDERR_FILENO))
      static_cast<void>(!::write(STDERR_FILENO, kNoBar, sizeof(kNoBar) - 1));
    ::_exit(128 + number);
  }
  errno = error;
}

}  // namespace

Interruption::Interruption() {
  if (living++ > 0) return;
  wanted.store(0);
  asked_at.store(0);
  for (std::size_t i = 0; i < std::size(kSignals); ++i) {
    ::sigaction(kSignals[i], nullptr, &before[i]);
    if (before[i].sa_handler == SIG_IGN) continue;
    struct sigaction action {};
    action.sa_handler = on_signal;
    action.sa_flags = SA_RESTART;
    ::sigaction(kSignals[i], &action, nullptr);
  }
}

Interruption::~Interruption() {
  if (--living > 0) return;
  for (std::size_t i = 0; i < std::size(kSignals); ++i)
    ::sigaction(kSignals[i], &before[i], nullptr);
  wanted.store(0);
}

bool Interruption::requested() noexcept { return wanted.load(std::memory_order_relaxed) != 0; }

void Interruption::check() {
  if (requested()) throw Interrupted("interrupted by {}", name());
}

std::string Interruption::name() {
  const int number = wanted.load();
  const char* short_name = number > 0 ? ::sigabbrev_np(number) : nullptr;
  return short_name ? "SIG" + std::string(short_name) : "";
}

int Interruption::exit_code() { return 128 + wanted.load(); }

void Interruption::leave_to_parent() noexcept {
  for (const int number : kSignals) ::signal(number, living > 0 ? SIG_IGN : SIG_DFL);
  wanted.store(0);
}

}  // namespace notape::verify
