// A GPU without a GPU: notape's kernels, compiled by g++ for the CPU, and a CUDA runtime that
// watches them. It finds what a GPU would do silently or now and then: accesses outside of memory,
// values that nobody has written, races within a kernel and between streams, barriers that not all
// threads reach. It says nothing about contraction of a * b + c or the last bits of exp and the
// like, nor about speed: its clock is virtual and moves by stated costs.
//
// NOTAPE_CUDA=emulated makes it the device `cuda` of any program. Then each finding is a line on
// stderr, and the next call that waits for the device throws it as a DeviceError. Also read are
//   NOTAPE_EMULATED_ORDER      batches (default), eager, late or random: when queued work is done
//   NOTAPE_EMULATED_SEED       of that order (1)
//   NOTAPE_EMULATED_DEVICES    how many there are (1)
//   NOTAPE_EMULATED_MEGABYTES  memory of all of them (4096)
//   NOTAPE_EMULATED_VALUES     0: nothing is computed, only timed, and memory is not touched; what
//                              the CPU reads is 0
//   NOTAPE_EMULATED_WRONG_ALGORITHM  an algorithm of cuDNN that is 1 % off, 3 or eng3 (none)
#pragma once
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace emulator {

enum class Order {
  Batches,  ///< when much of it is queued, or somebody waits or asks for it: the fastest
  Eager,    ///< as soon as it is queued
  Late,     ///< when somebody waits for it
  Random    ///< some of it at each call, of any stream
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
  int peers = 0;  ///< devices that were told to reach another's memory
};
/// Since the last call.
Counts take_counts();

/// What takes how much virtual time. Of the order of what a large GPU of today takes, and invented.
struct Costs {
  // Of the host.
  int64_t operator_ns = 2'000;    ///< an operator or backward node, besides its calls
  int64_t launch_ns = 4'000;      ///< a launch, copy or fill that finds room in the queue
  int64_t call_ns = 500;          ///< other calls, besides waiting
  int64_t allocate_ns = 100'000;  ///< cudaMalloc and cudaHostAlloc
  int64_t release_ns = 50'000;    ///< cudaFree, after it has waited for the device
  // Of the device.
  int64_t latency_ns = 1'500;          ///< from the launch's return to its start on an idle stream
  int64_t kernel_ns = 2'000;           ///< the shortest work
  double threads_per_ns = 400;         ///< of kernels
  double flop_per_ns = 50'000;         ///< of products
  double memory_bytes_per_ns = 4'000;  ///< read or written by copies and fills
  double bus_bytes_per_ns = 50;        ///< of copies from and to the CPU
  std::size_t queue_depth = 1'022;     ///< launches that have not started; then calls block
};
void set_costs(const Costs& costs);

/// Planted mistakes, which a test should find: from now on no thread waits at the n-th barrier that
/// it comes to, or no stream for the n-th event from now. 0: none.
void drop_barrier(int n);
void drop_wait(int n);
/// The same for the n-th work from now on: it is not done at all, or, of a kernel, by neither its
/// first block nor its first threads.
enum class Part { None, All, FirstBlock, FirstThreads };
void drop_work(int n, Part part);
/// Whether one was dropped since the last call. Then the device works again, if a fault has ended
/// it.
bool has_dropped();
/// What the last drop_work() met.
std::string name_of_dropped();
/// Of each work since the last call, whether anybody has read what it wrote.
std::vector<bool> take_reads();

/// How the emulated cuDNN is. Tests plant what a real one may be.
struct Cudnn {
  std::size_t version = 91900;
  bool offers = true;                     ///< whether any algorithm can do anything
  bool offers_graphs_only = false;        ///< and none of its calls
  bool prefers_nondeterministic = false;  ///< names them first
  bool breaks = false;                    ///< every convolution fails
  bool refuses_bias = false;              ///< by the call that also adds one
  bool pads_weights = false;              ///< of recurrent layers
  int refusals = 0;                       ///< so many more are refused when they are to begin
  std::size_t workspace = 4096;           ///< bytes, of algorithms that need some
  int algorithm = -1;                     ///< the last one that ran by a call of its own
  int engine = -1;                        ///< or as a graph
};
extern Cudnn cudnn;
/// Whether the emulated cuBLASLt has no way.
extern bool refuses_bias;

}  // namespace emulator
