// Every operator of the registry on truth values that other owners' memory holds as other bytes
// than 0 and 1: any byte but 0 is true. In UndefinedBehaviorSanitizer a bool that is read with
// another byte ends the program here.
#include <gtest/gtest.h>

#include <cstring>
#include <sstream>

#include "autograd/interchange/dlpack.h"
#include "ops/ops.h"
#include "ops/out.h"
#include "ops/spec/testing/drawn_row.h"

namespace notape::testing {
namespace {

/// The same truth in memory that is not ours, `step` bytes apart.
Tensor in_other_bytes(const Tensor& truth, int64_t step) {
  constexpr uint8_t kTrue[] = {2, 255, 1, 128, 3};
  const Tensor values = truth.contiguous();
  const int64_t n = values.numel();
  auto* const bytes = new uint8_t[static_cast<std::size_t>(n * step + 1)];
  for (int64_t i = 0; i < n; ++i)
    for (int64_t k = 0; k < step; ++k)
      bytes[i * step + k] =
          (values.const_data_ptr<bool>()[i] != (k > 0)) ? kTrue[i % 5] : uint8_t{0};
  std::vector<int64_t> strides(values.strides().begin(), values.strides().end());
  for (int64_t& stride : strides) stride *= step;
  return from_blob(
      bytes, values.sizes(), strides, [](void* data) { delete[] static_cast<uint8_t*>(data); },
      kBool);
}

/// What an operator made, or nothing if it has raised.
template <typename Call>
std::optional<Tensor> outcome(const Call& call) {
  try {
    manual_seed(3);
    return call();
  } catch (const Error&) {
    return {};
  }
}

bool same(const Tensor& a, const Tensor& b) {
  const auto numbers = [](const Tensor& x) { return x.detach().to(kFloat64).contiguous(); };
  const Tensor x = numbers(a), y = numbers(b);
  return a.dtype() == b.dtype() && a.sizes() == b.sizes() &&
         allclose(x, y, 0, 0, /*equal_nan=*/true);
}

TEST(EveryRow, TakesAnyByteButZeroAsTrue) {
  int64_t computed = 0, in_place = 0;
  for (const OpSpec* spec : op_specs())
    for (uint64_t seed = 0; seed < 8; ++seed) {
      DrawOfSeed draw(seed);
      const OpCase one = spec->draw(draw);
      variable_list drawn;
      for (const Argument& argument : one.arguments) drawn.push_back(draw_argument(argument, draw));
      // All numbers as bools, one of them alone, or none but the masks.
      for (std::size_t which = 0; which <= drawn.size() + 1; ++which)
        for (const int64_t step : {1, 3}) {
          SCOPED_TRACE(format_message("{}, {}, argument {}, {} bytes apart",
                                      {spec->name, one.label, which, step}));
          variable_list ours, others;
          bool any = false;
          for (std::size_t i = 0; i < drawn.size(); ++i) {
            const Argument::Kind kind = one.arguments[i].kind;
            const bool is_bool =
                kind == Argument::Kind::Bool ||
                (kind == Argument::Kind::Real && (which == i || which == drawn.size()));
            const Tensor values =
                is_bool && kind == Argument::Kind::Real ? gt(drawn[i], 0) : drawn[i];
            any |= is_bool;
            ours.push_back(values.clone());
            others.push_back(is_bool ? in_other_bytes(values, step) : values.clone());
          }
          if (!any) continue;
          const auto expected = outcome([&] { return one.call(ours); });
          const auto got = outcome([&] { return one.call(others); });
          ASSERT_EQ(got.has_value(), expected.has_value());
          if (!got) continue;
          ++computed;
          EXPECT_TRUE(same(*got, *expected)) << *got << "\nand not\n" << *expected;
          if (one.beside) {
            EXPECT_TRUE(same(one.beside(others), one.beside(ours))) << one.beside(others);
          }
          if (!one.call_in_place) continue;
          const auto write = [&](variable_list& x) {
            return outcome([&] {
              one.call_in_place(x);
              return x[0];
            });
          };
          const auto before = write(ours), after = write(others);
          ASSERT_EQ(before.has_value(), after.has_value());
          if (!after) continue;
          ++in_place;
          EXPECT_TRUE(same(*after, *before)) << *after << "\nand not\n" << *before;
        }
    }
  EXPECT_GT(computed, 1000);
  EXPECT_GT(in_place, 100);
}

TEST(ForeignBools, AreTrueWhereverTheyAreRead) {
  const Tensor ours = tensor({false, true, true, true, false, true});
  const Tensor others = in_other_bytes(ours, 1), spread = in_other_bytes(ours, 3);
  for (const Tensor& x :
       {others, spread, others.clone(), spread.contiguous(), from_dlpack(to_dlpack(others))}) {
    EXPECT_EQ(x.sum().item<int64_t>(), 4);
    EXPECT_TRUE(equal(x, ours));
    EXPECT_TRUE(equal(ours, x));
    EXPECT_FALSE(equal(x, logical_not(ours)));
    EXPECT_TRUE(equal(x.to(kFloat16), ours.to(kFloat16)));
    EXPECT_TRUE(equal(x.to(kInt64), ours.to(kInt64)));
    EXPECT_EQ(x[1].item<bool>(), true);
    EXPECT_EQ(x[1].item<int64_t>(), 1);
    EXPECT_EQ(x.nonzero().size(0), 4);
    EXPECT_TRUE(equal(arange(6).index({x}), arange(6).index({ours})));
    EXPECT_TRUE(equal(arange(6).masked_select(x), arange(6).masked_select(ours)));
    EXPECT_TRUE(equal(full({2}, x[1].item<bool>()), tensor({true, true})));
    std::ostringstream text, expected;
    text << x;
    expected << ours;
    EXPECT_EQ(text.str(), expected.str());
  }
  Tensor written = zeros({6});
  written.index_put_({others}, 1);
  EXPECT_TRUE(equal(written, ours.to(kFloat32)));
  Tensor result = empty({0}, kInt64);
  sum_out(result, others, IntArrayRef({0}));
  EXPECT_EQ(result.item<int64_t>(), 4);
}

}  // namespace
}  // namespace notape::testing
