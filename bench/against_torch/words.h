// Values as they travel between compare.py and this program: words on a line, numbers as C's %a.
//   T DTYPE GRADIENT RANK SIZE... ENTRY...   a tensor, whose gradient is wanted or not (0, 1)
//   i 3   f 0x1.8p+0   b 1   sTEXT   d DTYPE   N         numbers, a flag, a text, a dtype, nothing
//   I COUNT 3...   L COUNT VALUE...                      whole numbers, any values
//   slice VALUE VALUE VALUE   ...                        what only indexing takes
#pragma once
#include <iosfwd>

#include "ops/functions/value.h"

namespace notape::against_torch {

using functions::Value;

/// The next value of a line. Throws std::runtime_error for what is none.
Value read_value(std::istream& words);

/// "DTYPE SHARED RANK SIZE... ENTRY..."; SHARED says whether `tensor` shows memory of `of`. "N" if
/// it is undefined.
void write_tensor(std::ostream& out, const Tensor& tensor, const Tensor& of = {});

}  // namespace notape::against_torch
