// Edits: what wrong rules do to right gradients. All are differentiable, so that a planted mistake
// is wrong in nothing but what it is about.
#pragma once
#include "verify/mutate/mutant.h"

namespace notape::verify::mutate {

/// A constant with the dtype of `like`.
Tensor constant(const Numbers& values, const std::vector<int64_t>& sizes, const Tensor& like);
/// Entry o is entry from[o] of `t` in row-major order, or 0 where from[o] is negative.
Tensor picked(const Tensor& t, const std::vector<int64_t>& from, const std::vector<int64_t>& sizes);
/// `t` with every entry 0 for which `is_lost(i, numel)` holds.
Tensor without(const Tensor& t, bool (*is_lost)(int64_t i, int64_t numel));
/// In reverse order of entries.
Tensor reversed(const Tensor& t);
/// Rounded to so many bits of mantissa; its derivative is that of no rounding.
Tensor rounded(const Tensor& t, int bits);

/// What a kernel reads that takes the elements of `t` from the memory in a row.
Tensor as_if_contiguous(const Tensor& t);
/// What a kernel reads that starts at the beginning of the storage.
Tensor as_if_without_offset(const Tensor& t);

/// Which entry of the site's argument each entry of the result is a copy of.
std::vector<int64_t> sources(const Site& site);

inline std::size_t at(int64_t i) { return static_cast<std::size_t>(i); }
inline std::vector<int64_t> sizes_of(const Tensor& t) { return t.sizes().vec(); }
/// The right answers.
inline Tensor right_gradient(const Site& s, const Tensor& v) {
  return s.right.gradient(s.argument, s.x, v);
}
inline Tensor right_tangent(const Site& s, const Tensor& t) {
  return s.right.tangent(s.argument, s.x, t);
}
/// A rule that edits the right gradient, if there is one.
template <typename Edit>
Rules::Rule edited_gradient(Edit edit) {
  return [edit](const Site& s, const Tensor& v) {
    const Tensor g = right_gradient(s, v);
    return g.defined() ? edit(g) : g;
  };
}

/// A mistake that has its place in every call.
inline auto anywhere(const Rules& rules) {
  return [rules](const Target&) { return rules; };
}

}  // namespace notape::verify::mutate
