#include "ops/functions/functions.h"

namespace notape::functions {
namespace {

const RegisterFunctions conv_functions([](Functions& f) {
  f.of<Tensor(X, X, X, Pair, Pair, Pair, I)>("conv2d", conv2d);
  f.of<Tensor(X, X, X, Pair, PaddingName, Pair, I)>("conv2d", conv2d);
  f.of<Tensor(X, X, X, Pair, Pair, Pair, I)>("conv2d_relu", conv2d_relu);
  f("max_pool2d", max_pool2d);
  f("max_pool2d_with_indices", max_pool2d_with_indices, max_pool2d_with_indices_out);
  f.of<Tensor(X, X, X, I, I, I, I)>("conv1d", conv1d);
  f.of<Tensor(X, X, X, I, PaddingName, I, I)>("conv1d", conv1d);
  f.of<Tensor(X, X, X, Triple, Triple, Triple, I)>("conv3d", conv3d);
  f.of<Tensor(X, X, X, Triple, PaddingName, Triple, I)>("conv3d", conv3d);
  f("conv_transpose2d", conv_transpose2d);
  f("conv_transpose1d", conv_transpose1d);
  f("im2col", im2col, im2col_out);
  f("col2im", col2im, col2im_out);
  f("conv_transpose3d", conv_transpose3d);
});

}  // namespace
}  // namespace notape::functions
