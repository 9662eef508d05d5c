// Activations, losses, pooling, padding and resampling: each out form beside its function.
#include "ops/out/testing/forms.h"

namespace notape::testing {
namespace {

const RegisterForms nn_forms(
    {{"gelu_out", [] { return list(gelu(x(), "tanh")); },
      [](variable_list& o) { return whose(gelu_out(o[0], x(), "tanh")); }},
     {"silu_out", [] { return list(silu(x())); },
      [](variable_list& o) { return whose(silu_out(o[0], x())); }},
     {"mish_out", [] { return list(mish(x())); },
      [](variable_list& o) { return whose(mish_out(o[0], x())); }},
     {"leaky_relu_out", [] { return list(leaky_relu(-x(), 0.2)); },
      [](variable_list& o) { return whose(leaky_relu_out(o[0], -x(), 0.2)); }},
     {"elu_out", [] { return list(elu(-x(), 2, 3, 4)); },
      [](variable_list& o) { return whose(elu_out(o[0], -x(), 2, 3, 4)); }},
     {"hardtanh_out", [] { return list(hardtanh(x(), 0.2, 0.7)); },
      [](variable_list& o) { return whose(hardtanh_out(o[0], x(), 0.2, 0.7)); }},
     {"hardsigmoid_out", [] { return list(hardsigmoid(x())); },
      [](variable_list& o) { return whose(hardsigmoid_out(o[0], x())); }},
     {"hardswish_out", [] { return list(hardswish(x())); },
      [](variable_list& o) { return whose(hardswish_out(o[0], x())); }},
     {"hardshrink_out", [] { return list(hardshrink(x(), 0.3)); },
      [](variable_list& o) { return whose(hardshrink_out(o[0], x(), 0.3)); }},
     {"softshrink_out", [] { return list(softshrink(x(), 0.3)); },
      [](variable_list& o) { return whose(softshrink_out(o[0], x(), 0.3)); }},
     {"softplus_out", [] { return list(softplus(x(), 2, 1)); },
      [](variable_list& o) { return whose(softplus_out(o[0], x(), 2, 1)); }},
     {"log_sigmoid_out", [] { return list(log_sigmoid(x())); },
      [](variable_list& o) { return whose(log_sigmoid_out(o[0], x())); }},
     {"glu_out", [] { return list(glu(x(), 1)); },
      [](variable_list& o) { return whose(glu_out(o[0], x(), 1)); }},
     {"threshold_out", [] { return list(threshold(x(), 0.5, 3)); },
      [](variable_list& o) { return whose(threshold_out(o[0], x(), 0.5, 3)); }},
     {"mse_loss_out", [] { return list(mse_loss(x(), y(), Reduction::Sum)); },
      [](variable_list& o) { return whose(mse_loss_out(o[0], x(), y(), Reduction::Sum)); }},
     {"smooth_l1_loss_out", [] { return list(smooth_l1_loss(x(), y(), Reduction::None, 0.2)); },
      [](variable_list& o) {
        return whose(smooth_l1_loss_out(o[0], x(), y(), Reduction::None, 0.2));
      }},
     {"huber_loss_out", [] { return list(huber_loss(x(), y(), Reduction::None, 0.2)); },
      [](variable_list& o) { return whose(huber_loss_out(o[0], x(), y(), Reduction::None, 0.2)); }},
     {"soft_margin_loss_out", [] { return list(soft_margin_loss(x(), y(), Reduction::None)); },
      [](variable_list& o) {
        return whose(soft_margin_loss_out(o[0], x(), y(), Reduction::None));
      }},
     {"binary_cross_entropy_out",
      [] { return list(binary_cross_entropy(x(), y(), y(), Reduction::None)); },
      [](variable_list& o) {
        return whose(binary_cross_entropy_out(o[0], x(), y(), y(), Reduction::None));
      }},
     {"nll_loss_out", [] { return list(nll_loss(x(), positions(), x()[0], Reduction::Sum, 2)); },
      [](variable_list& o) {
        return whose(nll_loss_out(o[0], x(), positions(), x()[0], Reduction::Sum, 2));
      }},
     {"avg_pool2d_out", [] { return list(avg_pool2d(image(), 2, 1, 1, true, false, 3)); },
      [](variable_list& o) {
        return whose(avg_pool2d_out(o[0], image(), 2, 1, 1, true, false, 3));
      }},
     {"avg_pool3d_out", [] { return list(avg_pool3d(volume(), 2, 1, 1, true, false, 3)); },
      [](variable_list& o) {
        return whose(avg_pool3d_out(o[0], volume(), 2, 1, 1, true, false, 3));
      }},
     {"adaptive_avg_pool2d_out", [] { return list(adaptive_avg_pool2d(image(), 3)); },
      [](variable_list& o) { return whose(adaptive_avg_pool2d_out(o[0], image(), 3)); }},
     {"adaptive_avg_pool3d_out", [] { return list(adaptive_avg_pool3d(volume(), 3)); },
      [](variable_list& o) { return whose(adaptive_avg_pool3d_out(o[0], volume(), 3)); }},
     {"adaptive_max_pool2d_out", [] { return list(adaptive_max_pool2d(image(), 3)); },
      [](variable_list& o) { return whose(adaptive_max_pool2d_out(o[0], o[1], image(), 3)); }},
     {"max_pool2d_with_indices_out",
      [] { return list(max_pool2d_with_indices(image(), 2, 1, 1, 1, true)); },
      [](variable_list& o) {
        return whose(max_pool2d_with_indices_out(o[0], o[1], image(), 2, 1, 1, 1, true));
      }},
     {"max_pool3d_with_indices_out",
      [] { return list(max_pool3d_with_indices(volume(), 2, 1, 1, 1, true)); },
      [](variable_list& o) {
        return whose(max_pool3d_with_indices_out(o[0], o[1], volume(), 2, 1, 1, 1, true));
      }},
     {"max_unpool2d_out", [] { return list(max_unpool2d(image(), distinct_pixels(), 5)); },
      [](variable_list& o) {
        return whose(max_unpool2d_out(o[0], image(), distinct_pixels(), 5));
      }},
     {"im2col_out", [] { return list(im2col(image(), 2, 1, 0, 1)); },
      [](variable_list& o) { return whose(im2col_out(o[0], image(), 2, 1, 0, 1)); }},
     {"col2im_out",
      [] {
        return list(col2im(image().reshape({1, 8, 4}), 3, 2, 1, 0, 1));
      },
      [](variable_list& o) {
        return whose(col2im_out(o[0], image().reshape({1, 8, 4}), 3, 2, 1, 0, 1));
      }},
     {"reflection_pad1d_out",
      [] {
        return list(reflection_pad1d(x(), {1, 2}));
      },
      [](variable_list& o) {
        return whose(reflection_pad1d_out(o[0], x(), {1, 2}));
      }},
     {"reflection_pad2d_out",
      [] {
        return list(reflection_pad2d(image(), {1, 2, 3, 0}));
      },
      [](variable_list& o) {
        return whose(reflection_pad2d_out(o[0], image(), {1, 2, 3, 0}));
      }},
     {"reflection_pad3d_out",
      [] {
        return list(reflection_pad3d(volume(), {1, 1, 2, 0, 1, 0}));
      },
      [](variable_list& o) {
        return whose(reflection_pad3d_out(o[0], volume(), {1, 1, 2, 0, 1, 0}));
      }},
     {"replication_pad1d_out",
      [] {
        return list(replication_pad1d(x(), {1, 2}));
      },
      [](variable_list& o) {
        return whose(replication_pad1d_out(o[0], x(), {1, 2}));
      }},
     {"replication_pad2d_out",
      [] {
        return list(replication_pad2d(image(), {1, 2, 3, 0}));
      },
      [](variable_list& o) {
        return whose(replication_pad2d_out(o[0], image(), {1, 2, 3, 0}));
      }},
     {"replication_pad3d_out",
      [] {
        return list(replication_pad3d(volume(), {1, 1, 2, 0, 1, 0}));
      },
      [](variable_list& o) {
        return whose(replication_pad3d_out(o[0], volume(), {1, 1, 2, 0, 1, 0}));
      }},
     {"upsample_nearest1d_out", [] { return list(upsample_nearest1d(image()[0], 7)); },
      [](variable_list& o) { return whose(upsample_nearest1d_out(o[0], image()[0], 7)); }},
     {"upsample_nearest2d_out", [] { return list(upsample_nearest2d(image(), 7)); },
      [](variable_list& o) { return whose(upsample_nearest2d_out(o[0], image(), 7)); }},
     {"upsample_linear1d_out", [] { return list(upsample_linear1d(image()[0], 7, true)); },
      [](variable_list& o) { return whose(upsample_linear1d_out(o[0], image()[0], 7, true)); }},
     {"upsample_bilinear2d_out", [] { return list(upsample_bilinear2d(image(), 7, true)); },
      [](variable_list& o) { return whose(upsample_bilinear2d_out(o[0], image(), 7, true)); }},
     {"upsample_bicubic2d_out", [] { return list(upsample_bicubic2d(image(), 7, true)); },
      [](variable_list& o) { return whose(upsample_bicubic2d_out(o[0], image(), 7, true)); }}});

}  // namespace
}  // namespace notape::testing
