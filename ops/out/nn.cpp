// Activations, losses, pooling, padding and resampling.
#include "ops/out/nn.h"

#include "ops/activation.h"
#include "ops/conv.h"
#include "ops/loss.h"
#include "ops/out/detail/write_out.h"
#include "ops/pooling.h"
#include "ops/vision.h"

namespace notape {

Tensor& gelu_out(Tensor& out, const Tensor& self, std::string_view approximate, At at) {
  return out_of("gelu_out", at, out, {&self}, Fit::Exact,
                [&] { return gelu(self, approximate, at); });
}
Tensor& silu_out(Tensor& out, const Tensor& self, At at) {
  return out_of("silu_out", at, out, {&self}, Fit::Exact, [&] { return silu(self, at); });
}
Tensor& mish_out(Tensor& out, const Tensor& self, At at) {
  return out_of("mish_out", at, out, {&self}, Fit::Exact, [&] { return mish(self, at); });
}
Tensor& leaky_relu_out(Tensor& out, const Tensor& self, Scalar negative_slope, At at) {
  return out_of("leaky_relu_out", at, out, {&self}, Fit::Exact,
                [&] { return leaky_relu(self, negative_slope, at); });
}
Tensor& elu_out(Tensor& out, const Tensor& self, Scalar alpha, Scalar scale, Scalar input_scale,
                At at) {
  return out_of("elu_out", at, out, {&self}, Fit::Exact,
                [&] { return elu(self, alpha, scale, input_scale, at); });
}
Tensor& hardtanh_out(Tensor& out, const Tensor& self, Scalar min_val, Scalar max_val, At at) {
  return out_of("hardtanh_out", at, out, {&self}, Fit::Exact,
                [&] { return hardtanh(self, min_val, max_val, at); });
}
Tensor& hardsigmoid_out(Tensor& out, const Tensor& self, At at) {
  return out_of("hardsigmoid_out", at, out, {&self}, Fit::Exact,
                [&] { return hardsigmoid(self, at); });
}
Tensor& hardswish_out(Tensor& out, const Tensor& self, At at) {
  return out_of("hardswish_out", at, out, {&self}, Fit::Exact, [&] { return hardswish(self, at); });
}
Tensor& hardshrink_out(Tensor& out, const Tensor& self, Scalar lambd, At at) {
  return out_of("hardshrink_out", at, out, {&self}, Fit::Exact,
                [&] { return hardshrink(self, lambd, at); });
}
Tensor& softshrink_out(Tensor& out, const Tensor& self, Scalar lambd, At at) {
  return out_of("softshrink_out", at, out, {&self}, Fit::Exact,
                [&] { return softshrink(self, lambd, at); });
}
Tensor& softplus_out(Tensor& out, const Tensor& self, Scalar beta, Scalar threshold, At at) {
  return out_of("softplus_out", at, out, {&self}, Fit::Exact,
                [&] { return softplus(self, beta, threshold, at); });
}
Tensor& log_sigmoid_out(Tensor& out, const Tensor& self, At at) {
  return out_of("log_sigmoid_out", at, out, {&self}, Fit::Exact,
                [&] { return log_sigmoid(self, at); });
}
Tensor& glu_out(Tensor& out, const Tensor& self, Integer dim, At at) {
  return out_of("glu_out", at, out, {&self}, Fit::Converted, [&] { return glu(self, dim, at); });
}
Tensor& threshold_out(Tensor& out, const Tensor& self, Scalar threshold, Scalar value, At at) {
  return out_of("threshold_out", at, out, {&self}, Fit::Converted,
                [&] { return notape::threshold(self, threshold, value, at); });
}
Tensor& mse_loss_out(Tensor& out, const Tensor& self, const Tensor& target, Reduction reduction,
                     At at) {
  return out_of("mse_loss_out", at, out, {&self, &target}, Fit::Converted,
                [&] { return mse_loss(self, target, reduction, at); });
}
Tensor& smooth_l1_loss_out(Tensor& out, const Tensor& self, const Tensor& target,
                           Reduction reduction, double beta, At at) {
  return out_of("smooth_l1_loss_out", at, out, {&self, &target}, Fit::Converted,
                [&] { return smooth_l1_loss(self, target, reduction, beta, at); });
}
Tensor& huber_loss_out(Tensor& out, const Tensor& self, const Tensor& target, Reduction reduction,
                       double delta, At at) {
  return out_of("huber_loss_out", at, out, {&self, &target}, Fit::Converted,
                [&] { return huber_loss(self, target, reduction, delta, at); });
}
Tensor& soft_margin_loss_out(Tensor& out, const Tensor& self, const Tensor& target,
                             Reduction reduction, At at) {
  return out_of("soft_margin_loss_out", at, out, {&self, &target}, Fit::Exact,
                [&] { return soft_margin_loss(self, target, reduction, at); });
}
Tensor& binary_cross_entropy_out(Tensor& out, const Tensor& self, const Tensor& target,
                                 const Tensor& weight, Reduction reduction, At at) {
  return out_of("binary_cross_entropy_out", at, out, {&self, &target, &weight}, Fit::Exact,
                [&] { return binary_cross_entropy(self, target, weight, reduction, at); });
}
Tensor& nll_loss_out(Tensor& out, const Tensor& self, const Tensor& target, const Tensor& weight,
                     Reduction reduction, Integer ignore_index, At at) {
  return out_of("nll_loss_out", at, out, {&self, &target, &weight}, Fit::Exact,
                [&] { return nll_loss(self, target, weight, reduction, ignore_index, at); });
}
Tensor& avg_pool2d_out(Tensor& out, const Tensor& self, Pair kernel_size, Optional<Pair> stride,
                       Pair padding, bool ceil_mode, bool count_include_pad,
                       std::optional<Integer> divisor_override, At at) {
  return out_of("avg_pool2d_out", at, out, {&self}, Fit::Exact, [&] {
    return avg_pool2d(self, kernel_size, stride, padding, ceil_mode, count_include_pad,
                      divisor_override, at);
  });
}
Tensor& avg_pool3d_out(Tensor& out, const Tensor& self, Triple kernel_size, Optional<Triple> stride,
                       Triple padding, bool ceil_mode, bool count_include_pad,
                       std::optional<Integer> divisor_override, At at) {
  return out_of("avg_pool3d_out", at, out, {&self}, Fit::Exact, [&] {
    return avg_pool3d(self, kernel_size, stride, padding, ceil_mode, count_include_pad,
                      divisor_override, at);
  });
}
Tensor& adaptive_avg_pool2d_out(Tensor& out, const Tensor& self, Pair output_size, At at) {
  return out_of("adaptive_avg_pool2d_out", at, out, {&self}, Fit::Exact,
                [&] { return adaptive_avg_pool2d(self, output_size, at); });
}
Tensor& adaptive_avg_pool3d_out(Tensor& out, const Tensor& self, Triple output_size, At at) {
  return out_of("adaptive_avg_pool3d_out", at, out, {&self}, Fit::Exact,
                [&] { return adaptive_avg_pool3d(self, output_size, at); });
}
std::tuple<Tensor&, Tensor&> adaptive_max_pool2d_out(Tensor& out, Tensor& indices,
                                                     const Tensor& self, Pair output_size, At at) {
  return outs_of("adaptive_max_pool2d_out", at, std::tie(out, indices), {&self}, Fit::Exact,
                 [&] { return adaptive_max_pool2d(self, output_size, at); });
}
std::tuple<Tensor&, Tensor&> max_pool2d_with_indices_out(Tensor& out, Tensor& indices,
                                                         const Tensor& self, Pair kernel_size,
                                                         Optional<Pair> stride, Pair padding,
                                                         Pair dilation, bool ceil_mode, At at) {
  return outs_of(
      "max_pool2d_with_indices_out", at, std::tie(out, indices), {&self}, Fit::Exact, [&] {
        return max_pool2d_with_indices(self, kernel_size, stride, padding, dilation, ceil_mode, at);
      });
}
std::tuple<Tensor&, Tensor&> max_pool3d_with_indices_out(Tensor& out, Tensor& indices,
                                                         const Tensor& self, Triple kernel_size,
                                                         Optional<Triple> stride, Triple padding,
                                                         Triple dilation, bool ceil_mode, At at) {
  return outs_of(
      "max_pool3d_with_indices_out", at, std::tie(out, indices), {&self}, Fit::Exact, [&] {
        return max_pool3d_with_indices(self, kernel_size, stride, padding, dilation, ceil_mode, at);
      });
}
Tensor& max_unpool2d_out(Tensor& out, const Tensor& self, const Tensor& indices, Pair output_size,
                         At at) {
  return out_of("max_unpool2d_out", at, out, {&self, &indices}, Fit::Exact,
                [&] { return max_unpool2d(self, indices, output_size, at); });
}
Tensor& im2col_out(Tensor& out, const Tensor& self, Pair kernel_size, Pair dilation, Pair padding,
                   Pair stride, At at) {
  return out_of("im2col_out", at, out, {&self}, Fit::Exact,
                [&] { return im2col(self, kernel_size, dilation, padding, stride, at); });
}
Tensor& col2im_out(Tensor& out, const Tensor& self, Pair output_size, Pair kernel_size,
                   Pair dilation, Pair padding, Pair stride, At at) {
  return out_of("col2im_out", at, out, {&self}, Fit::Exact, [&] {
    return col2im(self, output_size, kernel_size, dilation, padding, stride, at);
  });
}
Tensor& reflection_pad1d_out(Tensor& out, const Tensor& self, IntArrayRef padding, At at) {
  return out_of("reflection_pad1d_out", at, out, {&self}, Fit::Exact,
                [&] { return reflection_pad1d(self, padding, at); });
}
Tensor& reflection_pad2d_out(Tensor& out, const Tensor& self, IntArrayRef padding, At at) {
  return out_of("reflection_pad2d_out", at, out, {&self}, Fit::Exact,
                [&] { return reflection_pad2d(self, padding, at); });
}
Tensor& reflection_pad3d_out(Tensor& out, const Tensor& self, IntArrayRef padding, At at) {
  return out_of("reflection_pad3d_out", at, out, {&self}, Fit::Exact,
                [&] { return reflection_pad3d(self, padding, at); });
}
Tensor& replication_pad1d_out(Tensor& out, const Tensor& self, IntArrayRef padding, At at) {
  return out_of("replication_pad1d_out", at, out, {&self}, Fit::Exact,
                [&] { return replication_pad1d(self, padding, at); });
}
Tensor& replication_pad2d_out(Tensor& out, const Tensor& self, IntArrayRef padding, At at) {
  return out_of("replication_pad2d_out", at, out, {&self}, Fit::Exact,
                [&] { return replication_pad2d(self, padding, at); });
}
Tensor& replication_pad3d_out(Tensor& out, const Tensor& self, IntArrayRef padding, At at) {
  return out_of("replication_pad3d_out", at, out, {&self}, Fit::Exact,
                [&] { return replication_pad3d(self, padding, at); });
}
Tensor& upsample_nearest1d_out(Tensor& out, const Tensor& self, Integer output_size,
                               std::optional<double> scales, At at) {
  return out_of("upsample_nearest1d_out", at, out, {&self}, Fit::Exact,
                [&] { return upsample_nearest1d(self, output_size, scales, at); });
}
Tensor& upsample_nearest2d_out(Tensor& out, const Tensor& self, Pair output_size,
                               std::optional<double> scales_h, std::optional<double> scales_w,
                               At at) {
  return out_of("upsample_nearest2d_out", at, out, {&self}, Fit::Exact,
                [&] { return upsample_nearest2d(self, output_size, scales_h, scales_w, at); });
}
Tensor& upsample_linear1d_out(Tensor& out, const Tensor& self, Integer output_size,
                              bool align_corners, std::optional<double> scales, At at) {
  return out_of("upsample_linear1d_out", at, out, {&self}, Fit::Exact,
                [&] { return upsample_linear1d(self, output_size, align_corners, scales, at); });
}
Tensor& upsample_bilinear2d_out(Tensor& out, const Tensor& self, Pair output_size,
                                bool align_corners, std::optional<double> scales_h,
                                std::optional<double> scales_w, At at) {
  return out_of("upsample_bilinear2d_out", at, out, {&self}, Fit::Exact, [&] {
    return upsample_bilinear2d(self, output_size, align_corners, scales_h, scales_w, at);
  });
}
Tensor& upsample_bicubic2d_out(Tensor& out, const Tensor& self, Pair output_size,
                               bool align_corners, std::optional<double> scales_h,
                               std::optional<double> scales_w, At at) {
  return out_of("upsample_bicubic2d_out", at, out, {&self}, Fit::Exact, [&] {
    return upsample_bicubic2d(self, output_size, align_corners, scales_h, scales_w, at);
  });
}

}  // namespace notape
