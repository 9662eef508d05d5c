#include "ops/linalg/testing/torch_example.h"
#include "ops/ops.h"

namespace notape::testing {
namespace {

Tensor class_weights() { return constant({0.5, 1.5, 2}); }

const TorchExample kMixedTargets[] = {
    {.name = "cross_entropy of distributions, None",
     .inputs = {{{2, 3}, 5}, {{2, 3}, 7}},
     .call =
         [](const variable_list& x) {
           return cross_entropy(x[0], x[1] * 0.25 + 0.5, class_weights(), Reduction::None, -100,
                                0.2);
         },
     .sizes = {2},
     .output = {3.1937673662, 2.0287185696},
     .gradients = {{-0.04378992722, -0.44117782942, 0.48496775664, 0.10377114187, 0.13238640472,
                    -0.23615754659},
                   {-0.08009759319, -0.05279277957, -0.47039037276, 0.08009759319, 0.05279277957,
                    0.47039037276}}},
    {.name = "cross_entropy smoothed, None",
     .inputs = {{{4, 3}, 5}},
     .call =
         [](const variable_list& x) {
           return cross_entropy(x[0], tensor({2, 0, 1, 1}), class_weights(), Reduction::None, 0,
                                0.2);
         },
     .sizes = {4},
     .output = {4.1653101458, 0, 3.3963817347, 3.3963817347},
     .gradients = {{-0.17140263931, -0.60642637762, 0.77782901693, 0, 0, 0, 1.3184129425,
                    -1.7648054468, 0.44639250437, -0.65920647124, 0.88240272342, -0.22319625218}}},
    {.name = "cross_entropy smoothed without weights, None",
     .inputs = {{{2, 3, 2}, 5}},
     .call =
         [](const variable_list& x) {
           return cross_entropy(x[0], tensor({2, 0, 1, 1}).reshape({2, 2}), {}, Reduction::None,
                                -100, 0.3);
         },
     .sizes = {2, 2},
     .output = {0.65281975447, 0.75297574386, 1.2779757439, 0.76612278333},
     .gradients = {{-0.01918529527, -0.10510116817, 0.017319180573, 0.089300344598, 0.0018661146975,
                    0.015800823573, 0.73469649549, 0.035395196033, -0.78209896621, 0.11751471486,
                    0.04740247072, -0.15290991089}}},
    {.name = "cross_entropy of distributions, Mean",
     .inputs = {{{2, 3}, 5}, {{2, 3}, 7}},
     .call =
         [](const variable_list& x) {
           return cross_entropy(x[0], x[1] * 0.25 + 0.5, class_weights(), Reduction::Mean, -100,
                                0.2);
         },
     .sizes = {},
     .output = {2.6112429679},
     .gradients = {{-0.02189496361, -0.22058891471, 0.24248387832, -0.051885570936, -0.066193202359,
                    0.1180787733},
                   {-0.040048796595, -0.026396389785, -0.23519518638, -0.040048796595,
                    -0.026396389785, -0.23519518638}}},
    {.name = "cross_entropy smoothed, Mean",
     .inputs = {{{4, 3}, 5}},
     .call =
         [](const variable_list& x) {
           return cross_entropy(x[0], tensor({2, 0, 1, 1}), class_weights(), Reduction::Mean, 0,
                                0.2);
         },
     .sizes = {},
     .output = {2.191614723},
     .gradients = {{-0.034280527861, -0.12128527552, 0.15556580339, 0, 0, 0, -0.087894196165,
                    0.11765369646, -0.029759500291, -0.087894196165, 0.11765369646,
                    -0.029759500291}}},
    {.name = "cross_entropy smoothed without weights, Mean",
     .inputs = {{{2, 3, 2}, 5}},
     .call =
         [](const variable_list& x) {
           return cross_entropy(x[0], tensor({2, 0, 1, 1}).reshape({2, 2}), {}, Reduction::Mean,
                                -100, 0.3);
         },
     .sizes = {},
     .output = {0.86247350638},
     .gradients = {{-0.0047963238176, 0.026275292043, 0.0043297951432, -0.02232508615,
                    0.00046652867436, -0.0039502058934, -0.061224707957, 0.0058991993388,
                    0.06517491385, 0.01958578581, -0.0039502058934, -0.025484985148}}},
    {.name = "cross_entropy of distributions, Sum",
     .inputs = {{{2, 3}, 5}, {{2, 3}, 7}},
     .call =
         [](const variable_list& x) {
           return cross_entropy(x[0], x[1] * 0.25 + 0.5, class_weights(), Reduction::Sum, -100,
                                0.2);
         },
     .sizes = {},
     .output = {5.2224859358},
     .gradients = {{-0.04378992722, -0.44117782942, 0.48496775664, -0.10377114187, -0.13238640472,
                    0.23615754659},
                   {-0.08009759319, -0.05279277957, -0.47039037276, -0.08009759319, -0.05279277957,
                    -0.47039037276}}},
    {.name = "cross_entropy smoothed, Sum",
     .inputs = {{{4, 3}, 5}},
     .call =
         [](const variable_list& x) {
           return cross_entropy(x[0], tensor({2, 0, 1, 1}), class_weights(), Reduction::Sum, 0,
                                0.2);
         },
     .sizes = {},
     .output = {10.958073615},
     .gradients = {{-0.17140263931, -0.60642637762, 0.77782901693, 0, 0, 0, -0.43947098083,
                    0.58826848228, -0.14879750146, -0.43947098083, 0.58826848228, -0.14879750146}}},
    {.name = "cross_entropy smoothed without weights, Sum",
     .inputs = {{{2, 3, 2}, 5}},
     .call =
         [](const variable_list& x) {
           return cross_entropy(x[0], tensor({2, 0, 1, 1}).reshape({2, 2}), {}, Reduction::Sum,
                                -100, 0.3);
         },
     .sizes = {},
     .output = {3.4498940255},
     .gradients = {{-0.01918529527, 0.10510116817, 0.017319180573, -0.089300344598, 0.0018661146975,
                    -0.015800823573, -0.24489883183, 0.023596797355, 0.2606996554, 0.078343143239,
                    -0.015800823573, -0.10193994059}}},
};

TEST(CrossEntropyMixed, HasTheValuesAndGradientsOfLibTorch) {
  for (const TorchExample& example : kMixedTargets) expect_example(example);
}

}  // namespace
}  // namespace notape::testing
