// Resampling: each of the last dimensions mapped linearly, y[i, j] = sum over k, l of A[i, k] B[j,
// l] x[k, l] with sparse matrices. Average pooling, interpolation and padding by reflection are of
// this form. The derivative is the same operator with the matrices transposed, to every order.
#pragma once
#include <memory>

#include "ops/at.h"
#include "ops/core/kernel_slot.h"

namespace notape {

/// A sparse matrix, row by row.
struct SparseRows {
  int64_t columns = 0;
  std::vector<int64_t> starts = {0};  // of each row, and the end of the last
  std::vector<int64_t> sources;       // columns
  std::vector<double> weights;

  int64_t rows() const { return static_cast<int64_t>(starts.size()) - 1; }
  /// An entry of the last row, which end_row() closes. Entries in one column add up, and zeros are
  /// left out: what has no weight is not read.
  void add(int64_t column, double weight);
  void end_row();
  SparseRows transposed() const;
};

/// What a dimension is mapped by.
struct LinearMap {
  std::shared_ptr<const SparseRows> rows, transposed;

  explicit LinearMap(SparseRows matrix);
  LinearMap back() const { return LinearMap(transposed, rows); }

 private:
  LinearMap(std::shared_ptr<const SparseRows> a, std::shared_ptr<const SparseRows> b)
      : rows(std::move(a)), transposed(std::move(b)) {}
};

/// Entry i of the result is entry sources[i].
LinearMap picking(const std::vector<int64_t>& sources, int64_t columns);

enum class Weights : uint8_t {
  OfOneSign,  ///< structural zeros move as entries do
  Mixed
};

/// The last maps.size() dimensions of x mapped, in the result's type with one rounding for numbers
/// of 16 bits; sums in double. `node` is the name of the node. bool: NoKernel. Integers take whole
/// weights.
Tensor resample(const Operation& op, const char* node, const Tensor& x, std::vector<LinearMap> maps,
                Weights weights = Weights::OfOneSign);

/// x (outer, columns, inner) -> result (outer, rows, inner), row-major.
using ResampleKernel = Kernel<void(const Operation&, const Tensor& result, const Tensor& x,
                                   const SparseRows& matrix, int64_t inner)>;
extern ResampleKernel resample_kernel;

}  // namespace notape
