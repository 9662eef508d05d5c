// What a processor multiplies panels with: tiles of the result that fit its registers, and the
// order in which they read the numbers of both factors.
#pragma once
#include <cstdint>
#include <vector>

#include "ops/cpu/panels.h"

namespace notape {

/// Panels are words of 32 bits, which hold one term as a float or two as they are.
template <typename T>
struct PanelKernel {
  using Pack = void (*)(uint32_t* to, int64_t words, const Lines<T>& from);

  const char* name;
  int64_t rows, columns;  ///< of a tile: lines of the left panel and of the right one
  int64_t terms_per_word, word_step;
  Pack pack_left, pack_right;
  /// sums (rows, columns) = the product of two panels, or += where it adds; as floats
  void (*multiply)(int64_t words, const uint32_t* a, const uint32_t* b, float* sums, bool adds);
  void (*begin)() = nullptr, (*end)() = nullptr;  ///< on the thread that multiplies, if not null
};

/// Those whose instructions this processor has, the fastest first. T: Half, BFloat16.
template <typename T>
const std::vector<PanelKernel<T>>& panel_kernels();

/// Of AMX, if the processor and the system have it.
std::vector<PanelKernel<BFloat16>> amx_kernels();

}  // namespace notape
