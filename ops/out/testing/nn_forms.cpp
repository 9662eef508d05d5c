// Activations, losses, windows, and what makes and draws numbers.
#include "autograd/batching/random_factories.h"
#include "ops/out/testing/forms.h"

namespace notape::testing {
namespace {

constexpr auto kNone = static_cast<int64_t>(Reduction::None);
constexpr auto kSum = static_cast<int64_t>(Reduction::Sum);

const RegisterForms nn_forms([]() -> std::vector<OutForm> {
  return {
      {"gelu_out", {x(), "tanh"}},
      {"leaky_relu_out", {-x(), 0.2}},
      {"elu_out", {-x(), 2, 3, 4}},
      {"hardtanh_out", {x(), 0.2, 0.7}},
      {"softplus_out", {x(), 2, 1}},
      {"glu_out", {x(), 1}},
      {"threshold_out", {x(), 0.5, 3}},
      {"mse_loss_out", {x(), y(), kSum}},
      {"smooth_l1_loss_out", {x(), y(), kNone, 0.2}},
      {"huber_loss_out", {x(), y(), kNone, 0.2}},
      {"soft_margin_loss_out", {x(), y(), kNone}},
      {"binary_cross_entropy_out", {x(), y(), y(), kNone}},
      {"nll_loss_out", {x(), positions(), x()[0], kSum, 2}},
      {"avg_pool2d_out", {image(), 2, 1, 1, true, false, 3}},
      {"avg_pool3d_out", {volume(), 2, 1, 1, true, false, 3}},
      {"adaptive_avg_pool2d_out", {image(), 3}},
      {"adaptive_avg_pool3d_out", {volume(), 3}},
      {"adaptive_max_pool2d_out", {image(), 3}},
      {"max_pool2d_with_indices_out", {image(), 2, 1, 1, 1, true}},
      {"max_pool3d_with_indices_out", {volume(), 2, 1, 1, 1, true}},
      {"max_unpool2d_out", {image(), distinct_pixels(), 5}},
      {"im2col_out", {image(), 2, 1, 0, 1}},
      {"col2im_out", {image().reshape({1, 8, 4}), 3, 2, 1, 0, 1}},
      {"reflection_pad1d_out", {x(), Sizes{1, 2}}},
      {"reflection_pad2d_out", {image(), Sizes{1, 2, 3, 0}}},
      {"reflection_pad3d_out", {volume(), Sizes{1, 1, 2, 0, 1, 0}}},
      {"replication_pad1d_out", {x(), Sizes{1, 2}}},
      {"replication_pad2d_out", {image(), Sizes{1, 2, 3, 0}}},
      {"replication_pad3d_out", {volume(), Sizes{1, 1, 2, 0, 1, 0}}},
      {"upsample_nearest1d_out", {image()[0], 7}},
      {"upsample_nearest2d_out", {image(), 7}},
      {"upsample_linear1d_out", {image()[0], 7, true}},
      {"upsample_bilinear2d_out", {image(), 7, true}},
      {"upsample_bicubic2d_out", {image(), 7, true}},
      {"zeros_out",
       {Sizes{2, 3}},
       [] {
         return variable_list{zeros({2, 3}, kFloat64)};
       }},
      {"ones_out",
       {Sizes{2, 3}},
       [] {
         return variable_list{ones({2, 3}, kFloat64)};
       }},
      {"full_out",
       {Sizes{2, 3}, 5},
       [] {
         return variable_list{full({2, 3}, 5, kFloat64)};
       }},
      {"arange_out", {5}, [] { return variable_list{arange(5, kFloat64)}; }},
      {"arange_out", {1, 9, 3}, [] { return variable_list{arange(1, 9, 3, kFloat64)}; }},
      {"linspace_out", {1, 7, 3}, [] { return variable_list{linspace(1, 7, 3, kFloat64)}; }},
      {"eye_out", {3}, [] { return variable_list{eye(3, kFloat64)}; }},
      {"eye_out", {3, 4}, [] { return variable_list{eye(3, 4, kFloat64)}; }},
      {"rand_out",
       {Sizes{2, 3}},
       [] {
         return variable_list{rand({2, 3}, kFloat64)};
       }},
      {"randn_out",
       {Sizes{2, 3}},
       [] {
         return variable_list{randn({2, 3}, kFloat64)};
       }},
      {"randint_out",
       {9, Sizes{2, 3}},
       [] {
         return variable_list{randint(9, {2, 3}, kFloat64)};
       }},
      {"randint_out",
       {5, 9, Sizes{2, 3}},
       [] {
         return variable_list{randint(5, 9, {2, 3}, kFloat64)};
       }},
      {"randperm_out", {5}, [] { return variable_list{randperm(5, kFloat64)}; }},
      {"multinomial_out", {x(), 3, true}},
      {"normal_out", {x(), y()}},
      {"normal_out", {x(), 2}},
      {"normal_out", {2, y()}},
  };
});

}  // namespace
}  // namespace notape::testing
