// Indexing. Indices are int64 and in range (IndexError, nothing changed); repeated ones accumulate
// in the gradient.
#pragma once
#include <variant>

#include "ops/at.h"

namespace notape {

namespace indexing {

inline constexpr std::nullopt_t None = std::nullopt;

struct EllipsisIndexType {};
inline constexpr EllipsisIndexType Ellipsis{};

/// start:stop:step, each optional; step > 0.
struct Slice {
  Slice(std::optional<int64_t> start = {}, std::optional<int64_t> stop = {},
        std::optional<int64_t> step = {})
      : start(start), stop(stop), step(step.value_or(1)) {}
  std::optional<int64_t> start, stop;
  int64_t step;
};

/// One index: an integer, a Slice, None (a new dimension), Ellipsis, a bool, or an int64 or bool
/// (uint8) Tensor. A 0-d Tensor counts as the number it holds.
class TensorIndex {
 public:
  using Value = std::variant<int64_t, Slice, std::nullopt_t, EllipsisIndexType, bool, Tensor>;
  TensorIndex(int64_t index) : value(index) {}
  TensorIndex(int index) : value(static_cast<int64_t>(index)) {}
  TensorIndex(Slice slice) : value(slice) {}
  TensorIndex(std::nullopt_t) : value(std::nullopt) {}
  TensorIndex(EllipsisIndexType) : value(EllipsisIndexType()) {}
  TensorIndex(const char* text);  ///< "..."
  TensorIndex(bool keep) : value(keep) {}
  TensorIndex(Tensor indices) : value(std::move(indices)) {}
  Value value;
};

}  // namespace indexing

/// self[indices] by NumPy's rules: a view if no tensor is among them, else a copy. As in LibTorch
/// integers select first, so that x[0, :, i] keeps the dimensions of i last.
Tensor index(const Tensor& self, const std::vector<indexing::TensorIndex>& indices,
             At at = At::current());
/// self[indices] = values, broadcast and converted, as one write to self. Of repeated indices the
/// last write counts.
Tensor& index_put_(Tensor& self, const std::vector<indexing::TensorIndex>& indices,
                   const Tensor& values, At at = At::current());
/// Slices of self along `dim`, one per entry of the 1-d `index`.
Tensor index_select(const Tensor& self, int64_t dim, const Tensor& index, At at = At::current());
/// out[i][j] = self[index[i][j]][j] for dim 0.
Tensor gather(const Tensor& self, int64_t dim, const Tensor& index, At at = At::current());
/// A copy of self with source added: out[index[i][j]][j] += source[i][j] for dim 0.
Tensor scatter_add(const Tensor& self, int64_t dim, const Tensor& index, const Tensor& source,
                   At at = At::current());
/// A copy of self with the slices of source added at the entries of the 1-d `index`.
Tensor index_add(const Tensor& self, int64_t dim, const Tensor& index, const Tensor& source,
                 At at = At::current());

}  // namespace notape
