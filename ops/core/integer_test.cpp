// What is a dimension, a size or an index takes whole numbers, and no bool or fraction; a bool that
// is a flag stays one.
#include <array>
#include <atomic>

#include "autograd/functional/vmap.h"
#include "autograd/testing/expect.h"
#include "ops/ops.h"
#include "ops/out.h"

namespace notape::testing {
namespace {

enum Axis { kRows, kColumns };

/// `form` is called with a tensor and the argument in question.
template <typename Form>
constexpr bool takes_whole_numbers_alone(Form) {
  const auto takes = []<typename T>(std::type_identity<T>) {
    return std::invocable<Form, Tensor, T>;
  };
  const bool whole = takes(std::type_identity<int>()) && takes(std::type_identity<int64_t>()) &&
                     takes(std::type_identity<std::size_t>()) &&
                     takes(std::type_identity<Axis>()) && takes(std::type_identity<Integer>());
  return whole && !takes(std::type_identity<bool>()) && !takes(std::type_identity<double>()) &&
         !takes(std::type_identity<float>()) &&
         !takes(std::type_identity<std::vector<bool>::reference>());
}

TEST(Integer, IsNeverMadeOfABool) {
  const auto forms = std::tuple(
      [](Tensor x, auto n) requires requires { x.sum(n); } {},
      [](Tensor x, auto n) requires requires { x.sum({n}); } {},
      [](Tensor x, auto n) requires requires {
        x.sum({0, n});
      } {},
      [](Tensor x, auto n) requires requires { x.mean(n); } {},
      [](Tensor x, auto n) requires requires { x.any(n); } {},
      [](Tensor x, auto n) requires requires { all(x, n); } {},
      [](Tensor x, auto n) requires requires { x.amax(n); } {},
      [](Tensor x, auto n) requires requires { x.count_nonzero(n); } {},
      [](Tensor x, auto n) requires requires { x.norm(2, n); } {},
      [](Tensor x, auto n) requires requires { logsumexp(x, n); } {},
      [](Tensor x, auto n) requires requires { x.argmax(n); } {},
      [](Tensor x, auto n) requires requires { aminmax(x, n); } {},
      [](Tensor x, auto n) requires requires { x.max(n); } {},
      [](Tensor x, auto n) requires requires { x.softmax(n); } {},
      [](Tensor x, auto n) requires requires { x.topk(n); } {},
      [](Tensor x, auto n) requires requires { x.size(n); } {},
      [](Tensor x, auto n) requires requires { x[n]; } {},
      [](Tensor x, auto n) requires requires { x.transpose(0, n); } {},
      [](Tensor x, auto n) requires requires {
        x.permute({n, 1});
      } {},
      [](Tensor x, auto n) requires requires {
        x.view({n, -1});
      } {},
      [](Tensor x, auto n) requires requires { x.squeeze(n); } {},
      [](Tensor x, auto n) requires requires { x.narrow(0, n, 1); } {},
      [](Tensor x, auto n) requires requires { x.slice(0, n); } {},
      [](Tensor x, auto n) requires requires { x.tensor_split(n); } {},
      [](Tensor x, auto n) requires requires { x.repeat_interleave(n); } {},
      [](Tensor x, auto n) requires requires { x.index_select(n, x); } {},
      [](Tensor, auto n) requires requires { indexing::Slice(0, n); } {},
      [](Tensor x, auto n) requires requires { cat({x}, n); } {},
      [](Tensor x, auto n) requires requires { conv2d(x, x, x, n); } {},
      [](Tensor x, auto n) requires requires {
        conv2d(x, x, x, {1, n});
      } {},
      [](Tensor x, auto n) requires requires { max_pool2d(x, 2, n); } {},
      [](Tensor x, auto n) requires requires { max_pool1d(x, 2, n); } {},
      [](Tensor x, auto n) requires requires { mse_loss(x, x, n); } {},
      [](Tensor, auto n) requires requires { zeros(n); } {}, [](Tensor, auto n) requires requires {
        zeros({n, 2});
      } {},
      [](Tensor, auto n) requires requires { eye(n); } {},
      [](Tensor, auto n) requires requires { randperm(n); } {},
      [](Tensor x, auto n) requires requires { cumsum_out(x, x, n); } {});
  const auto verdicts = std::apply(
      [](auto... form) { return std::vector<bool>{takes_whole_numbers_alone(form)...}; }, forms);
  EXPECT_THAT(verdicts, ::testing::Each(true));
}

TEST(Integer, LeavesABoolToTheFlagThatLibTorchHasThere) {
  const Tensor x = constant({{1, 2}, {4, 8}});
  for (const bool unbiased : {false, true}) {
    const IntArrayRef all;
    EXPECT_TRUE(equal(x.var(unbiased), var(x, all, unbiased)));
    EXPECT_TRUE(equal(x.std(unbiased), notape::std(x, all, unbiased)));
    EXPECT_TRUE(equal(notape::std(x, unbiased), notape::std(x, all, unbiased)));
    EXPECT_EQ(x.std(0, unbiased).sizes(), IntArrayRef(2));
  }
  EXPECT_TRUE(equal(x.std(0, 0), x.std(0, false)));  // a number is the correction
  EXPECT_TRUE(equal(std::get<1>(x.sort(true, 0, true)), x.argsort(true, 0, true)));
  EXPECT_TRUE(equal(std::get<1>(x.sort(0, true)), x.argsort(0, true)));
  EXPECT_EQ(x.index({true}).sizes(), IntArrayRef({1, 2, 2}));
}

TEST(Integer, IsMadeOfWhatHoldsOne) {
  struct Setting {
    operator int() const { return 1; }
  };
  const Tensor x = zeros({2, 3});
  const std::atomic<int64_t> counter = 1;
  EXPECT_EQ(x.size(counter), 3);
  EXPECT_EQ(x.size(Setting()), 3);
  EXPECT_EQ(x.size(std::integral_constant<int, 1>()), 3);
  static_assert(!std::convertible_to<std::true_type, Integer>);
  static_assert(!std::convertible_to<Scalar, Integer> && !std::convertible_to<Half, Integer>);
}

TEST(Integer, StandsInEveryListThatLibTorchTakes) {
  const std::initializer_list<int64_t> list = {2, 3};
  const std::array<int64_t, 2> array = {2, 3};
  const int64_t plain[] = {2, 3};
  const IntArrayRef sizes(list);
  EXPECT_EQ(zeros(list).sizes(), sizes);
  EXPECT_EQ(zeros(array).sizes(), sizes);
  EXPECT_EQ(zeros(plain).sizes(), sizes);
  static_assert(!std::convertible_to<std::initializer_list<bool>, IntArrayRef>);
  static_assert(!std::convertible_to<const bool(&)[2], IntArrayRef>);
}

TEST(Integer, IsTheDimensionOfABatch) {
  using autograd::functional::BatchDims;
  static_assert(std::convertible_to<int, BatchDims> && !std::convertible_to<bool, BatchDims>);
}

TEST(Integer, RefusesUnsignedNumbersBeyondIt) {
  expect_error<ValueError>("value cannot be converted to type int64_t",
                           [] { ones({2}).view({static_cast<std::size_t>(-1)}); });
}

}  // namespace
}  // namespace notape::testing
