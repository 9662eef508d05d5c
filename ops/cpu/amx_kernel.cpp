// Products of bfloat16 by the matrix registers of Intel's server processors (Intel Architecture
// Instruction Set Extensions Programming Reference, chapter 3).
#include "ops/cpu/panel_kernel.h"

#ifdef __x86_64__
#include <cpuid.h>
#include <immintrin.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace notape {
namespace {

constexpr int64_t kSide = 16, kTile = 2 * kSide;  // of a register, words and lines; of four

/// Whether the system keeps these registers for this process's threads, which has to be asked for.
bool is_granted() {
  constexpr long kAskPermission = 0x1023, kTileData = 18;
  return ::syscall(SYS_arch_prctl, kAskPermission, kTileData) == 0;
}

bool has_instructions() {
  unsigned a = 0, b = 0, c = 0, d = 0;
  constexpr unsigned kBFloat16 = 1u << 22, kTiles = 1u << 24;
  return __get_cpuid_count(7, 0, &a, &b, &c, &d) && (d & kBFloat16) && (d & kTiles);
}

[[gnu::target("amx-tile")]] void begin() {
  struct alignas(64) {
    uint8_t palette = 1, start_row = 0, reserved[14] = {};
    uint16_t bytes_of_row[16] = {};
    uint8_t rows[16] = {};
  } shape;
  for (int i = 0; i < 8; ++i) {
    shape.bytes_of_row[i] = kSide * sizeof(uint32_t);
    shape.rows[i] = kSide;
  }
  asm volatile("ldtilecfg %0" : : "m"(shape));  // GCC's function for it reads eight bytes
}
[[gnu::target("amx-tile")]] void end() { _tile_release(); }

[[gnu::target("amx-tile,amx-bf16")]] void multiply_tiles(int64_t words, const uint32_t* a,
                                                         const uint32_t* b, float* sums,
                                                         bool adds) {
  constexpr int64_t kRow = kSide * sizeof(uint32_t);
  float* const below = sums + kSide * kTile;
  if (adds) {
    _tile_loadd(0, sums, 2 * kRow);
    _tile_loadd(1, sums + kSide, 2 * kRow);
    _tile_loadd(2, below, 2 * kRow);
    _tile_loadd(3, below + kSide, 2 * kRow);
  } else {
    _tile_zero(0);
    _tile_zero(1);
    _tile_zero(2);
    _tile_zero(3);
  }
  for (int64_t k = 0; k < words; k += kSide, a += kTile * kSide, b += kTile * kSide) {
    _tile_loadd(4, a, kRow);
    _tile_loadd(6, b, 2 * kRow);
    _tile_loadd(7, b + kSide, 2 * kRow);
    _tile_loadd(5, a + kSide * kSide, kRow);
    _tile_dpbf16ps(0, 4, 6);
    _tile_dpbf16ps(1, 4, 7);
    _tile_dpbf16ps(2, 5, 6);
    _tile_dpbf16ps(3, 5, 7);
  }
  _tile_stored(0, sums, 2 * kRow);
  _tile_stored(1, sums + kSide, 2 * kRow);
  _tile_stored(2, below, 2 * kRow);
  _tile_stored(3, below + kSide, 2 * kRow);
}

[[gnu::target("avx512f,avx512bw,avx512dq,avx512vl")]] void pack_left(uint32_t* to, int64_t words,
                                                                     const Lines<BFloat16>& from) {
  pack_pieces<WordOfPair, kSide, kTile>(to, words, from);
}
[[gnu::target("avx512f,avx512bw,avx512dq,avx512vl")]] void pack_right(uint32_t* to, int64_t words,
                                                                      const Lines<BFloat16>& from) {
  pack_panel<WordOfPair, kSide, kTile>(to, words, from);
}

}  // namespace

std::vector<PanelKernel<BFloat16>> amx_kernels() {
  if (float_lanes() != 16 || !has_instructions() || !is_granted()) return {};
  return {{"AMX", kTile, kTile, 2, kSide, pack_left, pack_right, multiply_tiles, begin, end}};
}

}  // namespace notape
#endif
