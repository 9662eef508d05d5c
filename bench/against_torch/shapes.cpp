// The operators of ops/shape.h.
#include "bench/against_torch/calls.h"

namespace notape::against_torch {

namespace {

using Place = std::optional<Integer>;

void add_views(Calls& calls) {
  calls.of<T>()("t", t)("squeeze", squeeze)("alias", alias);
  calls.of<T, T>()("view_as", view_as);
  calls.of<T, Integer>()("unsqueeze", unsqueeze)("unbind", unbind);
  calls.of<T, Integer, Integer>()("flatten", flatten)("transpose", transpose)("select", select)(
      "split", split)("chunk", chunk);
  calls.of<T, IntArrayRef>()("view", view)("reshape", reshape)("expand", expand)(
      "permute", permute)("squeeze", squeeze);
  calls.of<T, Integer, Integer, Integer>()("narrow", narrow)("diagonal", diagonal)("unfold",
                                                                                   unfold);
  calls.of<T, Integer, Place, Place, Integer>()("slice", slice);
  calls.of<T, IntArrayRef, IntArrayRef, Place>()("as_strided", as_strided);
  calls.of<T, IntArrayRef, IntArrayRef>()("movedim", movedim);
  calls.of<T, IntArrayRef, Integer>()("split_with_sizes", split_with_sizes);
  calls.of<T, Integer, IntArrayRef>()("unflatten", unflatten);
}

void add_copies(Calls& calls) {
  calls.of<T>()("clone", clone)("contiguous", contiguous);
  calls.of<T, ScalarType>()("to", to);
  calls.with<T, ScalarType>("_to_copy", [](T x, ScalarType type) { return _to_copy(x, type); });
  calls.of<T, T>()("to", to)("type_as", type_as);
  calls.of<Tensor&, T>()("copy_", copy_);
  calls.of<Tensor&, Scalar>()("fill_", fill_);
  calls.of<Tensor&>()("zero_", zero_);
  calls.of<const TensorList&, Integer>()("cat", cat)("stack", stack);
  calls.of<T, IntArrayRef>()("repeat", repeat)("flip", flip);
  calls.of<T, IntArrayRef, IntArrayRef>()("roll", roll);
  const auto repeated = [](const auto&... x) { return repeat_interleave(x...); };
  calls.with<T, Integer, Place, Place>("repeat_interleave", repeated);
  calls.with<T, T, Place, Place>("repeat_interleave", repeated);
  calls.with<T, Place>("repeat_interleave", repeated);
  calls.of<T, Integer>()("tril", tril)("triu", triu);
  calls.of<Tensor&, Integer>()("tril_", tril_)("triu_", triu_);
  calls.of<T, Integer, Integer, Integer>()("diag_embed", diag_embed);
  calls.of<T, T, Integer, Integer>()("select_scatter", select_scatter);
  calls.of<T, T, Integer, Place, Place, Integer>()("slice_scatter", slice_scatter);
}

}  // namespace

void add_shapes(Calls& calls) {
  add_views(calls);
  add_copies(calls);
}

}  // namespace notape::against_torch
