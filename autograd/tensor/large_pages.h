// Fresh memory of many pages comes faster in large ones, where the system has some.
#pragma once
#include <sys/mman.h>

#include <cstddef>
#include <cstdint>

namespace notape {

/// For a block that nobody has touched yet; small ones stay as they are. (NumPy asks from the same
/// size on.)
inline void ask_for_large_pages(void* block, std::size_t bytes) noexcept {
  constexpr std::size_t kPage = 4096, kFewest = std::size_t{4} << 20;
  if (bytes < kFewest) return;
  const std::size_t before = -reinterpret_cast<uintptr_t>(block) % kPage;
  madvise(static_cast<char*>(block) + before, bytes - before, MADV_HUGEPAGE);
}

}  // namespace notape
