// matmul(a, b): NumPy's product, put together from dot, mm and bmm, which carry the derivatives.
// A single matrix on the right makes one mm of all rows of the left; else batches are broadcast.
#include "ops/core/autocast.h"
#include "ops/core/composite.h"
#include "ops/core/promotion.h"
#include "ops/linalg.h"
#include "ops/linalg/gemm.h"
#include "ops/shape.h"
#include "ops/spec/plain.h"

namespace notape {
namespace {

using MatmulShape = std::vector<int64_t>;

int64_t product(const MatmulShape& sizes) {
  int64_t all = 1;
  for (int64_t size : sizes) all *= size;
  return all;
}

/// The dimensions before the last two.
MatmulShape batch_of(IntArrayRef sizes) {
  return sizes.size() <= 2 ? MatmulShape{} : MatmulShape(sizes.begin(), sizes.end() - 2);
}

/// "2x3"
std::string shape_text(IntArrayRef sizes) {
  std::string text;
  for (int64_t size : sizes) text += (text.empty() ? "" : "x") + std::to_string(size);
  return text;
}

/// `value` as (batch..., rows, columns) with the batch flattened into one dimension; a single
/// matrix is repeated without a copy.
Tensor as_batch(const Tensor& value, const MatmulShape& batch, int64_t rows, int64_t columns,
                At at) {
  const MatmulShape own = batch_of(value.sizes());
  const int64_t count = product(batch);
  if (own == batch) return reshape(value, {count, rows, columns}, at);
  if (product(own) == 1)
    return expand(reshape(value, {1, rows, columns}, at), {count, rows, columns}, at);
  MatmulShape full = batch;
  full.insert(full.end(), {rows, columns});
  return reshape(expand(value, full, at), {count, rows, columns}, at);
}

/// (..., k) by (k, m) or (k): all rows at once.
Tensor by_one_matrix(const Tensor& self, const Tensor& other, int64_t k, At at) {
  MatmulShape sizes(self.sizes().begin(), self.sizes().end() - 1);
  const Tensor rows = self.dim() == 2 ? self : reshape(self, {product(sizes), k}, at);
  const Tensor result = mm(rows, other.dim() == 2 ? other : reshape(other, {k, 1}, at), at);
  if (other.dim() == 2) sizes.push_back(other.size(1));
  return reshape(result, sizes, at);
}

Tensor by_batches(const Operation& op, const Tensor& self, const Tensor& other, int64_t k, At at) {
  const int64_t n = self.dim() == 1 ? 1 : self.size(-2), m = other.size(-1);
  const MatmulShape batch = broadcast_sizes(op, batch_of(self.sizes()), batch_of(other.sizes()));
  const Tensor result = bmm(as_batch(self, batch, n, k, at), as_batch(other, batch, k, m, at), at);
  MatmulShape sizes = batch;
  if (self.dim() > 1) sizes.push_back(n);
  sizes.push_back(m);
  return reshape(result, sizes, at);
}

constexpr auto reference = []<typename T>(const PlainList<T>& x) {
  PlainTensor<T> a = x[0], b = x[1];
  if (x[0].dim() == 1) a.sizes.insert(a.sizes.begin(), 1);
  if (x[1].dim() == 1) b.sizes.push_back(1);
  const int64_t n = a.sizes[a.sizes.size() - 2], k = a.sizes.back(), m = b.sizes.back();
  PlainTensor<T> left(batch_of(a.sizes)), right(batch_of(b.sizes));  // only their shapes are used
  MatmulShape sizes = plain_broadcast({&left.sizes, &right.sizes});
  const MatmulShape batch = sizes;
  sizes.insert(sizes.end(), {n, m});
  PlainTensor<T> result(sizes);
  for (int64_t i = 0; i < result.numel(); ++i) {
    const int64_t c = i % m, r = i / m % n, one = i / (n * m);
    const int64_t at_a = plain_position(left, batch, one), at_b = plain_position(right, batch, one);
    for (int64_t p = 0; p < k; ++p)
      result.values[static_cast<std::size_t>(i)] +=
          a.values[static_cast<std::size_t>((at_a * n + r) * k + p)] *
          b.values[static_cast<std::size_t>((at_b * k + p) * m + c)];
  }
  if (x[1].dim() == 1) result.sizes.pop_back();
  if (x[0].dim() == 1) result.sizes.erase(result.sizes.end() - (x[1].dim() == 1 ? 1 : 2));
  return result;
};

OpCase draw_matmul(Draw& draw) {
  const int64_t k = draw.integer(0, 4);
  const MatmulShape full = draw.shape(0, 2, 0, 3);
  MatmulShape a = {k}, b = {k};
  if (draw.integer(0, 3) > 0) {
    a = draw.broadcast_of(full);
    a.insert(a.end(), {draw.integer(0, 3), k});
  }
  if (draw.integer(0, 3) > 0) {
    b = draw.boolean() ? draw.broadcast_of(full) : MatmulShape();
    b.insert(b.end(), {k, draw.integer(0, 3)});
  }
  OpCase one;
  one.label = to_string(a) + " by " + to_string(b);
  one.arguments = {{.sizes = a}, {.sizes = b}};
  one.call = [](const variable_list& x) { return matmul(x[0], x[1]); };
  one.reference = reference;
  return one;
}

const RegisterOp matmul_row({.name = "matmul",
                             .family = "linalg",
                             .draw = draw_matmul,
                             .traits = Trait::Multiplies | Trait::Batches});

}  // namespace

Tensor matmul(const Tensor& self, const Tensor& other, At at) {
  if (in_autocast(self)) [[unlikely]]
    return autocast_to_low(
        at, [&](auto... x) { return matmul(x..., at); }, self, other);
  const Operation op("matmul", at);
  check_operands(op, {&self, &other});
  if (self.dim() == 0 || other.dim() == 0)
    op.fail<ShapeError>("both arguments to matmul need to be at least 1D, but they are {}D and {}D",
                        self.dim(), other.dim());
  const int64_t k = self.size(-1);
  if (other.size(other.dim() == 1 ? 0 : -2) != k)
    op.fail<ShapeError>("mat1 and mat2 shapes cannot be multiplied ({} and {})",
                        shape_text(self.sizes()), shape_text(other.sizes()));
  check_same_type(op, self, other);
  if (self.dim() == 2 && other.dim() == 2) return mm(self, other, at);
  if (self.dim() == 1 && other.dim() == 1) return dot(self, other, at);
  const Composite composite({&self, &other});
  if (other.dim() <= 2) return by_one_matrix(self, other, k, at);
  return by_batches(op, self, other, k, at);
}

Tensor LinalgMembers::matmul(const Tensor& other, At at) const {
  return notape::matmul(self(), other, at);
}

}  // namespace notape
