#include "verify/processes/orphans.h"

#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>

#include <chrono>
#include <filesystem>
#include <fstream>

namespace notape::verify {
namespace {

/// All children, those that have ended included; none where the system does not tell.
std::set<pid_t> children() {
  std::set<pid_t> all;
  std::error_code none;
  for (const auto& thread : std::filesystem::directory_iterator("/proc/self/task", none)) {
    std::ifstream file(thread.path() / "children");
    for (pid_t child = 0; file >> child;) all.insert(child);
  }
  return all;
}

}  // namespace

Orphans::Orphans() : own_(children()) {
  ::prctl(PR_GET_CHILD_SUBREAPER, &was_reaper_);
  ::prctl(PR_SET_CHILD_SUBREAPER, 1);
}

Orphans::~Orphans() {
  // Each round finds the children of those that the last one has killed. What starts new ones
  // faster than they can be killed is not waited for.
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(10);
  bool any = true;
  while (any && std::chrono::steady_clock::now() < deadline) {
    any = false;
    for (pid_t child : children()) {
      if (own_.contains(child)) continue;
      any = true;
      ::kill(child, SIGKILL);
      ::waitpid(child, nullptr, 0);
    }
  }
  ::prctl(PR_SET_CHILD_SUBREAPER, was_reaper_);
}

}  // namespace notape::verify
