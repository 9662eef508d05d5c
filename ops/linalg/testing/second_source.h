// Values and first gradients that LibTorch (PyTorch 2.15) gives for inputs made by pattern().
#pragma once
#include "ops/linalg/testing/pattern.h"
#include "ops/reduce/testing/derivatives.h"

namespace notape::testing {

struct PatternInput {
  std::vector<int64_t> sizes;
  int64_t key;
};

/// Results of `f`, and gradients of their sum, each entry times its number in its result, from 1
/// on.
template <typename F>
void expect_as_libtorch(const F& f, const std::vector<PatternInput>& inputs,
                        const std::vector<std::vector<double>>& results,
                        const std::vector<std::vector<double>>& gradients,
                        std::source_location at = std::source_location::current()) {
  const ::testing::ScopedTrace trace(at.file_name(), static_cast<int>(at.line()), "as in LibTorch");
  variable_list leaves;
  for (const PatternInput& input : inputs) leaves.push_back(pattern_leaf(input.sizes, input.key));
  const TensorList all = f(leaves);
  ASSERT_EQ(all.size(), results.size());
  TensorList weights;
  for (std::size_t i = 0; i < all.size(); ++i) {
    expect_close(all[i], results[i]);
    weights.push_back(counting_like(all[i]));
  }
  autograd::backward(all, weights);
  for (std::size_t i = 0; i < gradients.size(); ++i) {
    SCOPED_TRACE(i);
    expect_close(leaves[i].grad(), gradients[i]);
  }
}

}  // namespace notape::testing
