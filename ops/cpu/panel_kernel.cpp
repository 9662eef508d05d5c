#include "ops/cpu/panel_kernel.h"

namespace notape {
namespace {

template <int Lanes>
constexpr int kRows = Lanes == 16 ? 12 : 6;  // as registers allow

template <int Lanes>
[[gnu::always_inline]] inline void multiply_tile(int64_t words, const uint32_t* a,
                                                 const uint32_t* b, float* sums, bool adds) {
  using Vector = FloatLanes<Lanes>;
  Vector tile[kRows<Lanes>][2] = {};
  if (adds)
#pragma GCC unroll 16
    for (int i = 0; i < kRows<Lanes>; ++i)
      for (int j = 0; j < 2; ++j) load(tile[i][j], sums + (2 * i + j) * Lanes);
  for (int64_t k = 0; k < words; ++k, a += kRows<Lanes>, b += 2 * Lanes) {
    Vector row[2];
    for (int j = 0; j < 2; ++j) load(row[j], b + j * Lanes);
#pragma GCC unroll 16
    for (int i = 0; i < kRows<Lanes>; ++i) {
      const auto factor = reinterpret_cast<Vector>(a[i] + Words<Lanes>{});
      for (int j = 0; j < 2; ++j) add_product(tile[i][j], factor, row[j]);
    }
  }
#pragma GCC unroll 16
  for (int i = 0; i < kRows<Lanes>; ++i)
    for (int j = 0; j < 2; ++j) store(sums + (2 * i + j) * Lanes, tile[i][j]);
}

void multiply_256(int64_t words, const uint32_t* a, const uint32_t* b, float* sums, bool adds) {
  multiply_tile<8>(words, a, b, sums, adds);
}
template <typename Word, int Width>
void pack_256(uint32_t* to, int64_t words, const Lines<typename Word::Element>& from) {
  pack_panel<Word, 8, Width>(to, words, from);
}

#ifdef __x86_64__
[[gnu::target("avx512f,avx512bw,avx512dq,avx512vl")]] void multiply_512(int64_t words,
                                                                        const uint32_t* a,
                                                                        const uint32_t* b,
                                                                        float* sums, bool adds) {
  multiply_tile<16>(words, a, b, sums, adds);
}
template <typename Word, int Width>
[[gnu::target("avx512f,avx512bw,avx512dq,avx512vl")]] void pack_512(
    uint32_t* to, int64_t words, const Lines<typename Word::Element>& from) {
  pack_panel<Word, 16, Width>(to, words, from);
}
#endif

template <typename T>
std::vector<PanelKernel<T>> find_kernels() {
  using Word = WordOfFloat<T>;
  std::vector<PanelKernel<T>> found;
#ifdef __x86_64__
  if constexpr (std::same_as<T, BFloat16>) found = amx_kernels();
  if (float_lanes() == 16)
    found.push_back(
        {"AVX-512", 12, 32, 1, 1, pack_512<Word, 12>, pack_512<Word, 32>, multiply_512});
#endif
  found.push_back({"256 bits", 6, 16, 1, 1, pack_256<Word, 6>, pack_256<Word, 16>, multiply_256});
  return found;
}

}  // namespace

template <typename T>
const std::vector<PanelKernel<T>>& panel_kernels() {
  static const auto& found = *new auto(find_kernels<T>());
  return found;
}
template const std::vector<PanelKernel<Half>>& panel_kernels();
template const std::vector<PanelKernel<BFloat16>>& panel_kernels();

}  // namespace notape
