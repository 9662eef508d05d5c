#pragma once

/// How LibTorch's programs get a generator. The numbers are notape's own.

#include "notape/notape.h"

namespace at {

/// Names the kind in make_generator.
struct CPUGeneratorImpl {};
template <std::same_as<CPUGeneratorImpl>>
notape::Generator make_generator(uint64_t seed = 67280421310721) {
  return notape::Generator(seed);
}

namespace detail {

inline notape::Generator createCPUGenerator(uint64_t seed = 67280421310721) {
  return notape::Generator(seed);
}
inline const notape::Generator& getDefaultCPUGenerator() { return notape::default_generator(); }

}  // namespace detail

class Context {
 public:
  const notape::Generator& defaultGenerator(notape::Device) { return notape::default_generator(); }
  void setAllowTF32CuDNN(bool allowed) { notape::set_allow_tf32(allowed); }
  bool allowTF32CuDNN() const { return notape::allow_tf32(); }
};
inline Context& globalContext() {
  static Context context;
  return context;
}

}  // namespace at

namespace torch::cuda {

/// One generator draws for all devices.
inline void manual_seed(uint64_t seed) { notape::manual_seed(seed); }
inline void manual_seed_all(uint64_t seed) { notape::manual_seed(seed); }

}  // namespace torch::cuda
