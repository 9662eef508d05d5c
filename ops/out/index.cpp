// Gathering, scattering, searching and joining.
#include "ops/out/index.h"

#include "ops/index.h"
#include "ops/out/detail/write_out.h"
#include "ops/shape.h"

namespace notape {

Tensor& index_out(Tensor& out, const Tensor& self,
                  const std::vector<indexing::TensorIndex>& indices, At at) {
  return out_of("index_out", at, out, addresses_in(self, indices), Fit::Exact,
                [&] { return index(self, indices, at); });
}
Tensor& index_select_out(Tensor& out, const Tensor& self, Integer dim, const Tensor& index, At at) {
  return out_of("index_select_out", at, out, {&self, &index}, Fit::Exact,
                [&] { return index_select(self, dim, index, at); });
}
Tensor& gather_out(Tensor& out, const Tensor& self, Integer dim, const Tensor& index, At at) {
  return out_of("gather_out", at, out, {&self, &index}, Fit::Exact,
                [&] { return gather(self, dim, index, at); });
}
Tensor& take_out(Tensor& out, const Tensor& self, const Tensor& index, At at) {
  return out_of("take_out", at, out, {&self, &index}, Fit::Exact,
                [&] { return take(self, index, at); });
}
Tensor& take_along_dim_out(Tensor& out, const Tensor& self, const Tensor& indices,
                           std::optional<Integer> dim, At at) {
  return out_of("take_along_dim_out", at, out, {&self, &indices}, Fit::Exact,
                [&] { return take_along_dim(self, indices, dim, at); });
}
Tensor& index_add_out(Tensor& out, const Tensor& self, Integer dim, const Tensor& index,
                      const Tensor& source, Scalar alpha, At at) {
  return out_of("index_add_out", at, out, {&self, &index, &source}, Fit::Exact,
                [&] { return index_add(self, dim, index, source, alpha, at); });
}
Tensor& index_copy_out(Tensor& out, const Tensor& self, Integer dim, const Tensor& index,
                       const Tensor& source, At at) {
  return out_of("index_copy_out", at, out, {&self, &index, &source}, Fit::Exact,
                [&] { return index_copy(self, dim, index, source, at); });
}
Tensor& scatter_out(Tensor& out, const Tensor& self, Integer dim, const Tensor& index,
                    const Tensor& src, At at) {
  return out_of("scatter_out", at, out, {&self, &index, &src}, Fit::Exact,
                [&] { return scatter(self, dim, index, src, at); });
}
Tensor& scatter_out(Tensor& out, const Tensor& self, Integer dim, const Tensor& index, Scalar value,
                    At at) {
  return out_of("scatter_out", at, out, {&self, &index}, Fit::Exact,
                [&] { return scatter(self, dim, index, value, at); });
}
Tensor& scatter_out(Tensor& out, const Tensor& self, Integer dim, const Tensor& index,
                    const Tensor& src, std::string_view reduce, At at) {
  return out_of("scatter_out", at, out, {&self, &index, &src}, Fit::Exact,
                [&] { return scatter(self, dim, index, src, reduce, at); });
}
Tensor& scatter_out(Tensor& out, const Tensor& self, Integer dim, const Tensor& index, Scalar value,
                    std::string_view reduce, At at) {
  return out_of("scatter_out", at, out, {&self, &index}, Fit::Exact,
                [&] { return scatter(self, dim, index, value, reduce, at); });
}
Tensor& scatter_add_out(Tensor& out, const Tensor& self, Integer dim, const Tensor& index,
                        const Tensor& src, At at) {
  return out_of("scatter_add_out", at, out, {&self, &index, &src}, Fit::Exact,
                [&] { return scatter_add(self, dim, index, src, at); });
}
Tensor& scatter_reduce_out(Tensor& out, const Tensor& self, Integer dim, const Tensor& index,
                           const Tensor& src, std::string_view reduce, bool include_self, At at) {
  return out_of("scatter_reduce_out", at, out, {&self, &index, &src}, Fit::Exact,
                [&] { return scatter_reduce(self, dim, index, src, reduce, include_self, at); });
}
Tensor& masked_select_out(Tensor& out, const Tensor& self, const Tensor& mask, At at) {
  return out_of("masked_select_out", at, out, {&self, &mask}, Fit::Exact,
                [&] { return masked_select(self, mask, at); });
}
Tensor& tril_out(Tensor& out, const Tensor& self, Integer diagonal, At at) {
  return out_of("tril_out", at, out, {&self}, Fit::Exact, [&] { return tril(self, diagonal, at); });
}
Tensor& triu_out(Tensor& out, const Tensor& self, Integer diagonal, At at) {
  return out_of("triu_out", at, out, {&self}, Fit::Exact, [&] { return triu(self, diagonal, at); });
}
Tensor& diag_out(Tensor& out, const Tensor& self, Integer diagonal, At at) {
  return out_of("diag_out", at, out, {&self}, Fit::Exact, [&] { return diag(self, diagonal, at); });
}
Tensor& nonzero_out(Tensor& out, const Tensor& self, At at) {
  return out_of("nonzero_out", at, out, {&self}, Fit::Exact, [&] { return nonzero(self, at); });
}
Tensor& searchsorted_out(Tensor& out, const Tensor& sorted_sequence, const Tensor& self,
                         bool out_int32, bool right, std::optional<std::string_view> side,
                         const Tensor& sorter, At at) {
  return out_of("searchsorted_out", at, out, {&sorted_sequence, &self, &sorter}, Fit::Exact, [&] {
    return searchsorted(sorted_sequence, self, out_int32, right, side, sorter, at);
  });
}
Tensor& searchsorted_out(Tensor& out, const Tensor& sorted_sequence, Scalar self, bool out_int32,
                         bool right, std::optional<std::string_view> side, const Tensor& sorter,
                         At at) {
  return out_of("searchsorted_out", at, out, {&sorted_sequence, &sorter}, Fit::Exact, [&] {
    return searchsorted(sorted_sequence, self, out_int32, right, side, sorter, at);
  });
}
Tensor& bucketize_out(Tensor& out, const Tensor& self, const Tensor& boundaries, bool out_int32,
                      bool right, At at) {
  return out_of("bucketize_out", at, out, {&self, &boundaries}, Fit::Exact,
                [&] { return bucketize(self, boundaries, out_int32, right, at); });
}
Tensor& cat_out(Tensor& out, const TensorList& tensors, Integer dim, At at) {
  return out_of("cat_out", at, out, addresses_in(tensors), Fit::Converted,
                [&] { return cat(tensors, dim, at); });
}
Tensor& stack_out(Tensor& out, const TensorList& tensors, Integer dim, At at) {
  return out_of("stack_out", at, out, addresses_in(tensors), Fit::Converted,
                [&] { return stack(tensors, dim, at); });
}

}  // namespace notape
