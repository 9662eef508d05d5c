#include "verify/processes/program.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <utility>

#include "verify/processes/child.h"
#include "verify/processes/interruption.h"

namespace notape::verify {
namespace {

/// After fork() in a process that may have threads: nothing but system calls.
[[noreturn]] void become(char* const* arguments, int output, bool drop_errors, pid_t parent) {
  end_with_parent(parent);
  ::dup2(output, STDOUT_FILENO);
  if (drop_errors) {
    const int nowhere = ::open("/dev/null", O_WRONLY);
    if (nowhere >= 0) ::dup2(nowhere, STDERR_FILENO);
  }
  for (const int number : {SIGINT, SIGTERM, SIGPIPE}) ::signal(number, SIG_DFL);
  ::execvp(arguments[0], arguments);
  ::_exit(127);
}

}  // namespace

Program::Program(std::vector<std::string> words, Errors errors) {
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) return;
  std::vector<char*> arguments;
  for (std::string& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  const pid_t parent = ::getpid();
  process_ = ::fork();
  if (process_ == 0) become(arguments.data(), ends[1], errors == Errors::Dropped, parent);
  ::close(ends[1]);
  pipe_ = ends[0];
}

Program::~Program() {
  close_pipe();
  if (process_ <= 0) return;
  ::kill(process_, SIGKILL);
  ::waitpid(process_, nullptr, 0);
}

void Program::close_pipe() {
  if (pipe_ >= 0) ::close(std::exchange(pipe_, -1));
}

std::string Program::output() {
  constexpr int kPatience = 100;  // milliseconds
  if (process_ <= 0) return {};
  std::string text;
  char buffer[1 << 14];
  for (;;) {
    Interruption::check();
    pollfd ready{pipe_, POLLIN, 0};
    if (::poll(&ready, 1, kPatience) <= 0) continue;
    const ssize_t got = ::read(pipe_, buffer, sizeof(buffer));
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) break;
    text.append(buffer, static_cast<std::size_t>(got));
  }
  close_pipe();
  int status = 0;
  while (::waitpid(process_, &status, 0) < 0 && errno == EINTR) {
  }
  process_ = -1;
  succeeded_ = WIFEXITED(status) && WEXITSTATUS(status) == 0;
  return text;
}

}  // namespace notape::verify
