#include "autograd/tensor/tensor.h"

#include <functional>

#include "autograd/testing/expect.h"
#include "ops/ops.h"

namespace notape::testing {
namespace {

TEST(Tensor, UndefinedOnesRaiseAndDoNotCrash) {
  const Tensor undefined;
  EXPECT_FALSE(undefined.defined());
  const std::vector<std::function<void()>> programs = {
      [&] { undefined.dim(); },
      [&] { undefined.sizes(); },
      [&] { undefined.numel(); },
      [&] { undefined.item(); },
      [&] { undefined.requires_grad(); },
      [&] { undefined.requires_grad_(); },
      [&] { undefined.grad_fn(); },
      [&] { undefined.backward(); },
      [&] { undefined.grad(); },
      [&] { undefined.detach(); },
      [&] { undefined.detach_(); },
      [&] { undefined.retain_grad(); },
      [&] { undefined.is_volatile(); },
      [&] { undefined._version(); },
      [&] { undefined._base(); },
      [&] { undefined.register_hook([](const Tensor&) {}); },
      [&] { undefined.set_data(zeros({1})); },
      [&] { zeros({1}).set_data(undefined); },
      [&] { undefined + 1; },
      [&] { zeros({1}) * undefined; },
  };
  for (std::size_t i = 0; i < programs.size(); ++i) {
    SCOPED_TRACE(i);
    EXPECT_THROW(programs[i](), Error);
  }
}

TEST(Tensor, HandlesShareOneObject) {
  const Tensor a = constant({1, 2});
  const Tensor b = a;
  EXPECT_TRUE(a.is_same(b));
  EXPECT_FALSE(a.is_same(a.clone()));
  b.requires_grad_();
  EXPECT_TRUE(a.requires_grad());
}

TEST(Tensor, AssigningToATemporaryWritesAndToAVariableRebinds) {
  Tensor x = zeros({2, 2}), y = ones({2});
  x[0] = y;
  x[1][1] = 5;
  EXPECT_TRUE(equal(x, tensor({{1.0, 1.0}, {0.0, 5.0}})));
  EXPECT_EQ(x._version(), 2u);
  Tensor row = x[0];
  row = x[1];
  EXPECT_TRUE(equal(x, tensor({{1.0, 1.0}, {0.0, 5.0}})));
  EXPECT_EQ(x._version(), 2u);
  EXPECT_THROW(x[0] = ones({3}), ShapeError);
  EXPECT_THROW(ones({2}, requires_grad())[0] = 1, LeafInPlace);
}

TEST(Tensor, ShapeQueriesCheckTheDimension) {
  const Tensor x = zeros({2, 3});
  EXPECT_EQ(x.size(-1), 3);
  EXPECT_EQ(x.stride(0), 3);
  expect_error<IndexError>("expected to be in range of [-2, 1], but got 2", [&] { x.size(2); });
  expect_error<IndexError>("tensor has no dimensions", [] { tensor(1).size(0); });
  expect_error<IndexError>("tensor has no dimensions", [] { tensor(1).stride(-1); });
}

TEST(Tensor, ItemReadsEveryTypeAndOnlyOneElement) {
  for (ScalarType type : {kBool, kUInt8, kInt8, kInt16, kInt32, kInt64, kFloat32, kFloat64})
    EXPECT_EQ(ones({1, 1}, type).item<double>(), 1) << name_of(type);
  EXPECT_EQ(as_strided(arange(5), {}, {}, 3).item<int64_t>(), 3) << "the offset counts";
  expect_error<ShapeError>("a Tensor with 2 elements cannot be converted to Scalar",
                           [] { zeros({2}).item(); });
  expect_error<ShapeError>("a Tensor with 0 elements", [] { zeros({0}).item(); });
}

TEST(Tensor, DataPtrChecksTheTypeAndHonoursTheOffset) {
  const Tensor x = arange(4.0);
  EXPECT_EQ(*as_strided(x, {1}, {1}, 2).data_ptr<float>(), 2);
  expect_error<DtypeError>("expected scalar type float64 but found float32",
                           [&] { x.data_ptr<double>(); });
}

TEST(Tensor, RequiresGradBelongsToFloatingLeaves) {
  const Tensor x = leaf({1, 2});
  const Tensor y = x * 2;
  EXPECT_FALSE(y.is_leaf());
  y.requires_grad_();  // already so: no error
  expect_error<RequiresGradError>("you can only change requires_grad flags of leaf variables.",
                                  [&] { y.requires_grad_(false); });
  expect_error<RequiresGradError>(
      "Only Tensors of floating point and complex dtype can require gradients, got int64", [] {
        tensor({1, 2}).requires_grad_();
      });
  tensor({1, 2}).requires_grad_(false);
  x.requires_grad_(false);
  EXPECT_FALSE((x * 2).requires_grad());
  EXPECT_TRUE(y.requires_grad()) << "recorded before";
}

TEST(Tensor, SettingRequiresGradOnABaseDoesNotTouchEarlierViews) {
  const Tensor x = constant({1, 2, 3});
  const Tensor before = as_strided(x, {2}, {1});
  x.requires_grad_();
  EXPECT_FALSE(before.requires_grad());
  EXPECT_TRUE(as_strided(x, {2}, {1}).requires_grad());
}

TEST(Tensor, SetGradChecksWhatMutableGradDoesNot) {
  const Tensor x = leaf({1, 2});
  expect_error<GradAssignment>("can't assign Variable as its own grad", [&] { x.set_grad(x); });
  expect_error<GradAssignment>("attempting to assign a gradient of float32",
                               [&] { x.set_grad(zeros({2})); });
  expect_error<GradAssignment>("attempting to assign a gradient of size '[3]' to a tensor of size",
                               [&] {
                                 x.set_grad(constant({1, 2, 3}));
                               });
  EXPECT_FALSE(x.grad().defined());
  const Tensor mine = constant({5, 5});
  x.set_grad(mine);
  x.sum().backward();
  EXPECT_TRUE(x.grad().is_same(mine)) << "a user's gradient is used as it is";
  expect_values(mine, {6, 6});
  x.mutable_grad() = Tensor();
  x.sum().backward();
  expect_values(x.grad(), {1, 1});
  x.set_grad(Tensor());
  EXPECT_FALSE(x.grad().defined());
}

TEST(Tensor, DetachStartsANewFamilyOnTheSameStorage) {
  const Tensor x = leaf({1, 2});
  const Tensor y = x * 2;
  Tensor cut = y.detach();
  EXPECT_FALSE(cut.requires_grad());
  EXPECT_TRUE(cut.is_alias_of(y));
  EXPECT_FALSE(cut.is_view());
  expect_error<ValueError>("Can't get base of non-view", [&] { cut._base(); });
  cut.add_(1);
  EXPECT_EQ(y._version(), 1u);
  y.sum().backward();
  expect_values(x.grad(), {2, 2});
}

TEST(Tensor, DetachInPlaceDropsTheHistoryOfABaseOnly) {
  const Tensor x = leaf({1, 2, 3});
  const Tensor y = x * 2;
  const Tensor view = as_strided(y, {2}, {1});
  expect_error<DetachView>("Can't detach views in-place. Use detach() instead.",
                           [&] { view.detach_(); });
  y.detach_();
  EXPECT_TRUE(y.is_leaf());
  EXPECT_FALSE(y.requires_grad());
  view.sum().backward();  // a view made before keeps its history
  expect_values(x.grad(), {2, 2, 0});
}

TEST(Tensor, BaseOfAViewOfAViewIsTheFamilysBase) {
  const Tensor x = arange(8.0);
  const Tensor view = as_strided(x, {4}, {2}), deeper = as_strided(view, {2}, {4});
  EXPECT_TRUE(deeper.is_view());
  EXPECT_TRUE(deeper._base().is_same(x));
}

TEST(SetData, SwapsTheStorageAndLeavesSnapshotsAlone) {
  const Tensor x = leaf({1, 2});
  const Tensor y = (x * x).sum();
  x.set_data(constant({10, 20}));
  EXPECT_TRUE(x.requires_grad());
  y.backward();
  expect_values(x.grad(), {2, 4});
  x.mutable_grad() = Tensor();
  (x * x).sum().backward();
  expect_values(x.grad(), {20, 40});
}

TEST(SetData, OfAnotherShapeBringsGradientsOfThatShape) {
  const Tensor x = leaf({1});
  (x * 2).sum().backward();
  x.mutable_grad() = Tensor();
  int calls = 0;
  x.register_hook([&](const Tensor&) { ++calls; });
  x.set_data(constant({1, 2, 3}));
  (x * x).sum().backward();
  expect_values(x.grad(), {2, 4, 6});
  EXPECT_EQ(calls, 1) << "hooks stay with the leaf";
}

TEST(SetData, RefusesWhatCannotReplaceTheValue) {
  const Tensor x = leaf({1, 2});
  const Unchanged before({x});
  expect_error<SetDataError>(
      "data set to a tensor that requires gradients must be floating point or complex dtype", [&] {
        x.set_data(tensor({1, 2}));
      });
  const Tensor y = x * 2;
  expect_error<SetDataError>(
      "a result of MulBackward1 is float64 on cpu, which cannot become float32",
      [&] { y.set_data(zeros({2}, kFloat32)); });
  before.check();
}

TEST(SetData, OfALeafMayHaveAnotherTypeWhichItsGradientsThenHave) {
  const Tensor x = leaf({1, 2});
  const Tensor old = (x * x).sum();
  x.set_data(constant({3, 4}).to(kFloat32));
  EXPECT_TRUE(x.requires_grad());
  expect_error<InvalidGradient>("dtype", [&] { old.backward(); });
  EXPECT_FALSE(x.grad().defined());
  (x * x).sum().backward();
  EXPECT_EQ(x.grad().dtype(), kFloat32);
  expect_values(x.grad().to(kFloat64), {6, 8});
}

TEST(SetData, OfABaseSeparatesItFromItsViews) {
  const Tensor x = leaf({1, 2, 3});
  Tensor y = x * 2;
  Tensor view = as_strided(y, {2}, {1});
  y.set_data(constant({7, 8, 9}));
  view.mul_(10);
  expect_values(y, {7, 8, 9});
  y.sum().backward({}, true);
  expect_values(x.grad(), {2, 2, 2});
  x.mutable_grad() = Tensor();
  view.sum().backward();
  expect_values(x.grad(), {20, 20, 0});
}

}  // namespace
}  // namespace notape::testing
