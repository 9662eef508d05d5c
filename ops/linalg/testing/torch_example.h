// What PyTorch 2.15 computes, as data: results and first gradients of inputs made by pattern().
#pragma once
#include "ops/linalg/testing/pattern.h"
#include "ops/reduce/testing/derivatives.h"

namespace notape::testing {

struct TorchExample {
  struct Pattern {
    std::vector<int64_t> sizes;
    int64_t key;
  };
  const char* name;
  std::vector<Pattern> inputs;
  std::function<Tensor(const variable_list&)> call;
  std::vector<int64_t> sizes;
  std::vector<double> output;
  std::vector<std::vector<double>> gradients;  ///< for the incoming gradient pattern(sizes, 4)
};

inline void expect_example(const TorchExample& example) {
  const ::testing::ScopedTrace trace(__FILE__, __LINE__, example.name);
  variable_list inputs;
  for (const auto& [sizes, key] : example.inputs) inputs.push_back(pattern_leaf(sizes, key));
  const Tensor result = example.call(inputs);
  EXPECT_EQ(result.sizes().vec(), example.sizes);
  expect_close(result, example.output);
  if (!result.requires_grad()) {
    ADD_FAILURE() << "has no gradient";
    return;
  }
  const variable_list gradients =
      autograd::grad({result}, inputs, {pattern(example.sizes, 4)}, {}, {}, true);
  for (std::size_t i = 0; i < inputs.size(); ++i) expect_close(gradients[i], example.gradients[i]);
}

}  // namespace notape::testing
