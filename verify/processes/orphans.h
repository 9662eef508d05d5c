// Orphans: what a child has started and left behind, be it in a session of its own.
#pragma once
#include <sys/types.h>

#include <set>

namespace notape::verify {

/// While it lives, processes whose parent ends become children of this process. Its end kills all
/// children that this process did not have before, and theirs. Not for a process whose other
/// threads start children meanwhile.
class Orphans {
 public:
  Orphans();
  ~Orphans();
  Orphans(const Orphans&) = delete;
  Orphans& operator=(const Orphans&) = delete;

 private:
  int was_reaper_ = 0;
  std::set<pid_t> own_;
};

}  // namespace notape::verify
