// The operators of ops/reduce.h.
#include "bench/against_torch/calls.h"

namespace notape::against_torch {

namespace {

using Place = std::optional<Integer>;
using Order = std::optional<Scalar>;

void add_sums(Calls& calls) {
  calls.of<T>()("sum", sum)("mean", mean)("prod", prod);
  calls.of<T, ScalarType>()("sum", sum)("mean", mean)("prod", prod);
  calls.of<T, IntArrayRef, bool>()("sum", sum)("mean", mean)("logsumexp", logsumexp)("amax", amax)(
      "amin", amin)("all", all)("any", any);
  calls.of<T, IntArrayRef, bool, ScalarType>()("sum", sum)("mean", mean);
  calls.of<T, IntArrayRef>()("sum_to_size", sum_to_size)("count_nonzero", count_nonzero);
  calls.of<T, Integer, bool>()("prod", prod);
  calls.of<T, Integer, bool, ScalarType>()("prod", prod);
  calls.of<T, Scalar, IntArrayRef, bool, std::optional<ScalarType>>()("linalg_vector_norm",
                                                                      linalg_vector_norm);
  calls.of<T, Scalar>()("norm", norm);
  calls.of<T, Order, ScalarType>()("norm", norm);
  calls.of<T, Order, IntArrayRef, bool>()("norm", norm);
  calls.of<T, Order, IntArrayRef, bool, ScalarType>()("norm", norm);
}

/// Templates among the overloads: what they are called with decides.
template <typename F>
void add_moment(Calls& calls, const char* name, F moment) {
  calls.with<T>(name, moment);
  calls.with<T, bool>(name, moment);
  calls.with<T, IntArrayRef, bool, bool>(name, moment);
  calls.with<T, IntArrayRef, double, bool>(name, moment);
}

void add_moments(Calls& calls) {
  add_moment(calls, "var", [](const auto&... x) { return var(x...); });
  add_moment(calls, "var_mean", [](const auto&... x) { return var_mean(x...); });
  add_moment(calls, "std", [](const auto&... x) { return notape::std(x...); });
  add_moment(calls, "std_mean", [](const auto&... x) { return std_mean(x...); });
}

void add_extremes(Calls& calls) {
  calls.of<T>()("max", max)("min", min)("median", median);
  calls.with<T>("argmax", [](T x) { return argmax(x); });
  calls.with<T>("argmin", [](T x) { return argmin(x); });
  calls.of<T, T>()("max", max)("min", min);
  calls.of<T, Integer, bool>()("max", max)("min", min)("median", median);
  calls.of<T, Place, bool>()("argmax", argmax)("argmin", argmin)("aminmax", aminmax);
  const auto ordered = [](const auto&... x) { return notape::sort(x...); };
  calls.with<T, Integer, bool>("sort", ordered);
  calls.with<T, std::optional<bool>, Integer, bool>("sort", ordered);
  const auto order = [](const auto&... x) { return argsort(x...); };
  calls.with<T, Integer, bool>("argsort", order);
  calls.with<T, bool, Integer, bool>("argsort", order);
  calls.of<T, Integer, Integer, bool, bool>()("topk", topk);
}

void add_scans(Calls& calls) {
  calls.of<T, Integer>()("softmax", softmax)("log_softmax", log_softmax)("cumsum", cumsum)(
      "cumprod", cumprod)("logcumsumexp", logcumsumexp)("cummax", cummax)("cummin", cummin);
  calls.of<T, Integer, ScalarType>()("softmax", softmax)("log_softmax", log_softmax)(
      "cumsum", cumsum)("cumprod", cumprod);
}

}  // namespace

void add_reductions(Calls& calls) {
  add_sums(calls);
  add_moments(calls);
  add_extremes(calls);
  add_scans(calls);
}

}  // namespace notape::against_torch
