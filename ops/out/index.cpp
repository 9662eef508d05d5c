#include "ops/out/index.h"

#include "ops/index.h"
#include "ops/out/detail/write_out.h"
#include "ops/shape.h"

namespace notape {

O index_out(O out, X self, Indices indices, At at) { return exact(out, at)(index, self, indices); }
O index_select_out(O out, X self, I dim, X index, At at) {
  return exact(out, at)(index_select, self, dim, index);
}
O gather_out(O out, X self, I dim, X index, At at) {
  return exact(out, at)(gather, self, dim, index);
}
O take_out(O out, X self, X index, At at) { return exact(out, at)(take, self, index); }
O take_along_dim_out(O out, X self, X indices, Maybe<I> dim, At at) {
  return exact(out, at)(take_along_dim, self, indices, dim);
}
O index_add_out(O out, X self, I dim, X index, X source, Scalar alpha, At at) {
  return exact(out, at)(index_add, self, dim, index, source, alpha);
}
O index_copy_out(O out, X self, I dim, X index, X source, At at) {
  return exact(out, at)(index_copy, self, dim, index, source);
}
O scatter_out(O out, X self, I dim, X index, X src, At at) {
  return exact(out, at)(scatter, self, dim, index, src);
}
O scatter_out(O out, X self, I dim, X index, Scalar value, At at) {
  return exact(out, at)(scatter, self, dim, index, value);
}
O scatter_out(O out, X self, I dim, X index, X src, Text reduce, At at) {
  return exact(out, at)(scatter, self, dim, index, src, reduce);
}
O scatter_out(O out, X self, I dim, X index, Scalar value, Text reduce, At at) {
  return exact(out, at)(scatter, self, dim, index, value, reduce);
}
O scatter_add_out(O out, X self, I dim, X index, X src, At at) {
  return exact(out, at)(scatter_add, self, dim, index, src);
}
O scatter_reduce_out(O out, X self, I dim, X index, X src, Text reduce, bool include_self, At at) {
  return exact(out, at)(scatter_reduce, self, dim, index, src, reduce, include_self);
}
O masked_select_out(O out, X self, X mask, At at) {
  return exact(out, at)(masked_select, self, mask);
}
O tril_out(O out, X self, I diagonal, At at) { return exact(out, at)(tril, self, diagonal); }
O triu_out(O out, X self, I diagonal, At at) { return exact(out, at)(triu, self, diagonal); }
O diag_out(O out, X self, I diagonal, At at) { return exact(out, at)(diag, self, diagonal); }
O nonzero_out(O out, X self, At at) { return exact(out, at)(nonzero, self); }
O searchsorted_out(O out, X sorted_sequence, X self, bool out_int32, bool right, Maybe<Text> side,
                   X sorter, At at) {
  return exact(out, at)(searchsorted, sorted_sequence, self, out_int32, right, side, sorter);
}
O searchsorted_out(O out, X sorted_sequence, Scalar self, bool out_int32, bool right,
                   Maybe<Text> side, X sorter, At at) {
  return exact(out, at)(searchsorted, sorted_sequence, self, out_int32, right, side, sorter);
}
O bucketize_out(O out, X self, X boundaries, bool out_int32, bool right, At at) {
  return exact(out, at)(bucketize, self, boundaries, out_int32, right);
}
O cat_out(O out, Tensors tensors, I dim, At at) { return converted(out, at)(cat, tensors, dim); }
O stack_out(O out, Tensors tensors, I dim, At at) {
  return converted(out, at)(stack, tensors, dim);
}

}  // namespace notape
