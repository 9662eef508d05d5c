#include "verify/processes/labelled_output.h"

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <system_error>

#include "verify/processes/child.h"

namespace notape::verify {
namespace {

/// A line is written at once, so that lines of others do not end up inside of it.
void print_line(const std::string& line) {
  for (std::size_t at = 0; at < line.size();) {
    const ssize_t wrote = ::write(STDERR_FILENO, line.data() + at, line.size() - at);
    if (wrote < 0 && errno == EINTR) continue;
    if (wrote <= 0) return;
    at += static_cast<std::size_t>(wrote);
  }
}

[[noreturn]] void print_lines(int from, const std::string& label) {
  std::string line;
  char buffer[4096];
  for (;;) {
    const ssize_t got = ::read(from, buffer, sizeof buffer);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) break;
    for (const char letter : std::string(buffer, static_cast<std::size_t>(got))) {
      line += letter;
      if (letter != '\n' && line.size() < sizeof buffer) continue;
      if (letter != '\n') line += '\n';
      print_line(label + line);
      line.clear();
    }
  }
  if (!line.empty()) print_line(label + line + "\n");
  ::_exit(0);
}

}  // namespace

LabelledOutput::LabelledOutput(const std::string& label) {
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0)
    throw std::system_error(errno, std::generic_category(), "pipe2");
  std::fflush(nullptr);
  const pid_t starter = ::getpid();
  printer_ = ::fork();
  if (printer_ == 0) {
    ::close(ends[1]);
    end_with_parent(starter);
    for (const int signal : {SIGINT, SIGTERM, SIGPIPE}) std::signal(signal, SIG_IGN);
    print_lines(ends[0], label);
  }
  const int error = errno;
  ::close(ends[0]);
  if (printer_ < 0) {
    ::close(ends[1]);
    throw std::system_error(error, std::generic_category(), "fork");
  }
  write_end_ = ends[1];
}

LabelledOutput::~LabelledOutput() {
  ::close(write_end_);
  while (::waitpid(printer_, nullptr, 0) < 0 && errno == EINTR) {
  }
}

void LabelledOutput::take_over() const noexcept {
  for (const int stream : {STDOUT_FILENO, STDERR_FILENO}) ::dup2(write_end_, stream);
}

}  // namespace notape::verify
