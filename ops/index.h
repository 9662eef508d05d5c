// Indexing. Tensors of indices are of any integer dtype and in range (IndexError, nothing changed;
// on a GPU the next call that waits for it throws, see cuda/README.md, "Streams"); of index and
// index_put_ they are int64 or int32, may be negative and count from the end. They have no
// derivative; in the gradient of what they select repeated ones add up. What no index selects has
// gradient exactly 0. All throw UndefinedTensor and DeviceError.
#pragma once
#include <optional>
#include <string_view>
#include <tuple>
#include <variant>

#include "ops/at.h"

namespace notape {

namespace indexing {

inline constexpr std::nullopt_t None = std::nullopt;

struct EllipsisIndexType {};
inline constexpr EllipsisIndexType Ellipsis{};

/// start:stop:step, each optional; step > 0.
struct Slice {
  Slice(std::optional<Integer> start = {}, std::optional<Integer> stop = {},
        std::optional<Integer> step = {})
      : start(start), stop(stop), step(step.value_or(1)) {}
  std::optional<int64_t> start, stop;
  int64_t step;
};

/// One index: an integer, a Slice, None (a new dimension), Ellipsis, a bool, or an int64, int32 or
/// bool (uint8) Tensor. A 0-d Tensor counts as the number it holds.
class TensorIndex {
 public:
  using Value = std::variant<int64_t, Slice, std::nullopt_t, EllipsisIndexType, bool, Tensor>;
  template <WholeNumber T>
  TensorIndex(T index) : value(int64_t{Integer(index)}) {}
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
Tensor index_select(const Tensor& self, Integer dim, const Tensor& index, At at = At::current());
/// out[i][j] = self[index[i][j]][j] for dim 0 and so on, of index's shape; its derivative is
/// scatter_add. Apart from dim, index may be smaller than self. Throws ShapeError unless both have
/// as many dimensions and index fits (an empty index always does), and IndexError, also for a
/// negative index.
Tensor gather(const Tensor& self, Integer dim, const Tensor& index, At at = At::current());
/// A copy of self with source added: out[index[i][j]][j] += source[i][j] for dim 0 and so on;
/// d/dself = 1,  d/dsource = the gradient gathered, 0 where source is larger than index. Throws
/// ShapeError if index does not fit into source or self, DtypeError unless self and source have one
/// dtype, and IndexError, also for a negative index.
Tensor scatter_add(const Tensor& self, Integer dim, const Tensor& index, const Tensor& source,
                   At at = At::current());
/// A copy of self with slices of source added: out[.., index[i], ..] += source[.., i, ..] for index
/// (n) or () and source of self's shape with n for the size of dim;  d/dself = 1,  d/dsource = the
/// gradient's slices at index. Errors as for scatter_add.
Tensor index_add(const Tensor& self, Integer dim, const Tensor& index, const Tensor& source,
                 At at = At::current());

/// A copy of self with out[index[i][j]][j] = src[i][j] for dim 0 and so on, or a number everywhere
/// there. Of repeated places the last in row-major order stays, and it alone has the gradient; d/d
/// self = 1 where nothing was written and exactly 0 elsewhere. Throws ShapeError if index does not
/// fit into src or self, DtypeError unless self and src have one dtype, ValueError for a number
/// that the dtype cannot hold, and IndexError, also for a negative index.
Tensor scatter(const Tensor& self, Integer dim, const Tensor& index, const Tensor& src,
               At at = At::current());
Tensor scatter(const Tensor& self, Integer dim, const Tensor& index, Scalar value,
               At at = At::current());
Tensor& scatter_(Tensor& self, Integer dim, const Tensor& index, const Tensor& src,
                 At at = At::current());
Tensor& scatter_(Tensor& self, Integer dim, const Tensor& index, Scalar value,
                 At at = At::current());
/// scatter_add and index_add in place; index_add with a factor of source.
Tensor& scatter_add_(Tensor& self, Integer dim, const Tensor& index, const Tensor& source,
                     At at = At::current());
Tensor index_add(const Tensor& self, Integer dim, const Tensor& index, const Tensor& source,
                 Scalar alpha, At at = At::current());
Tensor& index_add_(Tensor& self, Integer dim, const Tensor& index, const Tensor& source,
                   Scalar alpha = 1, At at = At::current());
/// The elements of self where the mask holds, in one dimension, both broadcast. Throws DtypeError
/// unless the mask is bool, ShapeError if they do not broadcast.
Tensor masked_select(const Tensor& self, const Tensor& mask, At at = At::current());
/// A copy of self with self[indices] = values, or += with accumulate, where repeated indices add
/// up; of repeated ones otherwise the last stays and has the gradient. Throws as index_put_ does,
/// and DtypeError unless self and values have one dtype.
Tensor index_put(const Tensor& self, const std::vector<indexing::TensorIndex>& indices,
                 const Tensor& values, bool accumulate = false, At at = At::current());
Tensor& index_put_(Tensor& self, const std::vector<indexing::TensorIndex>& indices,
                   const Tensor& values, bool accumulate, At at = At::current());
/// With a number: ValueError if self's dtype cannot hold it.
Tensor& index_put_(Tensor& self, const std::vector<indexing::TensorIndex>& indices, Scalar value,
                   At at = At::current());
/// weight[indices]: (n, d) and indices of any shape -> (.., d). Row padding_idx gets no gradient
/// (-1: there is none), and with scale_grad_by_freq a row's is divided by how often it was taken;
/// tangents are treated alike. Throws ShapeError unless weight has two dimensions, IndexError for
/// an index out of range, ValueError for sparse, which there is not. Not a member.
Tensor embedding(const Tensor& weight, const Tensor& indices, Integer padding_idx = -1,
                 bool scale_grad_by_freq = false, bool sparse = false, At at = At::current());
/// The index tuples of the elements that are not 0, row by row: (n, self.dim()), int64. Inside
/// vmap: BatchingNotImplemented.
Tensor nonzero(const Tensor& self, At at = At::current());
/// nonzero(condition), each of its columns a tensor: the indices of condition's true elements.
std::vector<Tensor> where(const Tensor& condition, At at = At::current());
/// How often each number from 0 on stands in self, integers (n): (the largest + 1, at least
/// minlength), int64; or the sums of their weights (n), float32 where these are, else float64. The
/// weights have a gradient (LibTorch: none). Throws ValueError for another self.
Tensor bincount(const Tensor& self, const Tensor& weights = {}, Integer minlength = 0,
                At at = At::current());
/// 1 at place self[..] of a new last dimension of size num_classes (-1: the largest class + 1), 0
/// elsewhere: int64. Throws DtypeError unless self is int64, ValueError for a class out of range or
/// if nothing says how many there are. Not a member.
Tensor one_hot(const Tensor& self, Integer num_classes = -1, At at = At::current());
/// {self without elements, or slices along dim, that equal the one before, for each the number of
/// the one it went to, how many went to each}; the last two are undefined unless asked for. NaN
/// equals nothing. The gradient goes to the first of equals (LibTorch has none). Throws ShapeError
/// if another dimension than dim has size 0 and dim has not.
std::tuple<Tensor, Tensor, Tensor> unique_consecutive(const Tensor& self,
                                                      bool return_inverse = false,
                                                      bool return_counts = false,
                                                      std::optional<Integer> dim = {},
                                                      At at = At::current());
/// Where each value would be inserted into a sorted sequence, before equal elements, or with right
/// behind them: int64, or int32. The sequence is one (n), or has one row per row of values: (.., n)
/// and (.., m) -> (.., m). Compared in the common dtype. NaN goes to the end, and in a sequence it
/// is the largest (LibTorch: no order). sorter, int64, are the indices that sort it. Throws
/// ShapeError, ValueError if side, "left" or "right", contradicts right, IndexError for a bad
/// sorter. Not members.
Tensor searchsorted(const Tensor& sorted_sequence, const Tensor& self, bool out_int32 = false,
                    bool right = false, std::optional<std::string_view> side = {},
                    const Tensor& sorter = {}, At at = At::current());
Tensor searchsorted(const Tensor& sorted_sequence, Scalar self, bool out_int32 = false,
                    bool right = false, std::optional<std::string_view> side = {},
                    const Tensor& sorter = {}, At at = At::current());
Tensor bucketize(const Tensor& self, const Tensor& boundaries, bool out_int32 = false,
                 bool right = false, At at = At::current());
Tensor bucketize(Scalar self, const Tensor& boundaries, bool out_int32 = false, bool right = false,
                 At at = At::current());
/// Whether each element is (with invert: is not) among test_elements, in the promoted dtype; NaN
/// never is. assume_unique changes nothing. bool is taken, too (LibTorch refuses it). Not members.
Tensor isin(const Tensor& elements, const Tensor& test_elements, bool assume_unique = false,
            bool invert = false, At at = At::current());
Tensor isin(const Tensor& elements, Scalar test_element, bool assume_unique = false,
            bool invert = false, At at = At::current());
Tensor isin(Scalar element, const Tensor& test_elements, bool assume_unique = false,
            bool invert = false, At at = At::current());

/// The elements at indices into self, flattened, which may count from the end: of index's shape.
/// Throws IndexError out of range.
Tensor take(const Tensor& self, const Tensor& index, At at = At::current());
/// gather(), self and indices broadcast together but for dim; without dim of self, flattened.
/// Throws ShapeError unless both have as many dimensions.
Tensor take_along_dim(const Tensor& self, const Tensor& indices, std::optional<Integer> dim = {},
                      At at = At::current());
/// A copy of self with out[.., index[i], ..] = source[.., i, ..] for index (n) or (), or a number
/// everywhere there; of repeated ones the last stays and has the gradient. index of index_fill may
/// count from the end. Errors as for index_add.
Tensor index_copy(const Tensor& self, Integer dim, const Tensor& index, const Tensor& source,
                  At at = At::current());
Tensor& index_copy_(Tensor& self, Integer dim, const Tensor& index, const Tensor& source,
                    At at = At::current());
Tensor index_fill(const Tensor& self, Integer dim, const Tensor& index, Scalar value,
                  At at = At::current());
Tensor& index_fill_(Tensor& self, Integer dim, const Tensor& index, Scalar value,
                    At at = At::current());
/// The same with a 0-d value (else ShapeError), converted to self's dtype.
Tensor index_fill(const Tensor& self, Integer dim, const Tensor& index, const Tensor& value,
                  At at = At::current());
Tensor& index_fill_(Tensor& self, Integer dim, const Tensor& index, const Tensor& value,
                    At at = At::current());

/// scatter with a reduction: "add" or "multiply", as LibTorch's older names of "sum" and "prod".
Tensor scatter(const Tensor& self, Integer dim, const Tensor& index, const Tensor& src,
               std::string_view reduce, At at = At::current());
Tensor& scatter_(Tensor& self, Integer dim, const Tensor& index, const Tensor& src,
                 std::string_view reduce, At at = At::current());
Tensor scatter(const Tensor& self, Integer dim, const Tensor& index, Scalar value,
               std::string_view reduce, At at = At::current());
Tensor& scatter_(Tensor& self, Integer dim, const Tensor& index, Scalar value,
                 std::string_view reduce, At at = At::current());
/// A copy of self in which each element is reduced with the elements of src that index sends to it,
/// out[index[i][j]][j] for dim 0 and so on: "sum", "prod", "mean", "amax" or "amin" (ValueError).
/// Without include_self what self holds there is left out; elements that nothing is sent to stay.
/// Ties of amax and amin share the gradient evenly. Errors as for scatter; DtypeError unless self
/// and src have one dtype.
Tensor scatter_reduce(const Tensor& self, Integer dim, const Tensor& index, const Tensor& src,
                      std::string_view reduce, bool include_self = true, At at = At::current());
Tensor& scatter_reduce_(Tensor& self, Integer dim, const Tensor& index, const Tensor& src,
                        std::string_view reduce, bool include_self = true, At at = At::current());
/// Sums (mode 0), means (1) or largest (2) of rows weight[indices] over bags: {(bags, d),
/// offset2bag, bag_size, max_indices}, the last three int64 and without derivative. indices (n)
/// with offsets (bags), where each bag begins, from 0 on and ascending; with include_last_offset
/// one more, the end. per_sample_weights (n), mode 0 only (ValueError), scale the rows and have a
/// gradient. Rows of padding_idx, counted from the end if negative, are left out. Empty bags give
/// 0. Throws as embedding does. Not a member.
std::tuple<Tensor, Tensor, Tensor, Tensor> embedding_bag(
    const Tensor& weight, const Tensor& indices, const Tensor& offsets,
    bool scale_grad_by_freq = false, Integer mode = 0, bool sparse = false,
    const Tensor& per_sample_weights = {}, bool include_last_offset = false,
    std::optional<Integer> padding_idx = {}, At at = At::current());

}  // namespace notape
