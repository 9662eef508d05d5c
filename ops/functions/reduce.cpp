#include "ops/functions/functions.h"

namespace notape::functions {
namespace {

const RegisterFunctions reduce_functions([](Functions& f) {
  f.of<Tensor(X)>("sum", sum);
  f.of<Tensor(X, Sizes, bool)>("sum", sum);
  f.of<Tensor(X, ScalarType)>("sum", sum);
  f.of<Tensor(X, Sizes, bool, ScalarType)>("sum", sum);
  f("sum_out", sum_out);
  f("sum_to_size", sum_to_size);
  f.of<Tensor(X)>("mean", mean);
  f.of<Tensor(X, Sizes, bool)>("mean", mean);
  f.of<Tensor(X, ScalarType)>("mean", mean);
  f.of<Tensor(X, Sizes, bool, ScalarType)>("mean", mean);
  f.of<O(O, X, Maybe<ScalarType>)>("mean_out", mean_out);
  f.of<O(O, X, Sizes, bool, Maybe<ScalarType>)>("mean_out", mean_out);
  f.of<Tensor(X)>("prod", prod);
  f.of<Tensor(X, I, bool)>("prod", prod);
  f.of<Tensor(X, ScalarType)>("prod", prod);
  f.of<Tensor(X, I, bool, ScalarType)>("prod", prod);
  f("prod_out", prod_out);
  f.of<Tensor(X)>("max", max, max_out);
  f.of<Two(X, I, bool)>("max", max, max_out);
  f.of<Tensor(X, X)>("max", max);
  f.of<O(O, X, X)>("max_out", max_out);
  f.of<Tensor(X)>("min", min, min_out);
  f.of<Two(X, I, bool)>("min", min, min_out);
  f.of<Tensor(X, X)>("min", min);
  f.of<O(O, X, X)>("min_out", min_out);
  f("logsumexp", logsumexp, logsumexp_out);
  f.of<Tensor(X, I)>("softmax", softmax);
  f.of<Tensor(X, I, ScalarType)>("softmax", softmax);
  f("softmax_out", softmax_out);
  f.of<Tensor(X, I)>("log_softmax", log_softmax);
  f.of<Tensor(X, I, ScalarType)>("log_softmax", log_softmax);
  f("log_softmax_out", log_softmax_out);
  f.of<Tensor(X, I)>("cumsum", cumsum);
  f.of<Tensor(X, I, ScalarType)>("cumsum", cumsum);
  f("cumsum_out", cumsum_out);
  f.of<Tensor(X)>("var", var);
  f.of<Tensor(X, Sizes, bool, bool)>("var", var, var_out);
  f.of<Tensor(X, bool)>("var", var);
  f.of<Tensor(X, Sizes, double, bool)>("var", var, var_out);
  f.of<Two(X)>("var_mean", var_mean);
  f.of<Two(X, Sizes, bool, bool)>("var_mean", var_mean);
  f.of<Two(X, bool)>("var_mean", var_mean);
  f.of<Two(X, Sizes, double, bool)>("var_mean", var_mean);
  f("amax", amax, amax_out);
  f("amin", amin, amin_out);
  f("aminmax", aminmax, aminmax_out);
  f("argmax", argmax, argmax_out);
  f(
      "argmax", +[](X self, At at) { return argmax(self, {}, false, at); });
  f("argmin", argmin, argmin_out);
  f(
      "argmin", +[](X self, At at) { return argmin(self, {}, false, at); });
  f.of<Tensor(X)>("std", notape::std);
  f.of<Tensor(X, Sizes, bool, bool)>("std", notape::std, std_out);
  f.of<Tensor(X, bool)>("std", notape::std);
  f.of<Tensor(X, Sizes, double, bool)>("std", notape::std, std_out);
  f.of<Two(X)>("std_mean", std_mean);
  f.of<Two(X, Sizes, bool, bool)>("std_mean", std_mean);
  f.of<Two(X, bool)>("std_mean", std_mean);
  f.of<Two(X, Sizes, double, bool)>("std_mean", std_mean);
  f("linalg_vector_norm", linalg_vector_norm, linalg_vector_norm_out);
  f.of<Tensor(X, Scalar)>("norm", norm);
  f.of<Tensor(X, Maybe<Scalar>, ScalarType)>("norm", norm);
  f.of<Tensor(X, Maybe<Scalar>, Sizes, bool)>("norm", norm, norm_out);
  f.of<Tensor(X, Maybe<Scalar>, Sizes, bool, ScalarType)>("norm", norm, norm_out);
  f("all", all, all_out);
  f("any", any, any_out);
  f("count_nonzero", count_nonzero);
  f.of<Two(X, I, bool)>("sort", notape::sort, sort_out);
  f.of<Two(X, Maybe<bool>, I, bool)>("sort", notape::sort, sort_out);
  f.of<Tensor(X, I, bool)>("argsort", argsort);
  f.of<Tensor(X, bool, I, bool)>("argsort", argsort, argsort_out);
  f("topk", topk, topk_out);
  f.of<Tensor(X)>("median", median);
  f.of<Two(X, I, bool)>("median", median, median_out);
  f.of<Tensor(X, X, Maybe<I>, bool, Text)>("quantile", quantile, quantile_out);
  f.of<Tensor(X, double, Maybe<I>, bool, Text)>("quantile", quantile, quantile_out);
  f.of<Tensor(X, I)>("cumprod", cumprod);
  f.of<Tensor(X, I, ScalarType)>("cumprod", cumprod);
  f("cumprod_out", cumprod_out);
  f("logcumsumexp", logcumsumexp, logcumsumexp_out);
  f("cummax", cummax, cummax_out);
  f("cummin", cummin, cummin_out);
});

}  // namespace
}  // namespace notape::functions
