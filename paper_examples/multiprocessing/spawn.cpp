#include "paper_examples/multiprocessing/spawn.h"

#include <poll.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <iostream>
#include <string>
#include <system_error>
#include <vector>

#include "ops/parallel.h"
#include "paper_examples/multiprocessing/process_group.h"

namespace notape::multiprocessing {
namespace {

/// What a process that ends well says last, in case its status cannot be asked for.
constexpr char kDone = '\0';

/// Of C and of C++.
void flush_all() {
  std::cout.flush();
  std::clog.flush();
  std::fflush(nullptr);
}

[[noreturn]] void be_rank(int rank, int count, const SpawnedRanks& all,
                          const std::function<void(int)>& work, int to_parent, pid_t parent) {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (::getppid() != parent) ::_exit(1);  // it has died meanwhile
  ::signal(SIGINT, SIG_IGN);              // of a terminal; the parent decides what it means
  ::signal(SIGTERM, SIG_DFL);
  int status = 0;
  try {
    set_num_threads(1);
    all.begin_rank(count);
    work(rank);
    static_cast<void>(!::write(to_parent, &kDone, 1));
  } catch (const std::exception& error) {
    const std::string text = error.what();
    status = 1;
    // What does not fit into the pipe is left out.
    static_cast<void>(!::write(to_parent, text.data(), std::min<std::size_t>(text.size(), 4096)));
  } catch (...) {
    status = 1;
  }
  flush_all();
  if (status == 0) all.end_rank();  // else the parent ends the others, and names this
  ::_exit(status);
}

/// The processes of one call; killed and gone with the object.
class Ranks {
 public:
  Ranks() = default;
  ~Ranks() {
    for (const Rank& rank : ranks_)
      if (rank.pid > 0) ::kill(rank.pid, SIGKILL);
    for (const Rank& rank : ranks_) {
      if (rank.pid > 0) ::waitpid(rank.pid, nullptr, 0);
      if (rank.from >= 0) ::close(rank.from);
    }
  }
  Ranks(const Ranks&) = delete;
  Ranks& operator=(const Ranks&) = delete;

  void start(int number, int count, const SpawnedRanks& all, const std::function<void(int)>& work) {
    int ends[2];
    if (::pipe(ends) != 0) throw std::system_error(errno, std::generic_category(), "spawn");
    const pid_t parent = ::getpid(), child = ::fork();
    if (child < 0) {
      const int reason = errno;
      ::close(ends[0]);
      ::close(ends[1]);
      throw std::system_error(reason, std::generic_category(), "spawn");
    }
    if (child == 0) {
      ::close(ends[0]);
      be_rank(number, count, all, work, ends[1], parent);
    }
    ::close(ends[1]);
    ranks_.push_back({child, ends[0], ""});
  }

  /// Until all have ended, or one has failed.
  void wait() {
    for (std::size_t open = ranks_.size(); open > 0;) {
      std::vector<pollfd> ends;
      for (const Rank& rank : ranks_) ends.push_back({rank.pid > 0 ? rank.from : -1, POLLIN, 0});
      if (::poll(ends.data(), ends.size(), -1) < 0) continue;  // a signal
      for (std::size_t i = 0; i < ranks_.size(); ++i)
        if (ends[i].revents != 0 && has_ended(i)) --open;
    }
  }

 private:
  struct Rank {
    pid_t pid;
    int from;
    std::string said;
  };

  /// Reads what there is; at the end of it throws ProcessFailed if the process has failed.
  bool has_ended(std::size_t number) {
    Rank& rank = ranks_[number];
    char text[4096];
    const ssize_t length = ::read(rank.from, text, sizeof text);
    if (length > 0) rank.said.append(text, static_cast<std::size_t>(length));
    if (length != 0) return false;
    const bool is_done = rank.said == std::string(1, kDone);
    int status =
        is_done ? 0
                : W_EXITCODE(1, 0);  // unless it can be asked for, which SIGCHLD ignored forbids
    while (::waitpid(rank.pid, &status, 0) < 0 && errno == EINTR) {
    }
    rank.pid = 0;
    if (WIFSIGNALED(status))
      throw ProcessFailed("spawn: rank {} died: {}", number, ::strsignal(WTERMSIG(status)));
    if (status != 0)
      throw ProcessFailed("spawn: rank {} failed: {}", number,
                          rank.said.empty() ? "it says no more" : rank.said);
    return true;
  }

  std::vector<Rank> ranks_;
};

}  // namespace

void spawn(int count, const std::function<void(int rank)>& work) {
  if (count < 1) throw ValueError("spawn: {} processes", count);
  const SpawnedRanks all;
  Ranks ranks;  // gone before
  flush_all();
  for (int rank = 0; rank < count; ++rank) ranks.start(rank, count, all, work);
  ranks.wait();
}

}  // namespace notape::multiprocessing
