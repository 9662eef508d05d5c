// Threads of libraries: what OpenBLAS or OpenMP hand to threads of their own rounds as these do, to
// nearest, whatever mode the caller is in.
#pragma once
#include <vector>

#include "ops/cpu/blas_threads.h"

namespace notape::verify {

/// How the number of threads of a library is read and set.
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
  blas::OneThread of_operators_;  // counted: an operator on another thread may have one, too
  std::vector<Before> before_;    // of other libraries
};

}  // namespace notape::verify
