#include "verify/command/crash_guard.h"

#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstring>

namespace notape::verify {
namespace {

constexpr int kSignals[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT};
constexpr std::size_t kStackBytes = 1 << 16;

// The handler may use nothing but plain memory and write().
thread_local char context[1 << 15];
alignas(16) char handler_stack[kStackBytes];
struct sigaction before[std::size(kSignals)];

void say(const char* text) {
  const char* end = text + std::strlen(text);
  while (text < end) {
    const ssize_t written = ::write(STDERR_FILENO, text, static_cast<std::size_t>(end - text));
    if (written <= 0) return;
    text += written;
  }
}

void on_crash(int signal) {
  say("\nERROR: an operator crashed (");
  say(sigabbrev_np(signal) ? sigabbrev_np(signal) : "signal");
  say("); replay: ");
  say(context);
  say("\n");
  ::_exit(6);
}

}  // namespace

CrashGuard::CrashGuard() {
  stack_t stack{};
  stack.ss_sp = handler_stack;
  stack.ss_size = kStackBytes;
  ::sigaltstack(&stack, nullptr);
  struct sigaction action {};
  action.sa_handler = on_crash;
  action.sa_flags = SA_ONSTACK | SA_RESETHAND;
  for (std::size_t i = 0; i < std::size(kSignals); ++i)
    ::sigaction(kSignals[i], &action, &before[i]);
}

CrashGuard::~CrashGuard() {
  for (std::size_t i = 0; i < std::size(kSignals); ++i)
    ::sigaction(kSignals[i], &before[i], nullptr);
}

void CrashGuard::set_context(const std::string& text) {
  const std::size_t length = std::min(text.size(), sizeof(context) - 1);
  std::memcpy(context, text.data(), length);
  context[length] = '\0';
}

}  // namespace notape::verify
