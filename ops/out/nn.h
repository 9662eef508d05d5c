// Activations, losses, pooling, padding and resampling.
#pragma once
#include <optional>
#include <string_view>
#include <tuple>

#include "ops/conv.h"
#include "ops/loss.h"

namespace notape {

/// Activations, of self's dtype exactly; glu_out and threshold_out are converted.
Tensor& gelu_out(Tensor& out, const Tensor& self, std::string_view approximate = "none",
                 At at = At::current());
Tensor& silu_out(Tensor& out, const Tensor& self, At at = At::current());
Tensor& mish_out(Tensor& out, const Tensor& self, At at = At::current());
Tensor& leaky_relu_out(Tensor& out, const Tensor& self, Scalar negative_slope = 0.01,
                       At at = At::current());
Tensor& elu_out(Tensor& out, const Tensor& self, Scalar alpha = 1, Scalar scale = 1,
                Scalar input_scale = 1, At at = At::current());
Tensor& hardtanh_out(Tensor& out, const Tensor& self, Scalar min_val = -1, Scalar max_val = 1,
                     At at = At::current());
Tensor& hardsigmoid_out(Tensor& out, const Tensor& self, At at = At::current());
Tensor& hardswish_out(Tensor& out, const Tensor& self, At at = At::current());
Tensor& hardshrink_out(Tensor& out, const Tensor& self, Scalar lambd = 0.5, At at = At::current());
Tensor& softshrink_out(Tensor& out, const Tensor& self, Scalar lambd = 0.5, At at = At::current());
Tensor& softplus_out(Tensor& out, const Tensor& self, Scalar beta = 1, Scalar threshold = 20,
                     At at = At::current());
Tensor& log_sigmoid_out(Tensor& out, const Tensor& self, At at = At::current());
Tensor& glu_out(Tensor& out, const Tensor& self, Integer dim = -1, At at = At::current());
Tensor& threshold_out(Tensor& out, const Tensor& self, Scalar threshold, Scalar value,
                      At at = At::current());
/// Losses: the first three converted, the others of the result's dtype exactly.
Tensor& mse_loss_out(Tensor& out, const Tensor& self, const Tensor& target,
                     Reduction reduction = Reduction::Mean, At at = At::current());
Tensor& smooth_l1_loss_out(Tensor& out, const Tensor& self, const Tensor& target,
                           Reduction reduction = Reduction::Mean, double beta = 1,
                           At at = At::current());
Tensor& huber_loss_out(Tensor& out, const Tensor& self, const Tensor& target,
                       Reduction reduction = Reduction::Mean, double delta = 1,
                       At at = At::current());
Tensor& soft_margin_loss_out(Tensor& out, const Tensor& self, const Tensor& target,
                             Reduction reduction = Reduction::Mean, At at = At::current());
Tensor& binary_cross_entropy_out(Tensor& out, const Tensor& self, const Tensor& target,
                                 const Tensor& weight = {}, Reduction reduction = Reduction::Mean,
                                 At at = At::current());
Tensor& nll_loss_out(Tensor& out, const Tensor& self, const Tensor& target,
                     const Tensor& weight = {}, Reduction reduction = Reduction::Mean,
                     Integer ignore_index = -100, At at = At::current());
/// Pooling, windows as columns, of the result's dtype exactly. Indices are int64.
Tensor& avg_pool2d_out(Tensor& out, const Tensor& self, Pair kernel_size,
                       Optional<Pair> stride = {}, Pair padding = 0, bool ceil_mode = false,
                       bool count_include_pad = true, std::optional<Integer> divisor_override = {},
                       At at = At::current());
Tensor& avg_pool3d_out(Tensor& out, const Tensor& self, Triple kernel_size,
                       Optional<Triple> stride = {}, Triple padding = 0, bool ceil_mode = false,
                       bool count_include_pad = true, std::optional<Integer> divisor_override = {},
                       At at = At::current());
Tensor& adaptive_avg_pool2d_out(Tensor& out, const Tensor& self, Pair output_size,
                                At at = At::current());
Tensor& adaptive_avg_pool3d_out(Tensor& out, const Tensor& self, Triple output_size,
                                At at = At::current());
std::tuple<Tensor&, Tensor&> adaptive_max_pool2d_out(Tensor& out, Tensor& indices,
                                                     const Tensor& self, Pair output_size,
                                                     At at = At::current());
std::tuple<Tensor&, Tensor&> max_pool2d_with_indices_out(
    Tensor& out, Tensor& indices, const Tensor& self, Pair kernel_size, Optional<Pair> stride = {},
    Pair padding = 0, Pair dilation = 1, bool ceil_mode = false, At at = At::current());
std::tuple<Tensor&, Tensor&> max_pool3d_with_indices_out(Tensor& out, Tensor& indices,
                                                         const Tensor& self, Triple kernel_size,
                                                         Optional<Triple> stride = {},
                                                         Triple padding = 0, Triple dilation = 1,
                                                         bool ceil_mode = false,
                                                         At at = At::current());
Tensor& max_unpool2d_out(Tensor& out, const Tensor& self, const Tensor& indices, Pair output_size,
                         At at = At::current());
Tensor& im2col_out(Tensor& out, const Tensor& self, Pair kernel_size, Pair dilation, Pair padding,
                   Pair stride, At at = At::current());
Tensor& col2im_out(Tensor& out, const Tensor& self, Pair output_size, Pair kernel_size,
                   Pair dilation, Pair padding, Pair stride, At at = At::current());
/// Padding and resampling, of self's dtype exactly.
Tensor& reflection_pad1d_out(Tensor& out, const Tensor& self, IntArrayRef padding,
                             At at = At::current());
Tensor& reflection_pad2d_out(Tensor& out, const Tensor& self, IntArrayRef padding,
                             At at = At::current());
Tensor& reflection_pad3d_out(Tensor& out, const Tensor& self, IntArrayRef padding,
                             At at = At::current());
Tensor& replication_pad1d_out(Tensor& out, const Tensor& self, IntArrayRef padding,
                              At at = At::current());
Tensor& replication_pad2d_out(Tensor& out, const Tensor& self, IntArrayRef padding,
                              At at = At::current());
Tensor& replication_pad3d_out(Tensor& out, const Tensor& self, IntArrayRef padding,
                              At at = At::current());
Tensor& upsample_nearest1d_out(Tensor& out, const Tensor& self, Integer output_size,
                               std::optional<double> scales = {}, At at = At::current());
Tensor& upsample_nearest2d_out(Tensor& out, const Tensor& self, Pair output_size,
                               std::optional<double> scales_h = {},
                               std::optional<double> scales_w = {}, At at = At::current());
Tensor& upsample_linear1d_out(Tensor& out, const Tensor& self, Integer output_size,
                              bool align_corners, std::optional<double> scales = {},
                              At at = At::current());
Tensor& upsample_bilinear2d_out(Tensor& out, const Tensor& self, Pair output_size,
                                bool align_corners, std::optional<double> scales_h = {},
                                std::optional<double> scales_w = {}, At at = At::current());
Tensor& upsample_bicubic2d_out(Tensor& out, const Tensor& self, Pair output_size,
                               bool align_corners, std::optional<double> scales_h = {},
                               std::optional<double> scales_w = {}, At at = At::current());

}  // namespace notape
