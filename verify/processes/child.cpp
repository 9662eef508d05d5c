#include "verify/processes/child.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <optional>
#include <system_error>

#include "verify/processes/interruption.h"

namespace notape::verify {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::size_t kNoteBytes = 1 << 15;
/// Unlikely as a status of anybody's exit().
constexpr int kThrew = 113;

[[noreturn]] void fail(const char* what) {
  throw std::system_error(errno, std::generic_category(), what);
}

/// Memory that parent and child share: a note, and whether the work returned.
class SharedNote {
 public:
  SharedNote() {
    void* memory =
        ::mmap(nullptr, kNoteBytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) fail("mmap");
    finished_ = static_cast<char*>(memory);
    text_ = finished_ + 1;
  }
  ~SharedNote() { ::munmap(finished_, kNoteBytes); }
  SharedNote(const SharedNote&) = delete;
  SharedNote& operator=(const SharedNote&) = delete;

  void write(const std::string& text) {
    const std::size_t length = std::min(text.size(), kNoteBytes - 2);
    std::memcpy(text_, text.data(), length);
    text_[length] = '\0';
  }
  std::string read() const { return {text_, ::strnlen(text_, kNoteBytes - 1)}; }
  // Not taken from the exit status: any code can call exit(0).
  void finish() { *finished_ = 1; }
  bool is_finished() const { return *finished_ != 0; }

 private:
  char *finished_, *text_;
};

class Pipe final : public ToParent {
 public:
  Pipe(int descriptor, SharedNote& shared) : descriptor_(descriptor), shared_(shared) {}
  void send(const std::string& text) override {
    for (std::size_t sent = 0; sent < text.size();) {
      const ssize_t wrote = ::write(descriptor_, text.data() + sent, text.size() - sent);
      if (wrote < 0 && errno == EINTR) continue;
      if (wrote <= 0) ::_exit(kThrew);  // nobody listens any more
      sent += static_cast<std::size_t>(wrote);
    }
  }
  void note(const std::string& doing) override { shared_.write(doing); }
  int descriptor() const override { return descriptor_; }

 private:
  int descriptor_;
  SharedNote& shared_;
};

uint64_t address_space_in_use() {
  uint64_t pages = 0;
  std::ifstream("/proc/self/statm") >> pages;
  return pages * static_cast<uint64_t>(::sysconf(_SC_PAGESIZE));
}

void limit_memory(uint64_t bytes) {
  if (bytes == 0) return;
  const rlim_t most = address_space_in_use() + bytes;
  const rlimit limit{most, most};
  ::setrlimit(RLIMIT_AS, &limit);
}

[[noreturn]] void be_the_child(const std::function<void(ToParent&)>& work, int descriptor,
                               SharedNote& shared, const ChildLimits& limits, pid_t starter) {
  end_with_parent(starter);
  for (int signal : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT}) ::signal(signal, SIG_DFL);
  Interruption::leave_to_parent();
  ::signal(SIGPIPE, SIG_IGN);
  const rlimit no_core{0, 0};
  ::setrlimit(RLIMIT_CORE, &no_core);
  limit_memory(limits.bytes);
  Pipe parent(descriptor, shared);
  try {
    work(parent);
  } catch (...) {
    ::_exit(kThrew);
  }
  std::fflush(nullptr);
  shared.finish();
  ::_exit(0);
}

/// The parent's view of a running child: what it says, and its end.
class Watch {
 public:
  Watch(pid_t child, int descriptor, double limit)
      : seconds(limit),
        child_(child),
        descriptor_(descriptor),
        deadline_(Clock::now() + std::chrono::duration_cast<Clock::duration>(
                                     std::chrono::duration<double>(limit))) {}

  /// Until the child has ended, killed at the deadline. The end of the pipe is not what counts: a
  /// child may close it and go on, and others may hold it open after the child's end.
  void wait() {
    bool open = true;
    while (!has_ended(WNOHANG)) {
      interrupted = Interruption::requested();
      if (interrupted || Clock::now() > deadline_) {
        in_time = interrupted;
        ::kill(child_, SIGKILL);
        while (!has_ended(0)) {
        }
        break;
      }
      // A closed pipe is the sign that the end is near.
      open = open ? read_for(kPatience) : (::poll(nullptr, 0, 1), false);
    }
    ::kill(-child_, SIGKILL);  // what it left behind
    while (open && read_for(0)) {
    }
  }

  const double seconds;
  std::string said;
  int status = 0;
  bool in_time = true, interrupted = false;
  uint64_t peak_bytes = 0;

 private:
  static constexpr int kPatience = 20;  // milliseconds

  bool has_ended(int options) {
    rusage usage{};
    const pid_t ended = ::wait4(child_, &status, options, &usage);
    if (ended < 0 && errno != EINTR) fail("wait4");
    if (ended == child_) peak_bytes = static_cast<uint64_t>(usage.ru_maxrss) << 10;
    return ended == child_;
  }

