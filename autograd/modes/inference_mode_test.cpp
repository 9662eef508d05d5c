// Inference mode: what inference tensors may and may not do (SEMANTICS: "Flags and modes").
#include "autograd/modes/inference_mode.h"

#include "autograd/forward/dual.h"
#include "autograd/testing/expect.h"
#include "ops/ops.h"

namespace notape::testing {
namespace {

Tensor inference_tensor() {
  const InferenceMode mode;
  return constant({1, 2, 3});
}

TEST(Inference, RecordsNothingAndNewTensorsHaveNoVersion) {
  const Tensor x = leaf({1, 2});
  const Counters before = counters();
  Tensor y;
  {
    const InferenceMode mode;
    EXPECT_TRUE(InferenceMode::is_enabled());
    y = (x * x).tanh();
    y.add_(1);
    y.view({2, 1}).mul(2);
  }
  EXPECT_EQ(counters().nodes_created, before.nodes_created);
  EXPECT_TRUE(y.is_inference());
  EXPECT_FALSE(y.requires_grad());
  EXPECT_FALSE(InferenceMode::is_enabled());
  expect_error<InferenceTensorError>("Inference tensors do not track version counter.",
                                     [&] { y._version(); });
}

TEST(Inference, TensorsFlowThroughWhatSavesNothing) {
  const Tensor x = leaf({1, 2, 3}), t = inference_tensor();
  (x + t).sum().backward();
  expect_values(x.grad(), {1, 1, 1});
  expect_values(t * 2, {2, 4, 6});
}

TEST(Inference, TensorsCannotBeSavedWrittenOrMadeToRequireGradOutside) {
  const Tensor x = leaf({1, 2, 3});
  Tensor t = inference_tensor();
  expect_error<InferenceTensorError>("Inference tensors cannot be saved for backward.",
                                     [&] { x* t; });
  expect_error<InferenceTensorError>(
      "Inplace update to inference tensor outside InferenceMode is not allowed.",
      [&] { t.add_(1); });
  expect_error<InferenceTensorError>("Inplace update to inference tensor", [&] {
    const NoGradGuard no_grad;
    t.view({3, 1}).add_(1);
  });
  expect_error<InferenceTensorError>(
      "Setting requires_grad=True on inference tensor outside InferenceMode is not allowed.",
      [&] { t.requires_grad_(); });
  expect_values(t, {1, 2, 3});
  Tensor copy = t.clone();
  copy.requires_grad_();
  (copy * x).sum().backward();
  expect_values(copy.grad(), {1, 2, 3});
}

TEST(Inference, TensorsMadeToRequireGradInsideReceiveIt) {
  Tensor t;
  {
    const InferenceMode mode;
    t = ones({2}).requires_grad_();
  }
  (t + 1).sum().backward();
  expect_values(t.grad(), {1, 1});
}

TEST(Inference, NormalTensorsWrittenInsideAdvanceTheirVersion) {
  const Tensor x = leaf({1, 2});
  Tensor y = x * 1;
  const Tensor z = y * y;
  {
    const InferenceMode mode;
    y.add_(1);
  }
  EXPECT_EQ(y._version(), 1u);
  expect_error<SavedTensorModified>("modified by an inplace operation",
                                    [&] { z.sum().backward(); });
}

TEST(Inference, ViewsOfNormalTensorsMadeInsideAreTagged) {
  const Tensor x = leaf({1, 2});
  Tensor y = x * 1, view;
  {
    const InferenceMode mode;
    view = y.view({2, 1});
  }
  EXPECT_TRUE(view.requires_grad());
  expect_error<AmbiguousViewWrite>("A view was created in inference mode", [&] { view.add_(1); });
  y.add_(1);
  expect_error<AmbiguousViewWrite>("its base or another view of its base has been modified inplace",
                                   [&] { view.grad_fn(); });
}

TEST(Inference, SwitchesForwardModeOff) {
  const autograd::forward_ad::DualLevelGuard level;
  const Tensor x = autograd::forward_ad::make_dual(constant({1}), constant({1}));
  const InferenceMode mode;
  const Tensor y = x * x;
  EXPECT_FALSE(autograd::forward_ad::unpack_dual(y).tangent.defined());
  {
    const InferenceMode off(false);
    EXPECT_TRUE(GradMode::is_enabled());
  }
}

}  // namespace
}  // namespace notape::testing
