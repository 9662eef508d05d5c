#include "ops/functions/functions.h"

namespace notape::functions {
namespace {

const RegisterFunctions vision_functions([](Functions& f) {
  f("constant_pad_nd", constant_pad_nd);
  f("pad", pad);
  f("reflection_pad1d", reflection_pad1d, reflection_pad1d_out);
  f("reflection_pad2d", reflection_pad2d, reflection_pad2d_out);
  f("reflection_pad3d", reflection_pad3d, reflection_pad3d_out);
  f("replication_pad1d", replication_pad1d, replication_pad1d_out);
  f("replication_pad2d", replication_pad2d, replication_pad2d_out);
  f("replication_pad3d", replication_pad3d, replication_pad3d_out);
  f("upsample_nearest1d", upsample_nearest1d, upsample_nearest1d_out);
  f("upsample_nearest2d", upsample_nearest2d, upsample_nearest2d_out);
  f("upsample_linear1d", upsample_linear1d, upsample_linear1d_out);
  f("upsample_bilinear2d", upsample_bilinear2d, upsample_bilinear2d_out);
  f("upsample_bicubic2d", upsample_bicubic2d, upsample_bicubic2d_out);
  f("interpolate", interpolate);
  f("affine_grid_generator", affine_grid_generator);
  f("pixel_shuffle", pixel_shuffle);
  f("pixel_unshuffle", pixel_unshuffle);
  f("grid_sampler_2d", grid_sampler_2d);
  f("grid_sample", grid_sample);
});

}  // namespace
}  // namespace notape::functions
