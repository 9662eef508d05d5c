#include "ops/out/nn.h"

#include "ops/activation.h"
#include "ops/conv.h"
#include "ops/loss.h"
#include "ops/out/detail/write_out.h"
#include "ops/pooling.h"
#include "ops/vision.h"

namespace notape {

O gelu_out(O out, X self, Text approximate, At at) {
  return exact(out, at)(gelu, self, approximate);
}
O silu_out(O out, X self, At at) { return exact(out, at)(silu, self); }
O mish_out(O out, X self, At at) { return exact(out, at)(mish, self); }
O leaky_relu_out(O out, X self, Scalar negative_slope, At at) {
  return exact(out, at)(leaky_relu, self, negative_slope);
}
O elu_out(O out, X self, Scalar alpha, Scalar scale, Scalar input_scale, At at) {
  return exact(out, at)(elu, self, alpha, scale, input_scale);
}
O hardtanh_out(O out, X self, Scalar min_val, Scalar max_val, At at) {
  return exact(out, at)(hardtanh, self, min_val, max_val);
}
O hardsigmoid_out(O out, X self, At at) { return exact(out, at)(hardsigmoid, self); }
O hardswish_out(O out, X self, At at) { return exact(out, at)(hardswish, self); }
O hardshrink_out(O out, X self, Scalar lambd, At at) {
  return exact(out, at)(hardshrink, self, lambd);
}
O softshrink_out(O out, X self, Scalar lambd, At at) {
  return exact(out, at)(softshrink, self, lambd);
}
O softplus_out(O out, X self, Scalar beta, Scalar threshold, At at) {
  return exact(out, at)(softplus, self, beta, threshold);
}
O log_sigmoid_out(O out, X self, At at) { return exact(out, at)(log_sigmoid, self); }
O glu_out(O out, X self, I dim, At at) { return converted(out, at)(glu, self, dim); }
O threshold_out(O out, X self, Scalar threshold, Scalar value, At at) {
  return converted(out, at)(notape::threshold, self, threshold, value);
}
O mse_loss_out(O out, X self, X target, Reduction reduction, At at) {
  return converted(out, at)(mse_loss, self, target, reduction);
}
O smooth_l1_loss_out(O out, X self, X target, Reduction reduction, double beta, At at) {
  return converted(out, at)(smooth_l1_loss, self, target, reduction, beta);
}
O huber_loss_out(O out, X self, X target, Reduction reduction, double delta, At at) {
  return converted(out, at)(huber_loss, self, target, reduction, delta);
}
O soft_margin_loss_out(O out, X self, X target, Reduction reduction, At at) {
  return exact(out, at)(soft_margin_loss, self, target, reduction);
}
O binary_cross_entropy_out(O out, X self, X target, X weight, Reduction reduction, At at) {
  return exact(out, at)(binary_cross_entropy, self, target, weight, reduction);
}
O nll_loss_out(O out, X self, X target, X weight, Reduction reduction, I ignore_index, At at) {
  return exact(out, at)(nll_loss, self, target, weight, reduction, ignore_index);
}
O avg_pool2d_out(O out, X self, Pair kernel_size, Optional<Pair> stride, Pair padding,
                 bool ceil_mode, bool count_include_pad, Maybe<I> divisor_override, At at) {
  return exact(out, at)(avg_pool2d, self, kernel_size, stride, padding, ceil_mode,
                        count_include_pad, divisor_override);
}
O avg_pool3d_out(O out, X self, Triple kernel_size, Optional<Triple> stride, Triple padding,
                 bool ceil_mode, bool count_include_pad, Maybe<I> divisor_override, At at) {
  return exact(out, at)(avg_pool3d, self, kernel_size, stride, padding, ceil_mode,
                        count_include_pad, divisor_override);
}
O adaptive_avg_pool2d_out(O out, X self, Pair output_size, At at) {
  return exact(out, at)(adaptive_avg_pool2d, self, output_size);
}
O adaptive_avg_pool3d_out(O out, X self, Triple output_size, At at) {
  return exact(out, at)(adaptive_avg_pool3d, self, output_size);
}
TwoOuts adaptive_max_pool2d_out(O out, O indices, X self, Pair output_size, At at) {
  return exact(std::tie(out, indices), at)(adaptive_max_pool2d, self, output_size);
}
TwoOuts max_pool2d_with_indices_out(O out, O indices, X self, Pair kernel_size,
                                    Optional<Pair> stride, Pair padding, Pair dilation,
                                    bool ceil_mode, At at) {
  return exact(std::tie(out, indices), at)(max_pool2d_with_indices, self, kernel_size, stride,
                                           padding, dilation, ceil_mode);
}
TwoOuts max_pool3d_with_indices_out(O out, O indices, X self, Triple kernel_size,
                                    Optional<Triple> stride, Triple padding, Triple dilation,
                                    bool ceil_mode, At at) {
  return exact(std::tie(out, indices), at)(max_pool3d_with_indices, self, kernel_size, stride,
                                           padding, dilation, ceil_mode);
}
O max_unpool2d_out(O out, X self, X indices, Pair output_size, At at) {
  return exact(out, at)(max_unpool2d, self, indices, output_size);
}
O im2col_out(O out, X self, Pair kernel_size, Pair dilation, Pair padding, Pair stride, At at) {
  return exact(out, at)(im2col, self, kernel_size, dilation, padding, stride);
}
O col2im_out(O out, X self, Pair output_size, Pair kernel_size, Pair dilation, Pair padding,
             Pair stride, At at) {
  return exact(out, at)(col2im, self, output_size, kernel_size, dilation, padding, stride);
}
O reflection_pad1d_out(O out, X self, Sizes padding, At at) {
  return exact(out, at)(reflection_pad1d, self, padding);
}
O reflection_pad2d_out(O out, X self, Sizes padding, At at) {
  return exact(out, at)(reflection_pad2d, self, padding);
}
O reflection_pad3d_out(O out, X self, Sizes padding, At at) {
  return exact(out, at)(reflection_pad3d, self, padding);
}
O replication_pad1d_out(O out, X self, Sizes padding, At at) {
  return exact(out, at)(replication_pad1d, self, padding);
}
O replication_pad2d_out(O out, X self, Sizes padding, At at) {
  return exact(out, at)(replication_pad2d, self, padding);
}
O replication_pad3d_out(O out, X self, Sizes padding, At at) {
  return exact(out, at)(replication_pad3d, self, padding);
}
O upsample_nearest1d_out(O out, X self, I output_size, Maybe<double> scales, At at) {
  return exact(out, at)(upsample_nearest1d, self, output_size, scales);
}
O upsample_nearest2d_out(O out, X self, Pair output_size, Maybe<double> scales_h,
                         Maybe<double> scales_w, At at) {
  return exact(out, at)(upsample_nearest2d, self, output_size, scales_h, scales_w);
}
O upsample_linear1d_out(O out, X self, I output_size, bool align_corners, Maybe<double> scales,
                        At at) {
  return exact(out, at)(upsample_linear1d, self, output_size, align_corners, scales);
}
O upsample_bilinear2d_out(O out, X self, Pair output_size, bool align_corners,
                          Maybe<double> scales_h, Maybe<double> scales_w, At at) {
  return exact(out, at)(upsample_bilinear2d, self, output_size, align_corners, scales_h, scales_w);
}
O upsample_bicubic2d_out(O out, X self, Pair output_size, bool align_corners,
                         Maybe<double> scales_h, Maybe<double> scales_w, At at) {
  return exact(out, at)(upsample_bicubic2d, self, output_size, align_corners, scales_h, scales_w);
}

}  // namespace notape
