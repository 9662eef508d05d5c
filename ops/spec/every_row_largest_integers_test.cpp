// Every operator of the registry on the smallest and the largest integers: results wrap around in
// two's complement, as LibTorch's do. Under UndefinedBehaviorSanitizer, arithmetic in signed
// numbers ends the program here.
#include <gtest/gtest.h>

#include "ops/ops.h"
#include "ops/spec/testing/drawn_row.h"

namespace notape::testing {
namespace {

using Limits32 = std::numeric_limits<int32_t>;
using Limits64 = std::numeric_limits<int64_t>;

/// Numbers of which sums, differences and products leave the type.
template <typename T>
Tensor extremes(IntArrayRef sizes, ScalarType type, DrawOfSeed& draw) {
  constexpr T kLow = std::numeric_limits<T>::min(), kHigh = std::numeric_limits<T>::max();
  const T choices[] = {kLow, kHigh, static_cast<T>(kLow + 1), static_cast<T>(kHigh - 1),
                       0,    1,     static_cast<T>(-1)};
  Tensor result = empty(sizes, type);
  T* data = result.mutable_data_ptr<T>();
  for (int64_t i = 0; i < result.numel(); ++i) data[i] = choices[draw.integer(0, 6)];
  return result.clone();  // whose pointer nobody has
}

Tensor extremes(IntArrayRef sizes, ScalarType type, DrawOfSeed& draw) {
  return visit_type(type, [&]<typename T>() -> Tensor {
    if constexpr (std::is_integral_v<T> && !std::is_same_v<T, bool>)
      return extremes<T>(sizes, type, draw);
    else
      return {};
  });
}

/// The bits that the type keeps of a number.
int64_t kept(int64_t value, ScalarType type) {
  return visit_type(type, [value]<typename T>() -> int64_t {
    if constexpr (std::is_integral_v<T> && !std::is_same_v<T, bool>)
      return static_cast<T>(value);
    else
      return value;
  });
}

std::vector<int64_t> numbers_in(const Tensor& tensor) {
  const Tensor wide = tensor.to(kInt64).contiguous();
  return {wide.const_data_ptr<int64_t>(), wide.const_data_ptr<int64_t>() + wide.numel()};
}

TEST(EveryRow, WrapsAroundWhereIntegersDoNotFit) {
  int64_t computed = 0;
  for (const OpSpec* spec : op_specs())
    for (const ScalarType type : {kUInt8, kInt8, kInt16, kInt32, kInt64})
      for (uint64_t seed = 0; seed < 6; ++seed) {
        DrawOfSeed draw(seed);
        const OpCase one = spec->draw(draw);
        SCOPED_TRACE(format_message("{}, {}, {}", {spec->name, one.label, name_of(type)}));
        variable_list arguments, wide;
        for (const Argument& argument : one.arguments) {
          const bool is_real = argument.kind == Argument::Kind::Real;
          arguments.push_back(is_real ? extremes(argument.sizes, type, draw)
                                      : draw_argument(argument, draw));
          wide.push_back(is_real ? arguments.back().to(kInt64) : arguments.back());
        }
        Tensor result;
        try {
          result = one.call(arguments);
        } catch (const Error&) {
          continue;
        }
        if (result.is_floating_point() || result.dtype() == kBool) continue;
        ++computed;
        // In 64 bits, which wrap around, too, the lower ones are the same.
        const std::vector<int64_t> got = numbers_in(result), all = numbers_in(one.call(wide));
        ASSERT_EQ(got.size(), all.size());
        for (std::size_t i = 0; i < got.size(); ++i)
          EXPECT_EQ(got[i], kept(all[i], result.dtype()));
        if (!one.call_in_place) continue;
        variable_list copies;
        for (const Tensor& argument : arguments) copies.push_back(argument.clone());
        one.call_in_place(copies);
        std::vector<int64_t> in_place;
        for (const int64_t number : got) in_place.push_back(kept(number, copies[0].dtype()));
        EXPECT_EQ(numbers_in(copies[0]), in_place);
      }
  EXPECT_GT(computed, 500);
}

TEST(Integers, WrapAroundAsInLibTorch) {
  const Tensor x = tensor({Limits64::max(), Limits64::min()}, kInt64);
  const Tensor y = tensor({Limits32::max(), Limits32::min()}, kInt32);
  const auto expect = [](const Tensor& result, std::vector<int64_t> values) {
    EXPECT_EQ(numbers_in(result), values);
  };
  expect(x + 1, {Limits64::min(), Limits64::min() + 1});
  expect(x - 1, {Limits64::max() - 1, Limits64::max()});
  expect(x * 2, {-2, 0});
  expect(-x, {-Limits64::max(), Limits64::min()});
  expect(abs(x), {Limits64::max(), Limits64::min()});
  expect(square(x), {1, 0});
  expect(x.sum(), {-1});
  expect(cumsum(x, 0), {Limits64::max(), -1});
  expect(prod(x), {Limits64::min()});
  expect(pow(x, 3), {Limits64::max(), 0});
  expect(1 - x, {Limits64::min() + 2, Limits64::min() + 1});
  expect(add(x, x, 3), {-4, 0});
  expect(addcmul(x, x, x, 2), {Limits64::min() + 1, Limits64::min()});
  expect(dot(x, x), {1});
  expect(y + 1, {Limits32::min(), Limits32::min() + 1});
  expect(y * y, {1, 0});
  expect(-y, {-Limits32::max(), Limits32::min()});
  expect(abs(y), {Limits32::max(), Limits32::min()});
  expect(index_add(y, 0, tensor({0, 0, 1}, kInt64), tensor({1, 1, -1}, kInt32)),
         {Limits32::min() + 1, Limits32::max()});
  expect(arange(Limits64::min(), Limits64::max(), int64_t{1} << 62),
         {Limits64::min(), -(int64_t{1} << 62), 0, int64_t{1} << 62});
}

TEST(Integers, AreNeverDividedAsSuch) {
  const Tensor low = tensor({Limits32::min(), Limits32::min()}, kInt32);
  const Tensor result = low / tensor({-1, 0}, kInt32);
  EXPECT_EQ(result.dtype(), kFloat32);
  EXPECT_EQ(result[0].item(), 0x1p31);
  EXPECT_EQ(result[1].item(), -std::numeric_limits<double>::infinity());
  const Tensor power = pow(tensor({0, -1, 2}, kInt32), tensor({-1, -3, -1}, kInt32));
  EXPECT_EQ(numbers_in(power), (std::vector<int64_t>{0, -1, 0}));
}

}  // namespace
}  // namespace notape::testing
