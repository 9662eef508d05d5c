#include "verify/command/crash_guard.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <climits>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <ctime>
#include <filesystem>

#include "verify/report/case_file.h"

namespace notape::verify {
namespace {

constexpr int kSignals[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT};
constexpr std::size_t kStackBytes = 1 << 16;

// The handler may use nothing but plain memory and system calls.
struct Context {
  char text[1 << 13], case_line[1 << 16];
};
thread_local Context* context = nullptr;  // of the thread, for good: thread-local memory is scarce
char case_file[PATH_MAX], case_file_beside[PATH_MAX];
alignas(16) char handler_stack[kStackBytes];
struct sigaction before[std::size(kSignals)];

bool say(const char* text, int file = STDERR_FILENO) {
  const char* end = text + std::strlen(text);
  while (text < end) {
    const ssize_t written = ::write(file, text, static_cast<std::size_t>(end - text));
    if (written <= 0) return false;
    text += written;
  }
  return true;
}

/// As keep_cases(), without any library.
void keep_case(const char* line) {
  if (!*line || !*case_file) return;
  const int file = ::open(case_file_beside, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  if (file < 0) return;
  const bool whole = say(line, file);
  if (::close(file) == 0 && whole)
    std::rename(case_file_beside, case_file);
  else
    ::unlink(case_file_beside);
}

void copy_into(char* to, std::size_t size, const std::string& text) {
  const std::size_t length = std::min(text.size(), size - 1);
  std::memcpy(to, text.data(), length);
  to[length] = '\0';
}

void on_crash(int signal) {
  say("\nERROR: an operator crashed (");
  say(sigabbrev_np(signal) ? sigabbrev_np(signal) : "signal");
  say("); replay: ");
  if (context) {
    say(context->text);
    keep_case(context->case_line);
  }
  say("\n");
  ::_exit(6);
}

}  // namespace

CrashGuard::CrashGuard() {
  const std::string directory = cases_directory();
  std::error_code ignored;  // then there is no file
  std::filesystem::create_directories(directory, ignored);
  const std::string path =
      fmt::format("{}/cases-{}-{}-crash.jsonl", directory, std::time(nullptr), ::getpid());
  copy_into(case_file, sizeof case_file, path);
  copy_into(case_file_beside, sizeof case_file_beside, path + ".part");
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

void CrashGuard::set_context(const std::string& text, const std::string& case_line) {
  if (!context) context = new Context();
  copy_into(context->text, sizeof context->text, text);
  const bool fits = case_line.size() < sizeof context->case_line;
  copy_into(context->case_line, sizeof context->case_line, fits ? case_line : "");
}

}  // namespace notape::verify
