// Generator: the source of random numbers, counter-based, so that a (seed, offset) pair names every
// draw (Philox 4x32-10; Salmon et al., "Parallel random numbers: as easy as 1, 2, 3", 2011).
#pragma once
#include <array>
#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>

#include "autograd/tensor/device.h"

namespace notape {

class Tensor;

/// A handle, as LibTorch's: copies draw from one sequence, clone() starts another. The numbers do
/// not depend on the device that they are for, nor on the number of threads of one operator.
/// Threads that share one get different numbers of its sequence, in no certain order; mutex() is
/// for users to whom the order matters.
class Generator {
 public:
  /// Undefined: where an operator takes a generator, it stands for the default one.
  Generator() = default;
  explicit Generator(uint64_t seed) : state_(std::make_shared<State>(seed)) {}

  bool defined() const { return static_cast<bool>(state_); }
  friend bool operator==(const Generator&, const Generator&) = default;

  /// Starts over.
  void set_current_seed(uint64_t seed);
  uint64_t current_seed() const { return state_->seed.load(std::memory_order_relaxed); }
  /// Seeds with a number that differs from run to run, and returns it.
  uint64_t seed();
  /// 32 bytes, uint8 on the CPU: the place in the sequence, good for set_state() in another
  /// process.
  Tensor get_state() const;
  /// Throws DtypeError, DeviceError or ValueError for anything but what get_state() gave, and then
  /// changes nothing. LibTorch's states are of another kind.
  void set_state(const Tensor& state);
  /// An independent generator at the same place.
  Generator clone() const;
  /// Goes to where `other` is.
  void copy_state(const Generator& other);
  Device device() const { return kCPU; }
  std::mutex& mutex() const { return state_->mutex; }

  uint32_t next32();
  uint64_t next64();
  /// Uniform in [0, 1), 53 bits.
  double uniform() { return static_cast<double>(next64() >> 11) * 0x1.0p-53; }
  /// Standard normal (Box and Muller, one of the pair).
  double normal();
  /// Uniform in [0, bound), unbiased. `bound` > 0.
  uint64_t below(uint64_t bound);

 private:
  friend class DrawWatch;

  struct State {
    explicit State(uint64_t number) : seed(number) {}
    void go_to(uint64_t number, uint64_t place);
    uint32_t word(uint64_t place) const;

    std::atomic<uint64_t> seed;
    std::atomic<uint64_t> drawn = 0;  // words of 32 bits
    std::mutex mutex;
  };
  std::shared_ptr<State> state_;
};

/// Ten Philox rounds on (counter, 0) under key `seed`.
std::array<uint32_t, 4> philox(uint64_t seed, uint64_t counter);

/// What this thread draws from: the default generator of the process, or that of the innermost
/// GeneratorScope.
Generator& default_generator();
/// Seeds what this thread draws from.
void manual_seed(uint64_t seed);

/// In its scope this thread draws from `generator`, unless it is undefined.
class GeneratorScope {
 public:
  explicit GeneratorScope(const std::optional<Generator>& generator);
  ~GeneratorScope();
  GeneratorScope(const GeneratorScope&) = delete;
  GeneratorScope& operator=(const GeneratorScope&) = delete;

 private:
  Generator generator_;
  Generator* before_;
};

}  // namespace notape
