// Random numbers on the GPU: drawn there, without a wait, and those of the CPU to the last bit.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>

#include "autograd/autograd.h"
#include "cuda/emulated/emulator.h"
#include "ops/ops.h"

namespace notape {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;

const Device kThere(kCUDA);

struct Drawing {
  const char* name;
  std::function<Tensor(Device)> draw;
};
void PrintTo(const Drawing& drawing, std::ostream* out) { *out << drawing.name; }

template <typename Fill>
std::function<Tensor(Device)> filled(const Fill& fill, std::initializer_list<ScalarType> types) {
  return [=, types = std::vector(types)](Device device) {
    std::vector<Tensor> all;
    for (const ScalarType type : types) {
      Tensor x = zeros({3, 217}, TensorOptions(type).device(device));
      fill(x);
      all.push_back(x.to(kFloat64));
      Tensor column = zeros({70, 3}, TensorOptions(type).device(device)).t();
      fill(column);
      all.push_back(column.reshape({3, 70}).to(kFloat64));
    }
    return cat(all, 1);
  };
}

constexpr std::initializer_list<ScalarType> kFloating = {kFloat64, kFloat32, kFloat16, kBFloat16};
constexpr std::initializer_list<ScalarType> kAll = {kFloat64, kFloat32, kFloat16, kBFloat16, kInt64,
                                                    kInt32,   kInt16,   kInt8,    kUInt8,    kBool};

class RandomOnGpu : public ::testing::TestWithParam<Drawing> {};

TEST_P(RandomOnGpu, IsDrawnThereAndAsOnTheCpu) {
  const auto& [name, draw] = GetParam();
  manual_seed(11);
  const Tensor expected = draw(kCPU);
  const Tensor state = default_generator().get_state();
  draw(kThere);  // its tables are there from now on
  manual_seed(11);
  emulator::take_counts();
  const Tensor got = draw(kThere);
  const emulator::Counts counts = emulator::take_counts();
  EXPECT_EQ(counts.waits, 0);
  EXPECT_EQ(counts.copies, 0);
  EXPECT_TRUE(got.device().is_cuda());
  EXPECT_TRUE(equal(got.cpu(), expected));
  EXPECT_TRUE(equal(default_generator().get_state(), state)) << "the generator has gone as far";
  EXPECT_THAT(emulator::take_findings(), IsEmpty());
}

Tensor weights(Device device) {
  return full({300}, 0.25, device).cumsum(0).sin().abs().reshape({3, 100});
}

INSTANTIATE_TEST_SUITE_P(
    Of, RandomOnGpu,
    ::testing::Values(
        Drawing{"rand", [](Device d) { return rand({513}, d); }},
        Drawing{"rand_in_half",
                [](Device d) { return rand({513}, TensorOptions(kFloat16).device(d)); }},
        Drawing{"rand_in_double",
                [](Device d) { return rand({513}, TensorOptions(kFloat64).device(d)); }},
        Drawing{"randn",
                [](Device d) {
                  return randn({7, 99}, d);
                }},
        Drawing{"randn_in_double",
                [](Device d) { return randn({513}, TensorOptions(kFloat64).device(d)); }},
        Drawing{"randn_like", [](Device d) { return randn_like(zeros({9}, d)); }},
        Drawing{"uniform", filled([](Tensor& x) { x.uniform_(-1, 3); }, kFloating)},
        Drawing{"normal", filled([](Tensor& x) { x.normal_(2, 3); }, kFloating)},
        Drawing{"standard_normal", filled([](Tensor& x) { x.normal_(); }, kFloating)},
        Drawing{"exponential", filled([](Tensor& x) { x.exponential_(2); }, kFloating)},
        Drawing{"random", filled([](Tensor& x) { x.random_(); }, kAll)},
        Drawing{"random_below", filled([](Tensor& x) { x.random_(1); }, kAll)},
        Drawing{
            "random_in_a_large_range",
            filled([](Tensor& x) { x.random_(INT64_MIN, std::optional<Integer>()); }, {kInt64})},
        Drawing{"bernoulli_of_a_number", filled([](Tensor& x) { x.bernoulli_(0.3); }, kAll)},
        Drawing{"bernoulli", [](Device d) { return bernoulli(full({100}, 0.3, d)); }},
        Drawing{"bernoulli_of_a_tensor",
                [](Device d) { return zeros({50}, d).bernoulli_(full({1}, 0.3, d)); }},
        Drawing{"normal_of_tensors",
                [](Device d) { return normal(full({100}, 0.3, d), full({1}, 2., d)); }},
        Drawing{"normal_of_a_deviation", [](Device d) { return normal(1, full({100}, 2., d)); }},
        Drawing{"multinomial", [](Device d) { return multinomial(weights(d), 20); }},
        Drawing{"multinomial_replacing",
                [](Device d) { return multinomial(weights(d), 2000, true); }},
        Drawing{"rrelu", [](Device d) { return rrelu(full({200}, -1., d), 0.1, 0.9, true); }},
        Drawing{"dropout", [](Device d) { return dropout(full({200}, -1., d), 0.4); }}),
    [](const auto& drawing) { return std::string(drawing.param.name); });

TEST(RandomOnGpuOf, DifferentSamplesInsideVmap) {
  const auto each = [](Device device) {
    manual_seed(3);
    const autograd::functional::TensorFunction f = [](const Tensor& one) {
      return bernoulli(one + 0.5) + rand_like(one) + to(multinomial(one + 1, 4), kFloat32);
    };
    return autograd::functional::vmap(f, 0, 0, Randomness::Different)(zeros({3, 4}, device)).cpu();
  };
  EXPECT_TRUE(equal(each(kThere), each(kCPU)));
}

/// What the next call that waits throws.
std::string told() {
  try {
    synchronize(kThere);
  } catch (const ValueError& error) {
    return error.what_without_backtrace();
  }
  return {};
}

TEST(RandomOnGpuOf, WrongNumbersIsToldByTheNextCallThatWaits) {
  const auto expect_told = [](const std::string& words, const std::function<void()>& call) {
    emulator::take_counts();
    call();
    EXPECT_EQ(emulator::take_counts().waits, 0);
    const std::string error = told();
    EXPECT_THAT(error, HasSubstr(words));
    EXPECT_THAT(error, HasSubstr("random_test.cpp"));
    EXPECT_EQ(told(), "") << "once";
  };
  const auto there = [](double a, double b) { return tensor({a, b}).to(kThere); };
  const Tensor minus = there(0.5, -0.5), none = there(0, 0), nan = there(1, NAN), one = there(1, 0);
  expect_told("bernoulli: expects p to be in [0, 1], but got p=-0.5", [&] { bernoulli(minus); });
  expect_told("normal: expects all elements of std >= 0.0", [&] { normal(0, minus); });
  expect_told("multinomial: probability tensor contains", [&] { multinomial(minus, 1); });
  expect_told("multinomial: probability tensor contains", [&] { multinomial(nan, 1, true); });
  expect_told("sum of probabilities is 0", [&] { multinomial(none, 1, true); });
  expect_told("not enough non-negative category", [&] { multinomial(one, 2); });
  EXPECT_THROW(static_cast<void>(multinomial(zeros({0}, kThere), 1, true)), ValueError);
  EXPECT_THAT(emulator::take_findings(), IsEmpty());
}

}  // namespace
}  // namespace notape
