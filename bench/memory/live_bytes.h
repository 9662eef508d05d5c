// What this process has asked of the system's allocator and not given back. The program that links
// live_bytes.cpp replaces malloc and its relatives, for its libraries, too.
#pragma once
#include <cstdint>

namespace memory {

/// Bytes of all blocks that are alive, of every thread; a block that is cached counts. Blocks that
/// malloc itself maps count as others do; what libraries map by mmap (OpenBLAS's buffers) does not.
int64_t live_bytes() noexcept;
/// The largest live_bytes() since the last reset_peak().
int64_t peak_bytes() noexcept;
void reset_peak() noexcept;

}  // namespace memory
