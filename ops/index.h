// Indexing. Tensors of indices are int64 and in range (IndexError, nothing changed); of index and
// index_put_ they may be negative and count from the end. They have no derivative; in the gradient
// of what they select repeated ones add up. What no index selects has gradient exactly 0.
// All throw UndefinedTensor and DeviceError. scatter_add and index_add are not members of Tensor.
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

/// self[indices] by NumPy's rules: a view if no tensor is among them, else a copy. Tensors
/// broadcast together; a bool one counts as the positions where it holds. As in LibTorch integers
/// select first, so that x[0, :, i] keeps the dimensions of i last. Throws IndexError for an index
/// out of range, too many of them, two ellipses, another dtype, a mask of another shape or tensors
/// that do not broadcast; ValueError for a slice whose step is not positive.
Tensor index(const Tensor& self, const std::vector<indexing::TensorIndex>& indices,
             At at = At::current());
/// self[indices] = values, broadcast (ShapeError) and converted, as one write to self. Of repeated
/// indices the last write counts, and only the value that stays has a gradient; what was
/// overwritten has none. Throws as index does, and as every write does.
Tensor& index_put_(Tensor& self, const std::vector<indexing::TensorIndex>& indices,
                   const Tensor& values, At at = At::current());
/// Slices of self along `dim`, one per entry of `index` (n) or (): a copy of self's shape with n
/// for the size of dim. Throws IndexError, also for a negative index.
Tensor index_select(const Tensor& self, int64_t dim, const Tensor& index, At at = At::current());
/// out[i][j] = self[index[i][j]][j] for dim 0 and so on, of index's shape; its derivative is
/// scatter_add. Apart from dim, index may be smaller than self. Throws ShapeError unless both have
/// as many dimensions and index fits (an empty index always does), and IndexError, also for a
/// negative index.
Tensor gather(const Tensor& self, int64_t dim, const Tensor& index, At at = At::current());
/// A copy of self with source added: out[index[i][j]][j] += source[i][j] for dim 0 and so on;
/// d/dself = 1,  d/dsource = the gradient gathered, 0 where source is larger than index. Throws
/// ShapeError if index does not fit into source or self, DtypeError unless self and source have one
/// dtype, and IndexError, also for a negative index.
Tensor scatter_add(const Tensor& self, int64_t dim, const Tensor& index, const Tensor& source,
                   At at = At::current());
/// A copy of self with slices of source added: out[.., index[i], ..] += source[.., i, ..] for index
/// (n) or () and source of self's shape with n for the size of dim;  d/dself = 1,  d/dsource = the
/// gradient's slices at index. Errors as for scatter_add.
Tensor index_add(const Tensor& self, int64_t dim, const Tensor& index, const Tensor& source,
                 At at = At::current());

}  // namespace notape
