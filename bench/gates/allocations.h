// Counts what this process asks of malloc. The program that links allocations.cpp replaces malloc
// and its relatives; `operator new` lands there too.
#pragma once
#include <cstdint>

namespace notape::bench {

/// Calls of malloc, calloc, realloc, aligned_alloc and posix_memalign on all threads so far.
uint64_t allocation_calls() noexcept;

}  // namespace notape::bench
