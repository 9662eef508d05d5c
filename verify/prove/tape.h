// Enclosures in tensors: an entry of a float64 tensor whose bits are a certain NaN stands for one.
// So operators and the engine carry them through values and derivatives as they carry numbers, and
// the loops that are compiled for proofs compute with them.
#pragma once
#include "verify/prove/enclosure.h"

namespace notape {
/// As in ops/elementwise/kernel.h.
using ElementwiseLoop = void (*)(char* const* data, const int64_t* strides, int64_t n,
                                 const void* functor);
}  // namespace notape

namespace notape::prove {

using math::Enclosure;

/// Of a kernel's name. `own` is to hold the loop that it replaces.
void add_proving_loop(const char* name, ElementwiseLoop loop, ElementwiseLoop* own);
/// Puts these loops into the kernels, once. The operators compute with numbers as before.
void install_proving_loops();

/// The entry at this place; a number is a constant.
Enclosure enclosure_at(const char* place);
void write_enclosure(char* place, const Enclosure& value);
/// Whether some of n entries are enclosures. Bools are none.
bool has_symbols(const char* data, int64_t stride, int64_t n, bool are_bools);
/// No entry is an enclosure any more.
void forget_enclosures();

}  // namespace notape::prove
