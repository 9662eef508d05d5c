// Layout: how the same values may lie in memory.
#pragma once
#include "verify/generate/choice_draw.h"

namespace notape::verify {

/// The values of a tensor in row-major order; float32, int64 and bool values are exact in double.
using Numbers = std::vector<double>;

struct Layout {
  enum class Kind : uint8_t {
    Contiguous,
    Offset,    ///< row-major, not at the start of its storage
    Permuted,  ///< dense, dimensions in another order
    Slice,     ///< a box out of a larger tensor
    Step,      ///< every other element of a larger tensor
    SlicedPermuted,
    Expanded,  ///< one dimension of stride 0: its values are equal
  };
  Kind kind = Kind::Contiguous;
  uint32_t pick = 0;  ///< which dimension, permutation or offset
};

Layout draw_layout(ChoiceDraw& draw);

/// The dimension that an Expanded layout repeats; -1 for other kinds or without a dimension.
int64_t expanded_dim(const Layout& layout, const std::vector<int64_t>& sizes);
/// Makes `values` equal along `dim`.
void repeat_along(Numbers& values, const std::vector<int64_t>& sizes, int64_t dim);

/// A leaf with these values in this layout. Memory between and around them holds poison: NaN, an
/// index far out of range, or true.
Tensor make_tensor(const Numbers& values, const std::vector<int64_t>& sizes, ScalarType dtype,
                   Device device = {}, const Layout& layout = {});
/// The values of any tensor, read from its memory.
Numbers numbers_of(const Tensor& tensor);

/// "permuted", and the strides.
std::string describe(const Tensor& tensor, const Layout& layout);

}  // namespace notape::verify
