// What may be asked of an example that trains, draws random numbers or makes pictures, beyond a
// plain run: notape examples run NAME --seed 1 --out pictures.
#pragma once
#include <cstdint>
#include <filesystem>

namespace notape {

/// Quick: the mechanisms, and the first second or two of each training, of whose results less is
/// promised; for tests.
enum class ExampleSize : uint8_t { Quick, Small, Full };

struct ExampleOptions {
  uint64_t seed = 0;  ///< of weights, splits, noise
  int64_t seeds = 1;  ///< listing1 and listing2 train with seed, seed + 1, ... and judge the median
  ExampleSize size = ExampleSize::Small;
  std::filesystem::path pictures = {};  ///< the folder they go to; empty: none are made
};

}  // namespace notape
