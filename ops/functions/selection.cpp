#include "ops/functions/functions.h"

namespace notape::functions {
namespace {

const RegisterFunctions selection_functions([](Functions& f) {
  f("nan_to_num", nan_to_num, nan_to_num_, nan_to_num_out);
  f.of<Tensor(X, Maybe<Scalar>, Maybe<Scalar>)>("clamp", clamp, clamp_, clamp_out);
  f.of<Tensor(X, X, X)>("clamp", clamp, clamp_, clamp_out);
  f.of<Tensor(X, Scalar)>("clamp_min", clamp_min, clamp_min_, clamp_min_out);
  f.of<Tensor(X, X)>("clamp_min", clamp_min, clamp_min_, clamp_min_out);
  f.of<Tensor(X, Scalar)>("clamp_max", clamp_max, clamp_max_, clamp_max_out);
  f.of<Tensor(X, X)>("clamp_max", clamp_max, clamp_max_, clamp_max_out);
  f.of<Tensor(X, Maybe<Scalar>, Maybe<Scalar>)>("clip", clip, clip_, clip_out);
  f.of<Tensor(X, X, X)>("clip", clip, clip_, clip_out);
  f("maximum", maximum, maximum_out);
  f("minimum", minimum, minimum_out);
  f("fmax", fmax, fmax_out);
  f("fmin", fmin, fmin_out);
  f.of<Tensor(X, X, X)>("where", where, where_out);
  f.of<Tensor(X, X, Scalar)>("where", where);
  f.of<Tensor(X, Scalar, X)>("where", where);
  f.of<Tensor(X, Scalar, Scalar)>("where", where);
  f.of<Tensor(X, X, Scalar)>("masked_fill", masked_fill, masked_fill_);
  f.of<Tensor(X, X, X)>("masked_fill", masked_fill, masked_fill_);
});

}  // namespace
}  // namespace notape::functions
