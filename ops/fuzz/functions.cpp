// Functions with numbers from nowhere: the rows of the registry draw dimensions, sizes and scalars
// that their operators take, and hold them back.
#include "ops/fuzz/functions.h"

namespace notape::fuzz {
namespace {

void add_shape(Functions& f) {
  f.add<Tensor, X, List>("view", view);
  f.add<Tensor, X, List>("reshape", reshape);
  f.add<Tensor, X, I, I>("flatten", flatten);
  f.add<Tensor, X, List>("expand", expand);
  f.add<Tensor, X, List>("permute", permute);
  f.add<Tensor, X, I, I>("transpose", transpose);
  f.add<Tensor, X>("t", t);
  f.add<Tensor, X, List>("squeeze", squeeze);
  f.add<Tensor, X, I>("unsqueeze", unsqueeze);
  f.add<Tensor, X, I, I>("select", select);
  f.add<Tensor, X, I, I, I>("narrow", narrow);
  f.add<Tensor, X, I, Maybe<I>, Maybe<I>, I>("slice", slice);
  f.add<Tensor, X, I, I, I>("diagonal", diagonal);
  f.add<Tensor, X, List, List, Maybe<I>>("as_strided", as_strided);
  f.add<Pieces, X, I, I>("split", split);
  f.add<Pieces, X, I, I>("chunk", chunk);
  f.add<Pieces, X, I>("unbind", unbind);
  f.add<Tensor&, Tensor&, X>("copy_", copy_);
  f.add<Tensor&, Tensor&, Scalar>("fill_", fill_);
  f.add<Tensor, const TensorList&, I>("cat", cat);
  f.add<Tensor, const TensorList&, I>("stack", stack);
  f.add<Pieces, X, List, I>("split_with_sizes", split_with_sizes);
  f.add<Tensor, X, I, List>("unflatten", unflatten);
  f.add<Tensor, X, List, List>("movedim", movedim);
  f.add<Tensor, X, I, I, I>("unfold", unfold);
  f.add<Tensor, X, List>("repeat", repeat);
  f.add<Tensor, X, I, Maybe<I>, Maybe<I>>("repeat_interleave", repeat_interleave);
  f.add<Tensor, X, X, Maybe<I>, Maybe<I>>("repeat_interleave", repeat_interleave);
  f.add<Tensor, X, List>("flip", flip);
  f.add<Tensor, X, List, List>("roll", roll);
  f.add<Tensor, X, I>("tril", tril);
  f.add<Tensor&, Tensor&, I>("triu_", triu_);
  f.add<Tensor, X, I, I, I>("diag_embed", diag_embed);
  f.add<Tensor, X, X, I, I>("select_scatter", select_scatter);
  f.add<Tensor, X, X, I, Maybe<I>, Maybe<I>, I>("slice_scatter", slice_scatter);
}

void add_reductions(Functions& f) {
  f.add<Tensor, X, List, bool>("sum", sum);
  f.add<Tensor, X, List, bool, ScalarType>("sum", sum);
  f.add<Tensor, X, List>("sum_to_size", sum_to_size);
  f.add<Tensor, X, List, bool>("mean", mean);
  f.add<Tensor, X, I, bool>("prod", prod);
  f.add<Two, X, I, bool>("max", max);
  f.add<Tensor, X, X>("min", min);
  f.add<Tensor, X, Maybe<I>, bool>("argmax", argmax);
  f.add<Tensor, X, List, bool>("logsumexp", logsumexp);
  f.add<Tensor, X, I>("softmax", softmax);
  f.add<Tensor, X, I, ScalarType>("log_softmax", log_softmax);
  f.add<Tensor, X, I>("cumsum", cumsum);
  f.add<Tensor, X, I>("cumprod", cumprod);
  f.add<Tensor, X, I>("logcumsumexp", logcumsumexp);
  f.add<Two, X, I>("cummax", cummax);
  f.add<Tensor, X, List, bool, bool>("var", var);
  f.add<Tensor, X, List, bool, bool>("std", notape::std);
  f.add<Two, X, List, bool, bool>("var_mean", var_mean);
  f.add<Tensor, X, List, bool>("amax", amax);
  f.add<Two, X, Maybe<I>, bool>("aminmax", aminmax);
  f.add<Tensor, X, Scalar, List, bool, Maybe<ScalarType>>("linalg_vector_norm", linalg_vector_norm);
  f.add<Tensor, X, Maybe<Scalar>, List, bool>("norm", norm);
  f.add<Tensor, X, List, bool>("all", all);
  f.add<Tensor, X, List>("count_nonzero", count_nonzero);
  f.add<Two, X, I, bool>("sort", sort);
  f.add<Tensor, X, I, bool>("argsort", argsort);
  f.add<Two, X, I, I, bool, bool>("topk", topk);
  f.add<Two, X, I, bool>("median", median);
}

void add_indexing(Functions& f) {
  f.add<Tensor, X, Indices>("index", index);
  f.add<Tensor&, Tensor&, Indices, X>("index_put_", index_put_);
  f.add<Tensor, X, Indices, X, bool>("index_put", index_put);
  f.add<Tensor, X, I, X>("index_select", index_select);
  f.add<Tensor, X, I, X>("gather", gather);
  f.add<Tensor, X, I, X, X>("scatter_add", scatter_add);
  f.add<Tensor, X, I, X, X>("scatter", scatter);
  f.add<Tensor&, Tensor&, I, X, Scalar>("scatter_", scatter_);
  f.add<Tensor&, Tensor&, I, X, X>("scatter_add_", scatter_add_);
  f.add<Tensor&, Tensor&, I, X, X, Scalar>("index_add_", index_add_);
  f.add<Tensor, X, X>("masked_select", masked_select);
  f.add<Tensor, X, X, I, bool, bool>("embedding", embedding);
  f.add<Tensor, X, I>("one_hot", one_hot);
  f.add<Three, X, bool, bool, Maybe<I>>("unique_consecutive", unique_consecutive);
}

void add_windows(Functions& f) {
  f.add<Tensor, X, X, X, Pair, Pair, Pair, I>("conv2d", conv2d);
  f.add<Tensor, X, X, X, I, I, I, I>("conv1d", conv1d);
  f.add<Tensor, X, X, X, Triple, Triple, Triple, I>("conv3d", conv3d);
  f.add<Tensor, X, X, X, Pair, Pair, Pair, I, Pair>("conv_transpose2d", conv_transpose2d);
  f.add<Tensor, X, Pair, Pair, Pair, Pair>("im2col", im2col);
  f.add<Tensor, X, Pair, Pair, Pair, Pair, Pair>("col2im", col2im);
  f.add<Two, X, Pair, Optional<Pair>, Pair, Pair, bool>("max_pool2d_with_indices",
                                                        max_pool2d_with_indices);
  f.add<Tensor, X, I, Maybe<I>, I, I, bool>("max_pool1d", max_pool1d);
  f.add<Tensor, X, Triple, Optional<Triple>, Triple, Triple, bool>("max_pool3d", max_pool3d);
  f.add<Tensor, X, Pair, Optional<Pair>, Pair, bool, bool, Maybe<I>>("avg_pool2d", avg_pool2d);
  f.add<Tensor, X, Pair>("adaptive_avg_pool2d", adaptive_avg_pool2d);
  f.add<Two, X, Pair>("adaptive_max_pool2d", adaptive_max_pool2d);
  f.add<Tensor, X, List, Scalar>("constant_pad_nd", constant_pad_nd);
  f.add<Tensor, X, List, std::string_view, Maybe<double>>("pad", pad);
  f.add<Tensor, X, List>("reflection_pad2d", reflection_pad2d);
  f.add<Tensor, X, List>("replication_pad1d", replication_pad1d);
  f.add<Tensor, X, Pair, Maybe<double>, Maybe<double>>("upsample_nearest2d", upsample_nearest2d);
  f.add<Tensor, X, Pair, bool, Maybe<double>, Maybe<double>>("upsample_bicubic2d",
                                                             upsample_bicubic2d);
  f.add<Tensor, X, Maybe<std::vector<int64_t>>, Maybe<std::vector<double>>, std::string_view,
        Maybe<bool>, bool>("interpolate", interpolate);
  f.add<Tensor, X, I>("pixel_shuffle", pixel_shuffle);
  f.add<Tensor, X, I>("pixel_unshuffle", pixel_unshuffle);
  f.add<Tensor, X, List, bool>("affine_grid_generator", affine_grid_generator);
}

void add_arithmetic(Functions& f) {
  f.add<Tensor, X, X, Scalar>("add", add);
  f.add<Tensor&, Tensor&, X, Scalar>("sub_", sub_);
  f.add<Tensor, X, Scalar>("pow", pow);
  f.add<Tensor, X, Scalar, Scalar>("softplus", softplus);
  f.add<Tensor, X, Scalar>("leaky_relu", leaky_relu);
  f.add<Tensor, X, Scalar, Scalar>("threshold", threshold);
  f.add<Tensor, X, std::string_view>("gelu", gelu);
  f.add<Tensor, X, I>("glu", glu);
  f.add<Tensor, X, X>("prelu", prelu);
  f.add<Tensor, X, X, X, Scalar, Scalar>("addmm", addmm);
  f.add<Tensor&, Tensor&, X, X, Scalar, Scalar>("baddbmm_", baddbmm_);
  f.add<Tensor, X, X, X>("linear", linear);
  f.add<Tensor, std::string_view, const TensorList&>("einsum", einsum);
  f.add<Tensor, X, X, List, List>("tensordot", tensordot);
  f.add<Tensor, X, X, I>("linalg_cross", linalg_cross);
  f.add<Tensor, X, X, X, X, double, bool, Maybe<double>, bool>("scaled_dot_product_attention",
                                                               scaled_dot_product_attention);
  f.add<Tensor, X, X, X, Reduction, I>("nll_loss", nll_loss);
  f.add<Tensor, X, X, X, Reduction, I, double>("cross_entropy", cross_entropy);
  f.add<Tensor, X, X, Reduction, double>("huber_loss", huber_loss);
  f.add<Tensor, X, X, I, double>("cosine_similarity", cosine_similarity);
  f.add<Tensor, X, List, X, X, double, bool>("layer_norm", layer_norm);
  f.add<Tensor, X, I, X, X, double, bool>("group_norm", group_norm);
  f.add<Tensor, X, X, X, X, X, bool, double, double, bool>("batch_norm", batch_norm);
  f.add<Tensor, X, I, bool>("multinomial", multinomial);
  f.add<Tensor, X, double, bool>("dropout", dropout);
  f.add<Tensor&, Tensor&, double, double>("uniform_", uniform_);
  f.add<Tensor&, Tensor&, I, Maybe<I>>("random_", random_);
  f.add<Two, X, X, const TensorList&, bool, I, double, bool, bool, bool>("gru", gru);
  f.add<Three, X, const TensorList&, const TensorList&, bool, I, double, bool, bool, bool>("lstm",
                                                                                           lstm);
}

void add_decompositions(Functions& f) {
  f.add<Tensor, X>("linalg_inv", linalg_inv);
  f.add<Tensor, X, X, bool>("linalg_solve", linalg_solve);
  f.add<Tensor, X, X, bool, bool, bool>("linalg_solve_triangular", linalg_solve_triangular);
  f.add<Tensor, X, bool>("linalg_cholesky", linalg_cholesky);
  f.add<Tensor, X>("linalg_det", linalg_det);
  f.add<Two, X>("linalg_slogdet", linalg_slogdet);
  f.add<Two, X, std::string_view>("linalg_qr", linalg_qr);
  f.add<Two, X, std::string_view>("linalg_eigh", linalg_eigh);
  f.add<Three, X, bool>("linalg_svd", linalg_svd);
  f.add<Tensor, X, X>("inner", inner);
  f.add<Tensor, X, X>("kron", kron);
}

/// Tensors for numbers, numbers for tensors, and in place.
void add_forms(Functions& f) {
  f.add<Tensor, X, X, X>("clamp", clamp);
  f.add<Tensor&, Tensor&, X, X>("clamp_", clamp_);
  f.add<Tensor&, Tensor&, X>("fill_", fill_);
  f.add<Tensor&, Tensor&, X, X>("masked_fill_", masked_fill_);
  f.add<Tensor&, Tensor&, I, X, X>("index_fill_", index_fill_);
  f.add<Tensor, X, Scalar, Scalar>("rsub", rsub);
  f.add<Tensor, Scalar, X>("remainder", remainder);
  f.add<Tensor, Scalar, X>("bitwise_and", bitwise_and);
  f.add<Tensor, X, I>("round", round);
  f.add<Tensor&, Tensor&, Scalar, Maybe<std::string_view>>("div_", div_);
  f.add<Tensor, X, Scalar, Scalar>("where", where);
  f.add<std::vector<Tensor>, X>("where", where);
  f.add<Tensor, X, I, X, Scalar, std::string_view>("scatter", scatter);
  f.add<Tensor&, Tensor&, double, bool>("dropout_", dropout_);
  f.add<Tensor, X, X>("bernoulli", bernoulli);
  f.add<Tensor&, Tensor&, X>(
      "le_", [](Tensor& self, X other, At at) -> Tensor& { return self.le_(other, at); });
  f.add<Two, X, X, X, I, I, X, X, X, X, bool, double, X, X, bool, X, bool, X, bool, X, X, X, X, X,
        bool, bool>("multi_head_attention_forward", multi_head_attention_forward);
}

void add_samples(Functions& f) {
  f.add<Tensor, X, I, X, X, std::string_view, bool>("scatter_reduce", scatter_reduce);
  f.add<std::tuple<Tensor, Tensor, Tensor, Tensor>, X, X, X, bool, I, bool, X, bool, Maybe<I>>(
      "embedding_bag", embedding_bag);
  f.add<Tensor, X, X, std::string_view, std::string_view, bool>("grid_sample", grid_sample);
  f.add<Tensor, X, X, I, I, bool>("grid_sampler_2d", grid_sampler_2d);
  f.add<Tensor, X, X, Pair>("max_unpool2d", max_unpool2d);
  f.add<Tensor, X, X, double, Maybe<I>>("cdist", cdist);
  f.add<Tensor, X, X, List, List, I, Reduction, bool>("ctc_loss", ctc_loss);
  f.add<Tensor, X, Scalar, Scalar, bool>("rrelu", rrelu);
  f.add<Two, X, X, bool>("_pack_padded_sequence", _pack_padded_sequence);
  f.add<Two, X, X, bool, Scalar, I>("_pad_packed_sequence", _pad_packed_sequence);
  f.add<Tensor, X, List, List>("_reshape_alias", _reshape_alias);
  f.add<Tensor, X, List, I, I>("select_backward", select_backward);
  f.add<Tensor, X, List, I, I, I, I>("slice_backward", slice_backward);
  f.add<Tensor, X, List>("tile", tile);
  f.add<Tensor, X, I>("diag", diag);
  f.add<std::vector<Tensor>, X, I, I>("tensor_split", tensor_split);
}

}  // namespace

std::vector<Target> function_targets() {
  Functions functions;
  add_shape(functions);
  add_reductions(functions);
  add_indexing(functions);
  add_windows(functions);
  add_arithmetic(functions);
  add_decompositions(functions);
  add_forms(functions);
  add_samples(functions);
  return functions.take();
}

}  // namespace notape::fuzz
