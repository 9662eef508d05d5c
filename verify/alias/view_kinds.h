// The views the campaign takes: each with its effect on a window, its call, and its C++ text.
#pragma once
#include <string>

#include "autograd/tensor/tensor.h"
#include "verify/alias/window.h"

namespace notape::verify::alias {

using Numbers = std::array<int8_t, 6>;

struct ViewKind {
  const char* name;
  /// What `n` means for this window; false if nothing. A negative `output` is the one output.
  bool (*window)(const Window& from, const Numbers& n, int output, Window& result);
  Tensor (*call)(const Tensor& x, const Numbers& n);  ///< null for multi-output views
  std::vector<Tensor> (*call_all)(const Tensor& x, const Numbers& n);  ///< null for others
  std::string (*text)(const Numbers& n);                               ///< "select(0, 1)"
  bool reads_strides = false;                                          ///< not only sizes
  bool may_copy = false;    ///< a copy where no view exists
  bool whole_only = false;  ///< refers to the storage: its family must cover that
};

inline constexpr std::size_t kSliceKind = 0, kSelectKind = 2;

/// n[4] is the first output of a multi-output view that is kept, n[5] the second.
std::span<const ViewKind> view_kinds();

}  // namespace notape::verify::alias
