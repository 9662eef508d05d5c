#include "ops/functions/functions.h"

namespace notape::functions {
namespace {

const RegisterFunctions shape_functions([](Functions& f) {
  f("view", view);
  f("reshape", reshape);
  f("flatten", flatten);
  f("expand", expand);
  f("permute", permute);
  f("transpose", transpose);
  f("t", t);
  f.of<Tensor(X)>("squeeze", squeeze);
  f.of<Tensor(X, Sizes)>("squeeze", squeeze);
  f("unsqueeze", unsqueeze);
  f("select", select);
  f("narrow", narrow);
  f("slice", slice);
  f("diagonal", diagonal);
  f("as_strided", as_strided);
  f("split", split);
  f("chunk", chunk);
  f("unbind", unbind);
  f("clone", clone);
  f("contiguous", contiguous);
  f.of<Tensor(X, ScalarType)>("to", to);
  f.of<Tensor(X, X)>("to", to);
  f("cat", cat, cat_out);
  f("stack", stack, stack_out);
  f("alias", alias);
  f("view_as", view_as);
  f("split_with_sizes", split_with_sizes);
  f("unflatten", unflatten);
  f("movedim", movedim);
  f("unfold", unfold);
  f("type_as", type_as);
  f("repeat", repeat);
  f.of<Tensor(X, X, Maybe<I>, Maybe<I>)>("repeat_interleave", repeat_interleave);
  f.of<Tensor(X, Maybe<I>)>("repeat_interleave", repeat_interleave);
  f("repeat_interleave", detail::repeat_evenly);
  f("flip", flip);
  f("roll", roll);
  f("tril", tril, tril_, tril_out);
  f("triu", triu, triu_, triu_out);
  f("diag_embed", diag_embed);
  f("select_scatter", select_scatter);
  f("slice_scatter", slice_scatter);
  f("_reshape_alias", _reshape_alias);
  f("select_backward", select_backward);
  f("slice_backward", slice_backward);
  f("expand_as", expand_as);
  f("reshape_as", reshape_as);
  f("broadcast_to", broadcast_to);
  f("tile", tile);
  f("ravel", ravel);
  f("swapaxes", swapaxes);
  f("swapdims", swapdims);
  f("moveaxis", moveaxis);
  f("diag", diag, diag_out);
  f("tensor_split", detail::split_evenly);  // first: one number is a list, too
  f.of<Pieces(X, Sizes, I)>("tensor_split", tensor_split);
  f.of<O(O, X)>("copy_", copy_);
  f.of<O(O, X, bool)>("copy_", copy_);
  f.of<O(O, Scalar)>("fill_", fill_);
  f.of<O(O, X)>("fill_", fill_);
  f("zero_", zero_);
  f(
      "_to_copy",
      +[](X self, Maybe<ScalarType> type, At at) { return _to_copy(self, type, {}, at); });
});

}  // namespace
}  // namespace notape::functions
