// What decompositions share: checks of their matrices, and these as LAPACK takes them.
#pragma once
#include <array>

#include "ops/core/allocate.h"
#include "ops/core/promotion.h"

namespace notape {

/// The dimensions before the last two.
inline IntArrayRef batch_sizes(const Tensor& matrices) {
  return {matrices.sizes().data(), static_cast<std::size_t>(matrices.dim() - 2)};
}
/// `batch` with `last` behind it.
std::vector<int64_t> sizes_of(IntArrayRef batch, std::initializer_list<int64_t> last);

/// Throws UndefinedTensor, ShapeError unless there are two dimensions or more, and DtypeError
/// unless the type is float32 or float64.
void check_matrices(const Operation& op, const Tensor& self, const char* name = "A");
/// And ShapeError unless they are square.
void check_square(const Operation& op, const Tensor& self);

/// The same with the last two dimensions exchanged; a view.
Tensor transposed(const Tensor& matrices);

/// (count, rows, columns), column-major and uninitialised.
Tensor allocate_columns(int64_t count, int64_t rows, int64_t columns, const Tensor& like);
/// A copy of the matrices that is like this; no graph.
Tensor copy_columns(const Tensor& matrices);
/// (count, ...) with the sizes `batch` in place of the count; the same memory, no graph.
Tensor unflattened(const Tensor& flat, IntArrayRef batch);

/// What a slot is given to say of each of these (count, rows, columns).
Tensor infos_for(const Tensor& matrices);
/// Throws LinalgError, which names the one of `self`, unless least <= info <= most. See
/// check_values.h for when.
void check_infos(const Operation& op, const Tensor& self, const Tensor& infos, double least,
                 double most, const char* words);

/// over_batch() for several results; f returns an array of them.
template <typename F, typename... Operands>
auto over_batch_each(const F& f, const Operands&... operands) {
  const BatchLevel level = levels_of({&operands...}).back();
  auto results = f(peel(operands, level)...);
  for (Tensor& result : results)
    if (result.defined()) result = wrap(result, level);
  return results;
}

}  // namespace notape
