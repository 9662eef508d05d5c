// The error catalogue, part 3 (SEMANTICS, "Error catalogue"): user functions that break their
// contract in forward. What they wrote, they wrote; nothing else has changed.
#include "autograd/testing/error_row.h"
#include "ops/ops.h"

namespace notape::testing {
namespace {

using autograd::AutogradContext;
using autograd::Function;

/// Doubles its inputs in place and returns what `outputs` says.
struct DoublesInPlace : Function<DoublesInPlace> {
  enum Outputs { kNone, kAll };
  static variable_list forward(AutogradContext* ctx, const variable_list& inputs, int outputs) {
    ctx->mark_dirty(inputs);
    const NoGradGuard no_grad;
    for (const Tensor& input : inputs) Tensor(input).mul_(2);
    return outputs == kAll ? inputs : variable_list{inputs[0] * 1};
  }
  static variable_list backward(AutogradContext*, variable_list g) {
    g.emplace_back();
    return g;
  }
};

TEST(ErrorCatalogue, OfUserFunctionsThatBreakTheirContractInForward) {
  const auto refused_forward = [](const ErrorRow& row, Tensor written, const variable_list& inputs,
                                  int outputs) {
    const ::testing::ScopedTrace trace(__FILE__, __LINE__, row.fragment);
    const NodeRef history = written.impl().history();
    const uint64_t version = written._version();
    const std::vector<double> before = values(written);
    const int64_t saved = counters().saved_bytes;
    expect_row_error(row, [&] { DoublesInPlace::apply(inputs, outputs); });
    EXPECT_GT(written._version(), version) << "what forward wrote, it wrote";
    EXPECT_EQ(values(written)[0], 2 * before[0]);
    EXPECT_EQ(written.impl().history(), history);
    EXPECT_FALSE(written.impl().extra() && written.impl().extra()->grad.defined());
    EXPECT_EQ(counters().saved_bytes, saved);
  };
  const auto row = [](const char* fragment) {
    return error_row<FunctionError>("FunctionError", fragment, After::FailedRun, {});
  };
  const NothingLeaks guard;
  const Tensor x = leaf({1, 2, 3});
  const Tensor a = x * 1, b = x * 1;
  refused_forward(
      row("Some elements marked as dirty during the forward method were not returned as "
          "output"),
      a, {a}, DoublesInPlace::kNone);
  const Tensor view = a.view({3, 1});
  const char* const of_views[] = {
      "your Function modifies inplace an input that is a view of another Tensor",
      "Functions which modify views in-place must return a single Variable"};
  for (const char* fragment : of_views)
    refused_forward(row(fragment), view, {view, b}, DoublesInPlace::kAll);
  refused_forward(error_row<LeafInPlace>("LeafInPlace", "has been used in an in-place operation",
                                         After::FailedRun, {}),
                  x, {x}, DoublesInPlace::kAll);
  EXPECT_TRUE(x.is_leaf());
}

}  // namespace
}  // namespace notape::testing
