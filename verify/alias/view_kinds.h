// The views the campaign takes: each with its effect on a window, its call, and its C++ text.
#pragma once
#include <string>

#include "autograd/tensor/tensor.h"
#include "verify/alias/draws.h"

namespace notape::verify::alias {

struct ViewKind {
  const char* name = "";
  /// What `n` means for this window; false if nothing. A negative `output` is the one output.
  bool (*window)(const Window& from, const Numbers& n, int output, Window& result) = nullptr;
  /// Null for multi-output views.
  Tensor (*call)(const Tensor& x, const Numbers& n) = nullptr;
  /// Null for others.
  std::vector<Tensor> (*call_all)(const Tensor& x, const Numbers& n) = nullptr;
  std::string (*text)(const Numbers& n) = nullptr;  ///< "select(0, 1)"
  /// Numbers that mean something for this window, mostly.
  Numbers (*propose)(Draws& draws, const Window& from) = nullptr;
  bool reads_strides = false;  ///< not only sizes
  bool may_copy = false;       ///< a copy where no view exists
  bool whole_only = false;     ///< refers to the storage: its family must cover that
  bool joins_dims = false;     ///< refused where elements overlap
};

inline constexpr uint8_t kSliceKind = 0, kSelectKind = 2, kExpandKind = 6;
/// Where the numbers of a multi-output view say which outputs are kept, and those of view and
/// reshape how many dimensions there are.
inline constexpr std::size_t kFirstOutput = 4, kSecondOutput = 5, kRank = 5;

std::span<const ViewKind> view_kinds();

}  // namespace notape::verify::alias
