#include "trace/latency/line_process.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <cstring>

#include "autograd/printable.h"
#include "trace/record/clock.h"

namespace notape::trace {
namespace {

/// Ours, with `variables` in place of those of their names.
std::vector<std::string> environment_with(const std::vector<std::string>& variables) {
  std::vector<std::string> result = variables;
  for (char** entry = environ; *entry; ++entry) {
    const std::string_view one = *entry;
    bool is_replaced = false;
    for (const std::string& variable : variables)
      is_replaced = is_replaced || one.starts_with(variable.substr(0, variable.find('=') + 1));
    if (!is_replaced) result.emplace_back(one);
  }
  return result;
}

std::vector<char*> pointers_to(std::vector<std::string>& texts) {
  std::vector<char*> result;
  for (std::string& text : texts) result.push_back(text.data());
  result.push_back(nullptr);
  return result;
}

struct SpawnWishes {
  posix_spawn_file_actions_t files;
  posix_spawnattr_t attributes;

  SpawnWishes(int channel, int errors) {
    posix_spawn_file_actions_init(&files);
    posix_spawn_file_actions_adddup2(&files, channel, 0);
    posix_spawn_file_actions_adddup2(&files, channel, 1);
    posix_spawn_file_actions_adddup2(&files, errors, 2);
    posix_spawnattr_init(&attributes);
    // Ctrl-C is for us, who then end it.
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP);
    posix_spawnattr_setpgroup(&attributes, 0);
  }
  ~SpawnWishes() {
    posix_spawn_file_actions_destroy(&files);
    posix_spawnattr_destroy(&attributes);
  }
  SpawnWishes(const SpawnWishes&) = delete;
  SpawnWishes& operator=(const SpawnWishes&) = delete;
};

}  // namespace

LineProcess::LineProcess(std::vector<std::string> command,
                         const std::vector<std::string>& variables, double seconds,
                         const Check& check)
    : program_(command.at(0)) {
  try {
    start(std::move(command), variables);
    const std::string said = answer(seconds, check);
    if (!said.starts_with("ready\t"))
      fail(said.starts_with("missing\t") ? said.substr(8) : "it says '" + shortened(said) + "'");
    name_ = printable(said.substr(6));
  } catch (...) {
    end();
    throw;
  }
}

LineProcess::~LineProcess() { end(); }

void LineProcess::start(std::vector<std::string> command,
                        const std::vector<std::string>& variables) {
  std::vector<std::string> environment = environment_with(variables);
  int channel[2], errors[2];
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, channel) != 0) fail(std::strerror(errno));
  channel_ = channel[0];
  if (pipe2(errors, O_CLOEXEC | O_NONBLOCK) != 0) {
    const int error = errno;
    close(channel[1]);
    fail(std::strerror(error));
  }
  errors_ = errors[0];
  const SpawnWishes wishes(channel[1], errors[1]);
  const int error = posix_spawnp(&process_, program_.c_str(), &wishes.files, &wishes.attributes,
                                 pointers_to(command).data(), pointers_to(environment).data());
  close(channel[1]);
  close(errors[1]);
  if (error == 0) return;
  process_ = -1;
  fail(std::strerror(error));
}

void LineProcess::end() noexcept {
  if (channel_ >= 0) close(channel_);
  if (errors_ >= 0) close(errors_);
  channel_ = errors_ = -1;
  if (process_ > 0) {
    kill(process_, SIGKILL);
    while (waitpid(process_, nullptr, 0) < 0 && errno == EINTR) {
    }
  }
  process_ = -1;
}

void LineProcess::fail(const std::string& what) {
  end();
  throw ProcessError("{}: {}", printable(program_), printable(what));
}

/// The last line that it wrote to standard error.
std::string LineProcess::last_words() const {
  std::string text(4096, '\0'), all;
  for (ssize_t count; (count = ::read(errors_, text.data(), text.size())) > 0;)
    all.append(text, 0, static_cast<std::size_t>(count));
  while (all.ends_with('\n')) all.pop_back();
  const std::string last = all.substr(all.find_last_of('\n') + 1);
  return last.empty() ? "it ended" : "it ended: " + last;
}

std::string LineProcess::answer(double seconds, const Check& check) {
  const double until = static_cast<double>(now_ns()) + seconds * 1e9;
  for (;;) {
    const std::size_t end_of_line = unread_.find('\n');
    if (end_of_line != std::string::npos) {
      const std::string line = unread_.substr(0, end_of_line);
      unread_.erase(0, end_of_line + 1);
      return line;
    }
    if (static_cast<double>(now_ns()) > until) fail(fmt::format("no answer in {:g} s", seconds));
    if (check) check();
    pollfd one{channel_, POLLIN, 0};
    if (poll(&one, 1, 100) <= 0) continue;
    char part[4096];
    const ssize_t count = recv(channel_, part, sizeof(part), 0);
    if (count < 0 && (errno == EINTR || errno == EAGAIN)) continue;
    if (count <= 0) fail(last_words());
    unread_.append(part, static_cast<std::size_t>(count));
  }
}

std::string LineProcess::ask(const std::string& line, double seconds, const Check& check) {
  if (channel_ < 0) throw ProcessError("{}: it ended", printable(program_));
  const std::string whole = line + "\n";
  // A few letters always have room; without a reader there must be no SIGPIPE.
  if (send(channel_, whole.data(), whole.size(), MSG_NOSIGNAL) !=
      static_cast<ssize_t>(whole.size()))
    fail(last_words());
  return answer(seconds, check);
}

double LineProcess::number(const std::string& line, double seconds, const Check& check) {
  const std::string said = ask(line, seconds, check);
  double value = 0;
  const auto [end_of_number, error] =
      std::from_chars(said.data(), said.data() + said.size(), value);
  if (error != std::errc() || end_of_number != said.data() + said.size() || !(value >= 0))
    fail("asked '" + line + "' it says '" + shortened(said) + "'");
  return value;
}

}  // namespace notape::trace
