// Decompositions, sampling, packed sequences, and operators under LibTorch's other names.
#include "bench/against_torch/calls.h"

namespace notape::against_torch {

namespace {

using Bound = std::optional<Scalar>;
using Place = std::optional<Integer>;

void add_decompositions(Calls& calls) {
  calls.of<T>()("linalg_inv", linalg_inv)("inverse", inverse)("linalg_det", linalg_det)("det", det)(
      "linalg_slogdet", linalg_slogdet)("slogdet", slogdet)("logdet", logdet)("linalg_svdvals",
                                                                              linalg_svdvals);
  calls.of<T, T>()("inner", inner)("kron", kron);
  calls.of<T, T, bool>()("linalg_solve", linalg_solve);
  calls.of<T, T, bool, bool, bool>()("linalg_solve_triangular", linalg_solve_triangular);
  calls.of<T, bool>()("linalg_cholesky", linalg_cholesky)("cholesky", cholesky);
  calls.of<T, std::string_view>()("linalg_qr", linalg_qr)("linalg_eigh", linalg_eigh)(
      "linalg_eigvalsh", linalg_eigvalsh);
}

void add_names(Calls& calls) {
  calls.of<T>()("ravel", ravel);
  calls.of<T, T>()("expand_as", expand_as)("reshape_as", reshape_as);
  calls.of<T, IntArrayRef>()("broadcast_to", broadcast_to)("tile", tile);
  calls.of<T, Integer, Integer>()("swapaxes", swapaxes)("swapdims", swapdims);
  const auto split = [](const auto&... x) { return tensor_split(x...); };
  calls.with<T, Integer, Integer>("tensor_split", split);
  calls.with<T, IntArrayRef, Integer>("tensor_split", split);
  calls.of<T, IntArrayRef, IntArrayRef>()("moveaxis", moveaxis);
  calls.of<T, Integer>()("diag", diag);
  calls.of<T, IntArrayRef, Integer, Integer>()("select_backward", select_backward);
  calls.of<T, IntArrayRef, Integer, Integer, Integer, Integer>()("slice_backward", slice_backward);
  calls.of<T, Bound, Bound>()("clip", clip);
  calls.of<Tensor&, Bound, Bound>()("clip_", clip_);
  calls.of<T, Scalar, Scalar, bool>()("rrelu", rrelu);
}

using Rounding = std::optional<std::string_view>;

/// Tensors for numbers, numbers for tensors, and in place.
void add_forms(Calls& calls) {
  calls.of<T, T, T>()("clamp", clamp)("clip", clip)("masked_fill", masked_fill);
  calls.of<Tensor&, T, T>()("clamp_", clamp_)("clip_", clip_)("masked_fill_", masked_fill_);
  calls.of<T, T>()("clamp_min", clamp_min)("clamp_max", clamp_max);
  calls.of<Tensor&, T>()("clamp_min_", clamp_min_)("clamp_max_", clamp_max_)(
      "floor_divide_", floor_divide_)("fill_", fill_);
  calls.of<Tensor&, Scalar>()("clamp_min_", clamp_min_)("clamp_max_", clamp_max_)(
      "floor_divide_", floor_divide_)("xlogy_", xlogy_)("copysign_", copysign_)("fill_", fill_);
  calls.of<T, T, Scalar>()("rsub", rsub);
  calls.of<T, Scalar, Scalar>()("rsub", rsub)("where", where);
  calls.of<Tensor&>()("sign_", sign_);
  calls.of<Tensor&, T, Rounding>()("div_", div_);
  calls.of<Tensor&, Scalar, Rounding>()("div_", div_);
  calls.of<T, Integer>()("round", round);
  calls.of<Tensor&, Integer>()("round_", round_);
  calls.of<Scalar, T>()("remainder", remainder)("bitwise_and", bitwise_and)(
      "bitwise_or", bitwise_or)("bitwise_xor", bitwise_xor);
  calls.of<T, Integer, T, T>()("index_fill", index_fill);
  calls.of<Tensor&, Integer, T, T>()("index_fill_", index_fill_);
  calls.of<T, Integer, T, Scalar, std::string_view>()("scatter", scatter);
  calls.of<Tensor&, Integer, T, Scalar, std::string_view>()("scatter_", scatter_);
  calls.of<T>()("where", where);
}

template <typename Other>
void add_comparisons_in_place(Calls& calls) {
  const auto add = [&](const char* name, Tensor& (Tensor::*compare)(Other, At) const) {
    calls.with<Tensor&, Other>(name, [compare](Tensor& self, const auto& other) -> Tensor& {
      return (self.*compare)(other, At::current());
    });
  };
  add("eq_", &Tensor::eq_);
  add("ne_", &Tensor::ne_);
  add("lt_", &Tensor::lt_);
  add("le_", &Tensor::le_);
  add("gt_", &Tensor::gt_);
  add("ge_", &Tensor::ge_);
}

}  // namespace

void add_newer(Calls& calls) {
  add_decompositions(calls);
  add_names(calls);
  add_forms(calls);
  add_comparisons_in_place<T>(calls);
  add_comparisons_in_place<Scalar>(calls);
  calls.of<T, Integer, T, T, std::string_view, bool>()("scatter_reduce", scatter_reduce);
  calls.of<Tensor&, Integer, T, T, std::string_view, bool>()("scatter_reduce_", scatter_reduce_);
  calls.of<T, T, T, bool, Integer, bool, T, bool, Place>()("embedding_bag", embedding_bag);
  calls.of<T, T, double, Place>()("cdist", cdist);
  calls.of<T, T, IntArrayRef, IntArrayRef, Integer, Reduction, bool>()("ctc_loss", ctc_loss);
  calls.of<T, T, T, T, Integer, Reduction, bool>()("ctc_loss", ctc_loss);
  calls.of<T, T, Integer, Integer, bool>()("grid_sampler_2d", grid_sampler_2d);
  calls.of<T, T, Pair>()("max_unpool2d", max_unpool2d);
  calls.of<T, T, T, Triple, Triple, Triple, Integer, Triple>()("conv_transpose3d",
                                                               conv_transpose3d);
  calls.of<T, T, T, Integer, PaddingName, Integer, Integer>()("conv1d", conv1d);
  calls.of<T, T, T, Pair, PaddingName, Pair, Integer>()("conv2d", conv2d);
  calls.of<T, T, T, Triple, PaddingName, Triple, Integer>()("conv3d", conv3d);
  calls.of<T, T, bool>()("_pack_padded_sequence", _pack_padded_sequence);
}

}  // namespace notape::against_torch
