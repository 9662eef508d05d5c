#include "autograd/tensor/generator.h"

#include <cmath>
#include <numbers>

namespace notape {

std::array<uint32_t, 4> philox(uint64_t seed, uint64_t counter) {
  std::array<uint32_t, 4> c = {static_cast<uint32_t>(counter), static_cast<uint32_t>(counter >> 32),
                               0, 0};
  auto k0 = static_cast<uint32_t>(seed), k1 = static_cast<uint32_t>(seed >> 32);
  for (int round = 0; round < 10; ++round) {
    const uint64_t p0 = uint64_t{0xD2511F53} * c[0], p1 = uint64_t{0xCD9E8D57} * c[2];
    c = {static_cast<uint32_t>(p1 >> 32) ^ c[1] ^ k0, static_cast<uint32_t>(p1),
         static_cast<uint32_t>(p0 >> 32) ^ c[3] ^ k1, static_cast<uint32_t>(p0)};
    k0 += 0x9E3779B9;
    k1 += 0xBB67AE85;
  }
  return c;
}

uint32_t Generator::next32() {
  if (left_ == 0) {
    block_ = philox(seed_, counter_++);
    left_ = 4;
  }
  return block_[static_cast<std::size_t>(--left_)];
}

double Generator::normal() {
  const double u = 1.0 - uniform(), v = uniform();
  return std::sqrt(-2.0 * std::log(u)) * std::cos(2.0 * std::numbers::pi * v);
}

uint64_t Generator::below(uint64_t bound) {
  const uint64_t limit = bound * (UINT64_MAX / bound);
  uint64_t draw = next64();
  while (draw >= limit) draw = next64();
  return draw % bound;
}

Generator& default_generator() {
  static thread_local Generator generator(67280421310721ull);
  return generator;
}

void manual_seed(uint64_t seed) { default_generator().set_seed(seed); }

}  // namespace notape
