// What may be asked of an example that trains, draws random numbers or makes pictures, beyond a
// plain run: notape examples run NAME --seed 1 --out pictures.
#pragma once
#include <cstdint>
#include <filesystem>
#include <numeric>
#include <vector>

#include "autograd/tensor/device.h"

namespace notape {

/// Quick: the mechanisms, and the beginning of each training, of whose results less is promised;
/// for tests.
enum class ExampleSize : uint8_t { Quick, Small, Full };

struct ExampleOptions {
  uint64_t seed = 0;  ///< of weights, splits, noise
  int64_t seeds = 1;  ///< those that train do so with seed, seed + 1, ... and judge the median
  ExampleSize size = ExampleSize::Small;
  Device device = kCPU;  ///< where those that train do so; data and random numbers are the same
  std::filesystem::path pictures = {};  ///< the folder they go to; empty: none are made

  std::vector<uint64_t> all_seeds() const {
    std::vector<uint64_t> all(static_cast<std::size_t>(seeds));
    std::iota(all.begin(), all.end(), seed);
    return all;
  }
};

}  // namespace notape
