#include "ops/linalg/matrices.h"

#include "ops/core/check_values.h"
#include "ops/shape.h"

namespace notape {
namespace {

/// Strides that make each matrix column-major, and the batches row-major.
Geometry columns_geometry(IntArrayRef batch, int64_t rows, int64_t columns) {
  std::vector<int64_t> strides(batch.size() + 2);
  int64_t step = std::max<int64_t>(rows, 1) * std::max<int64_t>(columns, 1);
  for (std::size_t d = batch.size(); d-- > 0; step *= std::max<int64_t>(batch[d], 1))
    strides[d] = step;
  strides[batch.size()] = 1;
  strides[batch.size() + 1] = std::max<int64_t>(rows, 1);
  return Geometry(sizes_of(batch, {rows, columns}), strides, 0);
}

}  // namespace

std::vector<int64_t> sizes_of(IntArrayRef batch, std::initializer_list<int64_t> last) {
  std::vector<int64_t> sizes(batch.begin(), batch.end());
  sizes.insert(sizes.end(), last);
  return sizes;
}

void check_matrices(const Operation& op, const Tensor& self, const char* name) {
  check_operands(op, {&self});
  if (self.dim() < 2)
    op.fail<ShapeError>("The input tensor {} must have at least 2 dimensions.", name);
  if (!self.is_floating_point())
    op.fail<DtypeError>("Expected a floating point tensor as input. Got {}",
                        type_name_of(self.dtype()));
  if (is_reduced_floating_point(self.dtype()))
    op.fail<DtypeError>("Low precision dtypes not supported. Got {}", type_name_of(self.dtype()));
}

void check_square(const Operation& op, const Tensor& self) {
  check_matrices(op, self);
  if (self.size(-1) != self.size(-2))
    op.fail<ShapeError>("A must be batches of square matrices, but they are {} by {} matrices",
                        self.size(-2), self.size(-1));
}

Tensor transposed(const Tensor& matrices) { return transpose(matrices, -2, -1); }

Tensor allocate_columns(int64_t count, int64_t rows, int64_t columns, const Tensor& like) {
  return allocate(columns_geometry(IntArrayRef({count}), rows, columns), like.dtype(),
                  like.device());
}

Tensor copy_columns(const Tensor& matrices) {
  const IntArrayRef batch = batch_sizes(matrices);
  const int64_t rows = matrices.size(-2), columns = matrices.size(-1);
  const int64_t count = Geometry(batch).numel();
  Tensor flat = allocate_columns(count, rows, columns, matrices);
  raw_copy(unflattened(flat, batch), matrices);
  return flat;
}

Tensor unflattened(const Tensor& flat, IntArrayRef batch) {
  if (flat.dim() == 3) return raw_alias(flat, columns_geometry(batch, flat.size(1), flat.size(2)));
  std::vector<int64_t> sizes(batch.begin(), batch.end());
  sizes.insert(sizes.end(), flat.sizes().begin() + 1, flat.sizes().end());
  return raw_alias(flat, Geometry(IntArrayRef(sizes)));
}

Tensor infos_for(const Tensor& matrices) {
  return zeros_for({&matrices}, {matrices.size(0)}, kInt32);
}

void check_infos(const Operation& op, const Tensor& self, const Tensor& infos, double least,
                 double most, const char* words) {
  using enum ValueBounds::Error;
  check_values(op, infos, {least, most, words, self.dim() > 2 ? LinalgOfBatch : Linalg});
}

}  // namespace notape
