// Threads of libraries: what OpenBLAS or OpenMP hand to threads of their own rounds as these do, to
// nearest, whatever mode the caller is in.
#pragma once
#include <vector>

namespace notape::verify {

/// How a library is told its number of threads.
struct LibraryThreads {
  int (*count)() = nullptr;
  void (*set)(int count) = nullptr;
};
/// Of every library in this process that has threads of its own: OpenBLAS, OpenMP.
std::vector<LibraryThreads> libraries_with_threads();

/// While it lives, these libraries do their work on the caller's thread.
class OneThreadOnly {
 public:
  OneThreadOnly();
  ~OneThreadOnly();
  OneThreadOnly(const OneThreadOnly&) = delete;
  OneThreadOnly& operator=(const OneThreadOnly&) = delete;

 private:
  struct Before {
    LibraryThreads library;
    int count;
  };
  std::vector<Before> before_;
};

}  // namespace notape::verify
