// A module as a function under check: a function of its input. Parameters are constants of the
// check, and what training keeps in them stays.
#include <gmock/gmock.h>

#include "ops/ops.h"
#include "paper_examples/nn/conv.h"
#include "paper_examples/nn/linear.h"
#include "verify/gradcheck.h"

namespace notape {
namespace {

/// Checks it in the middle of training.
template <typename Layer>
verify::Report report_untouched(const Layer& layer, const Tensor& x) {
  std::vector<uint64_t> versions;
  for (const Tensor& one : layer->parameters()) {
    one.set_grad(full(one.sizes(), 0.25, dtype(one.dtype())));
    versions.push_back(one._version());
  }
  const auto report = verify::check([layer](const Tensor& at) { return tanh(layer(at)); }, {x});
  for (auto version = versions.begin(); const auto& [name, one] : layer->named_parameters()) {
    EXPECT_EQ(one._version(), *version++) << name;
    EXPECT_TRUE(one.requires_grad()) << name;
    EXPECT_TRUE(equal(one.grad(), full(one.sizes(), 0.25, dtype(one.dtype())))) << name;
  }
  return report;
}

Tensor waves(std::vector<int64_t> sizes, ScalarType type) {
  int64_t count = 1;
  for (const int64_t size : sizes) count *= size;
  return sin(arange(count).to(type)).reshape(sizes).detach();
}

struct WideLayerImpl : nn::Module {
  Tensor forward(const Tensor& x) const { return matmul(x, weight) + bias; }
  Tensor weight = register_parameter("weight", waves({3, 4}, kFloat64));
  Tensor bias = register_parameter("bias", waves({4}, kFloat64));
};
using WideLayer = nn::ModuleHolder<WideLayerImpl>;

TEST(CheckedModule, AModuleIsRightAndKeepsItsGradients) {
  const auto report = report_untouched(WideLayer(), waves({2, 3}, kFloat64).requires_grad_(true));
  EXPECT_TRUE(report.ok()) << report.text();
}

TEST(CheckedModule, OneInFloat32IsNotCalledWrongAndTheReportSaysWhatToDo) {
  for (const auto& report :
       {report_untouched(nn::Linear(3, 4), waves({2, 3}, kFloat32).requires_grad_(true)),
        report_untouched(nn::Conv2d(1, 2, 3),
                         waves({1, 1, 4, 4}, kFloat32).requires_grad_(true))}) {
    EXPECT_EQ(report.verdict(), verify::Verdict::Unresolved) << report.text();
    EXPECT_THAT(report.text(), ::testing::HasSubstr("hand the float32 tensors it captures"));
    EXPECT_THAT(report.text(), ::testing::Not(::testing::HasSubstr("advice")));
  }
}

}  // namespace
}  // namespace notape
