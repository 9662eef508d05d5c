#include "trace/latency/other_library.h"

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
#include "trace/clock.h"

namespace notape::trace {
namespace {

constexpr double kSecondsToStart = 120, kSecondsToAnswer = 60;

/// The environment with one thread for each of the libraries that loops may be in.
std::vector<std::string> environment_with_one_thread() {
  const std::string_view names[] = {
      "OMP_NUM_THREADS=", "OPENBLAS_NUM_THREADS=", "MKL_NUM_THREADS="};
  std::vector<std::string> result;
  for (char** entry = environ; *entry; ++entry) {
    bool replaced = false;
    for (const std::string_view name : names)
      replaced = replaced || std::string_view(*entry).starts_with(name);
    if (!replaced) result.push_back(*entry);
  }
  for (const std::string_view name : names) result.push_back(std::string(name) + "1");
  return result;
}

std::vector<char*> pointers(std::vector<std::string>& texts) {
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
    // Ctrl-C is for us: the batch that is running ends first.
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

OtherProcess::OtherProcess(const OtherLibrary& library, const std::function<bool()>& enough) {
  if (!library.missing.empty()) throw SourceError("{}", library.missing);
  std::vector<std::string> words = library.command, variables = environment_with_one_thread();
  program_ = words.front();
  int channel[2], errors[2];
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, channel) != 0)
    throw SourceError("{}: {}", program_, std::strerror(errno));
  if (pipe2(errors, O_CLOEXEC | O_NONBLOCK) != 0) {
    const int error = errno;
    close(channel[0]);
    close(channel[1]);
    throw SourceError("{}: {}", program_, std::strerror(error));
  }
  channel_ = channel[0];
  errors_ = errors[0];
  int error = 0;
  {
    const SpawnWishes wishes(channel[1], errors[1]);
    error = posix_spawnp(&process_, program_.c_str(), &wishes.files, &wishes.attributes,
                         pointers(words).data(), pointers(variables).data());
  }
  close(channel[1]);
  close(errors[1]);
  if (error != 0) {
    process_ = -1;
    fail(std::strerror(error));
  }
  const std::string said = answer(kSecondsToStart, enough);
  if (said.starts_with("ready\t")) {
    name_ = printable(said.substr(6));
    return;
  }
  fail(said.starts_with("missing\t") ? said.substr(8) : "it says '" + shortened(said) + "'");
}

OtherProcess::~OtherProcess() { end(); }

void OtherProcess::end() noexcept {
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

void OtherProcess::fail(const std::string& what) {
  end();
  throw SourceError("{}: {}", printable(program_), printable(what));
}

/// The last line that it wrote to standard error.
std::string OtherProcess::last_words() const {
  std::string text(4096, '\0'), all;
  for (ssize_t count; (count = ::read(errors_, text.data(), text.size())) > 0;)
    all.append(text, 0, static_cast<std::size_t>(count));
  while (all.ends_with('\n')) all.pop_back();
  const std::string last = all.substr(all.find_last_of('\n') + 1);
  return last.empty() ? "it ended" : "it ended: " + last;
}

std::string OtherProcess::answer(double seconds, const std::function<bool()>& enough) {
  const int64_t until = now_ns() + static_cast<int64_t>(seconds * 1e9);
  for (;;) {
    const std::size_t end_of_line = unread_.find('\n');
    if (end_of_line != std::string::npos) {
      const std::string line = unread_.substr(0, end_of_line);
      unread_.erase(0, end_of_line + 1);
      return line;
    }
    if (now_ns() > until) fail(fmt::format("no answer in {:g} s", seconds));
    if (enough && enough()) fail("interrupted before it was ready");
    pollfd one{channel_, POLLIN, 0};
    if (poll(&one, 1, 100) <= 0) continue;
    char part[4096];
    const ssize_t count = recv(channel_, part, sizeof(part), 0);
    if (count < 0 && (errno == EINTR || errno == EAGAIN)) continue;
    if (count <= 0) fail(last_words());
    unread_.append(part, static_cast<std::size_t>(count));
  }
}

int64_t OtherProcess::run(const Work& work, int64_t calls) {
  if (channel_ < 0) throw SourceError("{}: it ended", program_);
  const std::string line =
      fmt::format("{} {} {} {}\n", work.operation, name_of(work.work), work.size, calls);
  // A few letters always have room; without a reader there must be no SIGPIPE.
  if (send(channel_, line.data(), line.size(), MSG_NOSIGNAL) != static_cast<ssize_t>(line.size()))
    fail(last_words());
  const std::string said = answer(kSecondsToAnswer, {});
  int64_t ns = 0;
  const auto [end, error] = std::from_chars(said.data(), said.data() + said.size(), ns);
  if (error != std::errc() || end != said.data() + said.size() || ns < 0)
    fail("it says '" + shortened(said) + "'");
  return ns;
}

}  // namespace notape::trace