  /// False at the end of the pipe and, without patience, when it is empty.
  bool read_for(int milliseconds) {
    pollfd ready{descriptor_, POLLIN, 0};
    const int count = ::poll(&ready, 1, milliseconds);
    if (count < 0 && errno != EINTR) fail("poll");
    if (count <= 0) return milliseconds > 0;
    char buffer[1 << 16];
    const ssize_t got = ::read(descriptor_, buffer, sizeof(buffer));
    if (got < 0) return errno == EINTR;
    said.append(buffer, static_cast<std::size_t>(got));
    return got > 0;
  }

  const pid_t child_;
  const int descriptor_;
  const Clock::time_point deadline_;
};

std::string name_of_signal(int number) {
  const char* name = ::sigabbrev_np(number);
  return name ? "SIG" + std::string(name) : "signal " + std::to_string(number);
}

}  // namespace

void end_with_parent(int parent) noexcept {
  ::setpgid(0, 0);  // so that whatever it starts can be ended with it
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (::getppid() != parent) ::_exit(kThrew);  // it ended before it could be told
}

namespace {
thread_local int in_this_process = 0;

/// For work that has no child.
struct Here final : ToParent {
  ChildEnd end = {};
  void send(const std::string& text) override { end.said += text; }
  void note(const std::string& doing) override { end.doing = doing; }
  int descriptor() const override { return -1; }
};

ChildEnd run_here(const std::function<void(ToParent&)>& work) {
  Here here;
  try {
    work(here);
  } catch (const std::exception& error) {
    here.end.kind = ChildEnd::Kind::Left;
    here.end.detail = error.what();
  }
  return here.end;
}
}  // namespace

InThisProcess::InThisProcess() noexcept { ++in_this_process; }
InThisProcess::~InThisProcess() { --in_this_process; }
bool InThisProcess::is_on() noexcept { return in_this_process > 0; }

void be_silent() noexcept {
  if (InThisProcess::is_on()) return;
  const int nowhere = ::open("/dev/null", O_RDWR);
  for (int stream : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) ::dup2(nowhere, stream);
  ::close(nowhere);
}

struct Child::State {
  SharedNote shared = {};
  pid_t process = -1;
  int descriptor = -1;
  std::optional<Watch> watch = {};
  bool ended = false;
};

Child::Child(const std::function<void(ToParent&)>& work, const ChildLimits& limits)
    : state_(std::make_unique<State>()) {
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) fail("pipe2");
  std::fflush(nullptr);  // or the child would print again what waits in the buffers
  const pid_t starter = ::getpid();
  state_->process = ::fork();
  if (state_->process < 0) {
    const int error = errno;
    ::close(ends[0]);
    ::close(ends[1]);
    errno = error;
    fail("fork");
  }
  if (state_->process == 0) {
    ::close(ends[0]);
    be_the_child(work, ends[1], state_->shared, limits, starter);
  }
  ::close(ends[1]);
  state_->descriptor = ends[0];
  state_->watch.emplace(state_->process, ends[0], limits.seconds);
}

Child::~Child() {
  if (!state_->ended) {
    ::kill(state_->process, SIGKILL);
    ::waitpid(state_->process, nullptr, 0);
    ::kill(-state_->process, SIGKILL);  // what it left behind
  }
  ::close(state_->descriptor);
}

int Child::descriptor() const { return state_->descriptor; }

bool Child::read(std::string& said) {
  char buffer[1 << 16];
  ssize_t got = 0;
  do {
    got = ::read(state_->descriptor, buffer, sizeof(buffer));
  } while (got < 0 && errno == EINTR);
  if (got > 0) said.append(buffer, static_cast<std::size_t>(got));
  return got > 0;
}

ChildEnd Child::wait() {
  Watch& watch = *state_->watch;
  watch.wait();
  state_->ended = true;
  if (watch.interrupted) Interruption::check();
  ChildEnd end;
  end.said = std::move(watch.said);
  end.doing = state_->shared.read();
  end.peak_bytes = watch.peak_bytes;
  if (!watch.in_time) {
    end.kind = ChildEnd::Kind::TooSlow;
    end.detail = fmt::format("{:g} s", watch.seconds);
  } else if (WIFSIGNALED(watch.status)) {
    end.kind = ChildEnd::Kind::Crashed;
    end.detail = name_of_signal(WTERMSIG(watch.status));
  } else if (!state_->shared.is_finished()) {
    end.kind = ChildEnd::Kind::Left;
    const int status = WEXITSTATUS(watch.status);
    end.detail = status == kThrew ? "an exception" : fmt::format("exit({})", status);
  }
  return end;
}

ChildEnd run_in_child(const std::function<void(ToParent&)>& work, const ChildLimits& limits) {
  return InThisProcess::is_on() ? run_here(work) : Child(work, limits).wait();
}

}  // namespace notape::verify
