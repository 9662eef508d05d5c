// Every operator's derivative, given a gradient with structural zeros, promises zeros only where it
// returns them: an operator that mixes entries must not call itself elementwise.
#include <gtest/gtest.h>

#include <set>

#include "autograd/graph/support.h"
#include "autograd/testing/expect.h"
#include "ops/ops.h"
#include "verify/generate/drawn_case.h"

namespace notape::verify {
namespace {

using notape::testing::values;

struct WantsEverything final : Wanted {
  explicit WantsEverything(const Node& node) : node_(node) {}
  bool operator()(std::size_t edge) const override {
    return static_cast<bool>(node_.next_edge(edge));
  }
  const Node& node_;
};

/// Numbers without a zero among them, but for those that `mask`, if it is defined, leaves out.
Tensor drawn_gradient(const Tensor& output, uint32_t key, const Tensor& mask) {
  const Tensor dense = zeros(output.sizes(), output.options());
  for (int64_t i = 0; i < dense.numel(); ++i)
    dense.data_ptr<double>()[i] = 1 + keyed_bits(key, 77, static_cast<std::size_t>(i)) % 7;
  if (!mask.defined()) return dense.clone();
  Tensor gradient = where(mask, dense, 0);
  move_zeros(dense, gradient, [mask](const Tensor&) { return mask.to(kFloat64); });
  return gradient;
}

variable_list leaves_of(const DrawnCase& drawn) {
  variable_list leaves;
  for (const DrawnArgument& one : drawn.arguments) {
    leaves.push_back(make_tensor(one.values, one.argument.sizes, one.dtype(kFloat64)));
    if (one.is_real()) leaves.back().requires_grad_();
  }
  return leaves;
}

struct Findings {
  int promises = 0;  // zeros that a derivative has promised
  int broken = 0;
};

void check_zeros(const Tensor& output, uint32_t key, const Tensor& mask, Findings& findings) {
  const NodeRef node = output.grad_fn();
  if (!node) return;
  const NoGradGuard as_in_a_run;
  const DenseGradients dense;
  variable_list gradients(node->num_inputs()), results(node->num_edges());
  gradients[static_cast<std::size_t>(output.output_nr())] = drawn_gradient(output, key, mask);
  node->apply(gradients.data(), results.data(), WantsEverything(*node));
  for (const Tensor& result : results) {
    const Ref<Support> support = support_of(result);
    if (!support || !support->mask().defined()) continue;
    const std::vector<double> numbers = values(result), selected = values(support->mask());
    ASSERT_EQ(numbers.size(), selected.size()) << node->name();
    for (std::size_t i = 0; i < numbers.size(); ++i) {
      if (selected[i] != 0) continue;
      ++findings.promises;
      findings.broken += numbers[i] != 0;
    }
  }
}

TEST(StructuralZeros, EveryOperatorPromisesOnlyZerosThatItKeeps) {
  std::set<std::string> promising;
  for (const OpSpec* spec : op_specs()) {
    SCOPED_TRACE(spec->name);
    Findings findings;
    for (uint64_t seed = 1; seed <= 40; ++seed) {
      ChoiceDraw draw{rc::Random(seed)};
      const DrawnCase drawn = draw_case(*spec, draw, kFloat64);
      const auto check_both = [&](const Tensor& output) {
        const Tensor mask = zeros(output.sizes(), kBool);
        for (int64_t i = 0; i < mask.numel(); ++i)
          mask.data_ptr<bool>()[i] = keyed_bits(drawn.key, 78, static_cast<std::size_t>(i)) & 1;
        check_zeros(output, drawn.key, mask, findings);
        check_zeros(output, drawn.key, {}, findings);
      };
      check_both(drawn.op.call(leaves_of(drawn)));
      if (!drawn.op.call_in_place) continue;
      variable_list written = leaves_of(drawn);
      for (Tensor& one : written) one = one.clone();
      try {
        drawn.op.call_in_place(written);
      } catch (const Error&) {  // the result does not fit
        continue;
      }
      check_both(written[0]);
    }
    EXPECT_EQ(findings.broken, 0) << "of " << findings.promises;
    if (findings.promises > 0) promising.insert(spec->name);
  }
  for (const char* name :
       {"where",   "masked_fill", "relu",  "clamp",  "maximum",      "minimum", "max",
        "max_dim", "max_pool2d",  "index", "gather", "index_select", "slice",   "select",
        "narrow",  "mul",         "div",   "log",    "sqrt",         "exp",     "transpose",
        "view",    "permute",     "sum",   "mean",   "cat",          "clone",   "nll_loss"})
    EXPECT_TRUE(promising.count(name)) << name << " drops structural zeros";
  for (const char* name : {"mm", "softmax", "log_softmax", "prod", "logsumexp", "var", "conv2d"})
    EXPECT_FALSE(promising.count(name)) << name << " mixes entries";
}

}  // namespace
}  // namespace notape::verify
