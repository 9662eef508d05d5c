#include "ops/functions/functions.h"

namespace notape::functions {
namespace {

const RegisterFunctions pooling_functions([](Functions& f) {
  f("max_pool1d", max_pool1d);
  f("max_pool1d_with_indices", max_pool1d_with_indices);
  f("max_pool3d", max_pool3d);
  f("max_pool3d_with_indices", max_pool3d_with_indices, max_pool3d_with_indices_out);
  f("adaptive_max_pool1d", adaptive_max_pool1d);
  f("adaptive_max_pool2d", adaptive_max_pool2d, adaptive_max_pool2d_out);
  f("avg_pool1d", avg_pool1d);
  f("avg_pool2d", avg_pool2d, avg_pool2d_out);
  f("avg_pool3d", avg_pool3d, avg_pool3d_out);
  f("adaptive_avg_pool1d", adaptive_avg_pool1d);
  f("adaptive_avg_pool2d", adaptive_avg_pool2d, adaptive_avg_pool2d_out);
  f("adaptive_avg_pool3d", adaptive_avg_pool3d, adaptive_avg_pool3d_out);
  f("max_unpool2d", max_unpool2d, max_unpool2d_out);
});

}  // namespace
}  // namespace notape::functions
