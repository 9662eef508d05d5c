// Operators and numbers that their element type cannot hold: ValueError with the operator's name
// and LibTorch's words, nothing changed; or the right answer where there is one.
#include <limits>

#include "autograd/testing/expect.h"
#include "ops/ops.h"

namespace notape::testing {
namespace {

constexpr int64_t kLarge = int64_t{1} << 33;
constexpr double kNotANumber = std::numeric_limits<double>::quiet_NaN();

struct Misfit {
  const char* message;
  std::function<void(Tensor& self)> program;
};

void expect_refused(const Tensor& self, const std::vector<Misfit>& table) {
  for (const auto& [message, program] : table) {
    Tensor target = self.clone();
    const Unchanged before({target});
    expect_error<ValueError>(message, [&, &run = program] { run(target); });
    before.check();
  }
}

TEST(Numbers, ThatDoNotFitIntegersAreRefused) {
  const Tensor mask = tensor({true, false}), rows = tensor({0});
  const std::string fit = "value cannot be converted to type int without overflow";
  expect_refused(tensor({1, 2}, kInt32),
                 {
                     {"fill_: value cannot be converted to type int without overflow (at numbers_",
                      [](Tensor& x) { x.fill_(1e20); }},
                     {"fill_: value", [](Tensor& x) { x.fill_(kNotANumber); }},
                     {"fill_: value", [](Tensor& x) { x[0] = kLarge; }},
                     {"fill_: value", [](Tensor& x) { x.index({0}) = 1e20; }},
                     {"index_put_: value", [=](Tensor& x) { x.index_put_({rows}, kLarge); }},
                     {"index_put_: value", [=](Tensor& x) { x.index_put_({0}, kNotANumber); }},
                     {"masked_fill: value", [=](Tensor& x) { x.masked_fill(mask, kLarge); }},
                     {"masked_fill_: value", [=](Tensor& x) { x.masked_fill_(mask, kNotANumber); }},
                     {"where: value", [=](Tensor& x) { where(mask, x, kLarge); }},
                     {"where: value", [=](Tensor& x) { where(mask, kLarge, x); }},
                     {"add: value", [](Tensor& x) { x + kLarge; }},
                     {"add: value", [](Tensor& x) { kLarge + x; }},
                     {"add_: value", [](Tensor& x) { x += kLarge; }},
                     {"add: value", [](Tensor& x) { x.add(x, kLarge); }},
                     {"add: value", [](Tensor& x) { x.add(1 << 20, 1 << 20); }},
                     {"sub: value", [](Tensor& x) { x - kLarge; }},
                     {"sub_: value", [](Tensor& x) { x -= kLarge; }},
                     {"rsub: value", [](Tensor& x) { kLarge - x; }},
                     {"mul: value", [](Tensor& x) { x* kLarge; }},
                     {"mul_: value", [](Tensor& x) { x *= kLarge; }},
                     {"pow: value", [](Tensor& x) { x.pow(kLarge); }},
                     {"pow: value", [](Tensor& x) { pow(kLarge, x); }},
                     {"pow_: value", [](Tensor& x) { x.pow_(kLarge); }},
                     {"addcmul: value", [](Tensor& x) { x.addcmul(x, x, kLarge); }},
                     {"addcmul_: value", [](Tensor& x) { x.addcmul_(x, x, kLarge); }},
                     {"clamp: value", [](Tensor& x) { x.clamp(kLarge); }},
                     {"clamp_max: value", [](Tensor& x) { x.clamp_max(-kLarge); }},
                     {"addmm: value",
                      [](Tensor& x) {
                        addmm(x, ones({2, 2}, kInt32), ones({2, 2}, kInt32), kLarge);
                      }},
                 });
  expect_refused(tensor({1, 2}), {{"add: value cannot be converted to type int64_t",
                                   [](Tensor& x) { x.add(kLarge, kLarge); }}});
  expect_refused(tensor({1, 2}, kUInt8),
                 {{"sub: value cannot be converted to type uint8_t", [](Tensor& x) { x - 1000; }}});
}

TEST(Numbers, ThatDoNotFitFloatAreRefusedWhereTheyAreStored) {
  const Tensor mask = tensor({true, false});
  expect_refused(ones({2}),
                 {
                     {"fill_: value cannot be converted to type float without overflow",
                      [](Tensor& x) { x.fill_(1e40); }},
                     {"masked_fill: value", [=](Tensor& x) { x.masked_fill(mask, 1e40); }},
                     {"index_put_: value", [](Tensor& x) { x.index_put_({0}, 1e40); }},
                     {"where: value", [=](Tensor& x) { where(mask, x, 1e40); }},
                     {"add: value", [](Tensor& x) { x.add(x, 1e40); }},
                     {"addcmul: value", [](Tensor& x) { x.addcmul(x, x, 1e40); }},
                     {"lerp: value", [](Tensor& x) { x.lerp(x, 1e40); }},
                     {"softplus: value", [](Tensor& x) { softplus(x, 1e40); }},
                 });
  // Arithmetic has infinities, as in LibTorch.
  const double infinity = std::numeric_limits<double>::infinity();
  expect_values(ones({1}) * 1e40, {infinity});
  expect_values(ones({1}) - 1e40, {-infinity});
  expect_values(ones({1}).fill_(infinity), {infinity});
}

TEST(Numbers, OutsideTheRangeOfIntegersCompareAndBoundRightly) {
  const Tensor x = tensor({1, -7}, kInt32), u = tensor({0, 255}, kUInt8);
  expect_values(x < kLarge, {1, 1});
  expect_values(x >= kLarge, {0, 0});
  expect_values(x > -kLarge, {1, 1});
  expect_values(x == kLarge, {0, 0});
  expect_values(x != kLarge, {1, 1});
  expect_values(u == -1, {0, 0});
  expect_values(u > -1, {1, 1});
  expect_values(u < 1000, {1, 1});
  expect_values(u <= 255, {1, 1});
  expect_values(x.clamp(-kLarge, kLarge), {1, -7});
  expect_values(x.clamp(0, kLarge), {1, 0});
  expect_values(u.clamp(-1, 1), {0, 1});
  expect_values(u.clamp_max(1000), {0, 255});
  Tensor y = x.clone();
  expect_values(y.clamp_(-kLarge, 0), {0, -7});
}

TEST(Numbers, ThatFitStillDo) {
  const int64_t least = std::numeric_limits<int32_t>::min();
  expect_values(tensor({-1}, kInt32) - (least + 1), {2147483646.0});
  expect_values(tensor({5}, kUInt8) + -1, {4});
  expect_values(tensor({5}, kUInt8) - 3, {2});
  expect_values(tensor({5}, kUInt8).sub(2, 2), {1});
  expect_values(tensor({5}, kInt32).fill_(2.9), {2});
  expect_values(tensor({true}) + 5, {6});
  expect_values(tensor({5}, kInt32) * 2.5, {12.5});
  // Real numbers have negatives and products that whole ones have not.
  const int64_t smallest = std::numeric_limits<int64_t>::min();
  const Tensor zero = tensor({0.0}, kFloat64);
  expect_values(zero - smallest, {0x1p63});
  expect_values(zero.sub(tensor({1.0}, kFloat64), smallest), {0x1p63});
  expect_values(zero.add(smallest, 2), {-0x1p64});
  expect_values(tensor({1e20}).to(kFloat64) * 1, {1e20}, 1e13);
  tensor({1e20}).to(kInt32);  // from tensor to tensor nothing is asked, as in LibTorch
}

}  // namespace
}  // namespace notape::testing
