// What elementwise operators refuse, in LibTorch's words, leaving everything as it was.
#include "autograd/testing/expect.h"
#include "ops/ops.h"

namespace notape::testing {
namespace {

TEST(ElementwiseErrors, NameOperandsThatDoNotBroadcast) {
  const Tensor a = ones({2, 3}), b = ones({4});
  expect_error<ShapeError>(
      "add: The size of tensor a (3) must match the size of tensor b (4) at non-singleton "
      "dimension 1",
      [&] { a + b; });
  expect_error<ShapeError>("lt: The size of tensor a (3)", [&] { static_cast<void>(a < b); });
  expect_error<ShapeError>("where: The size of tensor a (3) must match the size of tensor b (4)",
                           [&] { where(a > 0, a, b); });
  expect_error<ShapeError>("addcmul: The size of tensor a (3)", [&] { addcmul(a, a, b); });
  expect_error<ShapeError>("allclose: The size of tensor a (2)",
                           [] { allclose(ones({2}), ones({3})); });
}

TEST(ElementwiseErrors, TellTheOperatorAndTheLine) {
  const Tensor a = ones({2}), b = ones({3});
  expect_error<ShapeError>("mul: ", [&] { a* b; });
  const int line = __LINE__ + 2;
  expect_error<ShapeError>(kProvenance ? " (at errors_test.cpp:" + std::to_string(line) + ")" : "",
                           [&] { a* b; });
}

TEST(ElementwiseErrors, RefuseToGrowTheTargetOfAnInPlaceWrite) {
  Tensor target = ones({3});
  const Tensor big = ones({2, 3});
  const Unchanged unchanged({target, big});
  expect_error<ShapeError>("output with shape [3] doesn't match the broadcast shape",
                           [&] { target.add_(big); });
  expect_error<ShapeError>("output with shape [3] doesn't match the broadcast shape",
                           [&] { target.masked_fill_(big > 0, 1); });
  expect_error<ShapeError>("output with shape [3] doesn't match the broadcast shape",
                           [&] { target.addcmul_(target, big); });
  unchanged.check();
}

TEST(ElementwiseErrors, RefuseToNarrowTheTargetOfAnInPlaceWrite) {
  Tensor target = tensor({1, 2});
  const Unchanged unchanged({target});
  const auto refused = [](auto&& program) {
    expect_error<DtypeError>("result type float32 can't be cast to the desired output type int64",
                             program);
  };
  refused([&] { target.add_(1.5); });
  refused([&] { target.add_(ones({2})); });
  refused([&] { target.div_(2); });
  refused([&] { target.sqrt_(); });
  refused([&] { target.clamp_(0.5); });
  refused([&] { target.pow_(0.5); });
  Tensor bools = tensor({true, false});
  expect_error<DtypeError>("result type int64 can't be cast to the desired output type bool",
                           [&] { bools.add_(1); });
  unchanged.check();
}

TEST(ElementwiseErrors, RefuseBoolsInLibTorchsWords) {
  const Tensor bools = tensor({true, false});
  Tensor target = bools.clone();
  expect_error<DtypeError>("Negation, the `-` operator, on a bool tensor is not supported",
                           [&] { -bools; });
  expect_error<DtypeError>("Negation, the `-` operator, on a bool tensor is not supported",
                           [&] { target.neg_(); });
  expect_error<DtypeError>("Subtraction, the `-` operator, with two bool tensors is not supported",
                           [&] { bools - bools; });
  expect_error<DtypeError>("Subtraction, the `-` operator, with a bool tensor is not supported",
                           [&] { ones({2}) - bools; });
  expect_error<DtypeError>("Subtraction, the `-` operator, with a bool tensor is not supported",
                           [&] { 1 - bools; });
  expect_error<DtypeError>("Boolean inputs not supported for relu", [&] { relu(bools); });
  expect_error<DtypeError>("abs: not implemented for 'Bool'", [&] { abs(bools); });
  expect_error<DtypeError>("clamp: not implemented for 'Bool'", [&] { clamp(bools, true); });
  expect_error<DtypeError>("pow: not implemented for 'Bool'", [&] { pow(bools, bools); });
}

TEST(ElementwiseErrors, RefuseAlphasOfTheWrongKind) {
  const Tensor whole = tensor({1, 2});
  expect_error<DtypeError>(
      "For integral input tensors, argument alpha must not be a floating point number.",
      [&] { add(whole, whole, 0.5); });
  expect_error<DtypeError>("Boolean alpha only supported for Boolean results.",
                           [&] { add(whole, whole, true); });
}

TEST(Where, TakesBytesAsLibTorchDoesWithAWarning) {
  struct Counter : WarningHandler {
    void process(const Warning&) override { ++count; }
    int count = 0;
  } counter;
  const WarningHandlerGuard guard(&counter);
  const Tensor bytes = tensor({1, 0, 2}, kUInt8), x = ones({3}).requires_grad_();
  const Tensor y = where(bytes, x, zeros({3}));
  expect_values(y, {1, 0, 1});
  y.sum().backward();
  expect_values(x.grad(), {1, 0, 1});
  expect_values(where(bytes, 5, x), {5, 1, 5});
  expect_values(where(bytes, 1., 2.), {1, 2, 1});
  EXPECT_EQ(counter.count, 1);
}

TEST(ElementwiseErrors, WantBoolConditions) {
  const Tensor x = ones({2});
  expect_error<DtypeError>(
      "where: expected condition to be a boolean tensor, but got a tensor with dtype float32",
      [&] { where(x, x, x); });
  expect_error<DtypeError>("expected condition to be a boolean tensor", [&] { where(x, x, 1); });
  expect_error<DtypeError>(
      "masked_fill: only supports boolean masks, but got mask with dtype float32",
      [&] { masked_fill(x, x, 1); });
}

TEST(ElementwiseErrors, RefuseAnOutThatWouldCutOff) {
  Tensor whole = tensor({7, 8});
  const Unchanged unchanged({whole});
  expect_error<DtypeError>(
      "add_out: result type float32 can't be cast to the desired output type int64", [&] {
        add_out(whole, tensor({1.7f, 1.7f}), tensor({1.7f, 1.7f}));
      });
  unchanged.check();
}

TEST(ElementwiseErrors, TrueDivisionTakesNumbersThatIntegersCannotHold) {
  const Tensor bytes = tensor({3, 150}, kUInt8);
  EXPECT_EQ(values(bytes / 300), (std::vector<double>{0.01f, 0.5}));
  EXPECT_EQ(values(bytes / -300), (std::vector<double>{-0.01f, -0.5}));
  EXPECT_EQ(values(tensor({1}, kInt32) / 5000000000), (std::vector<double>{2e-10f}));
}

TEST(ElementwiseErrors, WantFillValuesThatFit) {
  const Tensor bytes = tensor({1, 2}, kUInt8), mask = tensor({true, false});
  expect_error<ValueError>("value cannot be converted to type uint8_t without overflow",
                           [&] { masked_fill(bytes, mask, 300); });
  expect_error<ValueError>("value cannot be converted to type uint8_t without overflow",
                           [&] { masked_fill(bytes, mask, -1); });
  expect_values(masked_fill(bytes, mask, 255), {255, 2});
}

TEST(ElementwiseErrors, WantSomeBoundInClamp) {
  const Tensor x = ones({2});
  expect_error<ValueError>("At least one of 'min' or 'max' must not be None", [&] { x.clamp(); });
}

TEST(ElementwiseErrors, RefuseNegativePowersOfIntegers) {
  Tensor x = tensor({1, 2});
  expect_error<ValueError>("Integers to negative integer powers are not allowed.",
                           [&] { pow(x, -1); });
  expect_error<ValueError>("Integers to negative integer powers are not allowed.",
                           [&] { x.pow_(-2); });
}

TEST(ElementwiseErrors, NameTheOperandOfLerpWithAnotherType) {
  const Tensor x = ones({2}), y = ones({2}, kFloat64);
  expect_error<DtypeError>("expected dtype float32 for `end` but got dtype float64",
                           [&] { lerp(x, y, 0.5); });
  expect_error<DtypeError>("expected dtype float32 for `weight` but got dtype float64",
                           [&] { lerp(x, x, y); });
  expect_error<DtypeError>("allclose: float32 did not match float64", [&] { allclose(x, y); });
}

TEST(ElementwiseErrors, NameUndefinedOperands) {
  const Tensor x = ones({2}), none;
  Tensor target = ones({2});
  expect_error<UndefinedTensor>("add: an operand is undefined", [&] { add(x, none); });
  expect_error<UndefinedTensor>("sub: an operand is undefined", [&] { none - x; });
  expect_error<UndefinedTensor>("exp: an operand is undefined", [&] { exp(none); });
  expect_error<UndefinedTensor>("mul: an operand is undefined", [&] { none * 2; });
  expect_error<UndefinedTensor>("where: an operand is undefined", [&] { where(none, x, x); });
  expect_error<UndefinedTensor>("where: an operand is undefined", [&] { where(x > 0, none, 1); });
  expect_error<UndefinedTensor>("lerp: an operand is undefined", [&] { lerp(x, none, 0.5); });
  expect_error<UndefinedTensor>("pow: an operand is undefined", [&] { pow(none, 2); });
  expect_error<UndefinedTensor>("maximum: an operand is undefined", [&] { maximum(none, x); });
  expect_error<UndefinedTensor>("equal: an operand is undefined", [&] { equal(x, none); });
  expect_error<UndefinedTensor>("masked_fill_: an operand is undefined",
                                [&] { target.masked_fill_(none, 1); });
  expect_error<UndefinedTensor>("add_: an operand is undefined", [&] { target.add_(none); });
}

}  // namespace
}  // namespace notape::testing
