// A GPU without a GPU: notape's kernels, compiled by g++ for the CPU, and a CUDA runtime that
// watches them. It finds what a GPU would do silently or now and then: accesses outside of memory,
// values that nobody has written, races within a kernel and between streams, barriers that not all
// threads reach. It says nothing about speed, contraction of a * b + c, or the last bits of exp and
// the like.
//
// NOTAPE_CUDA=emulated makes it the device `cuda` of any program. Then each finding is a line on
// stderr, and the next call that waits for the device throws it as a DeviceError. Also read are
//   NOTAPE_EMULATED_ORDER      eager (default), late or random: when queued work is done
//   NOTAPE_EMULATED_SEED       of that order (1)
//   NOTAPE_EMULATED_DEVICES    how many there are (1)
//   NOTAPE_EMULATED_MEGABYTES  memory of all of them (4096)
//   NOTAPE_EMULATED_WRONG_ALGORITHM  the number of an algorithm of cuDNN that is 1 % off (none)
#pragma once
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace emulator {

enum class Order {
  Eager,  ///< as soon as it is queued
  Late,   ///< when somebody waits for it
  Random  ///< some of it at each call, of any stream
};
void set_order(Order order, uint64_t seed = 1);

/// What was found since the last call: "race: ...", "illegal address: ...". Who takes findings has
/// seen them: no call throws them any more.
std::vector<std::string> take_findings();

/// What a program has asked of the runtime.
struct Counts {
  int launches = 0;  ///< of kernels, memsets, products by cuBLAS and convolutions by cuDNN
  int copies = 0, pageable_copies = 0;
  int waits = 0;  ///< of the CPU for the device
  int allocations = 0;
};
/// Since the last call.
Counts take_counts();

/// Planted mistakes, which a test should find: from now on no thread waits at the n-th barrier that
/// it comes to, or no stream for the n-th event from now. 0: none.
void drop_barrier(int n);
void drop_wait(int n);
/// Whether one was dropped since the last call.
bool has_dropped();

/// How the emulated cuDNN is. Tests plant what a real one may be.
struct Cudnn {
  std::size_t version = 91900;
  bool offers = true;                     ///< whether any algorithm can do anything
  bool prefers_nondeterministic = false;  ///< names them first
  bool breaks = false;                    ///< every convolution fails
  int refusals = 0;                       ///< so many more are refused when they are to begin
  std::size_t workspace = 4096;           ///< bytes, of algorithms that need some
  int algorithm = -1;                     ///< the last one that ran
};
extern Cudnn cudnn;

}  // namespace emulator
