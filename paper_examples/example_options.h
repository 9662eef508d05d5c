// What may be asked of an example that trains, beyond a plain run.
#pragma once
#include <cstdint>

namespace notape {

enum class ExampleSize { Small, Full };

struct ExampleOptions {
  int64_t seeds = 1;  ///< it trains with seeds 0, 1, ... and judges the median
  ExampleSize size = ExampleSize::Small;
};

}  // namespace notape
