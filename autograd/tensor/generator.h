// Generator: the source of random numbers, counter-based, so that a (seed, offset) pair names every
// draw (Philox 4x32-10; Salmon et al., "Parallel random numbers: as easy as 1, 2, 3", 2011).
#pragma once
#include <array>
#include <cstdint>

namespace notape {

class Generator {
 public:
  explicit Generator(uint64_t seed = 0) : seed_(seed) {}

  void set_seed(uint64_t seed) {
    seed_ = seed;
    counter_ = 0;
    left_ = 0;
  }
  uint64_t seed() const { return seed_; }

  uint32_t next32();
  uint64_t next64() { return (static_cast<uint64_t>(next32()) << 32) | next32(); }
  /// Uniform in [0, 1), 53 bits.
  double uniform() { return static_cast<double>(next64() >> 11) * 0x1.0p-53; }
  /// Standard normal (Box and Muller, one of the pair).
  double normal();
  /// Uniform in [0, bound), unbiased. `bound` > 0.
  uint64_t below(uint64_t bound);

 private:
  uint64_t seed_;
  uint64_t counter_ = 0;
  std::array<uint32_t, 4> block_{};
  int left_ = 0;
};

/// Ten Philox rounds on (counter, 0) under key `seed`.
std::array<uint32_t, 4> philox(uint64_t seed, uint64_t counter);

/// This thread's default generator.
Generator& default_generator();
/// Seeds the default generator of this thread.
void manual_seed(uint64_t seed);

}  // namespace notape
