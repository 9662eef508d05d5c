// Walks: what is exact, mistakes at a single number, in a tail, in one loop; and every unary
// operator of the registry.
#include <gmock/gmock.h>

#include <bit>
#include <cmath>
#include <fstream>

#include "verify/command/session_test_helper.h"
#include "verify/exhaustive/walk.h"

namespace notape::verify::exhaustive {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

const auto plain_exp = elementwise_reference([]<typename T>(T x) { return math::exp(x); });
const auto plain_cosh = elementwise_reference([]<typename T>(T x) { return math::cosh(x); });

Findings found(const OpSpec& spec, ScalarType dtype, const Range& range) {
  return walk(spec, unary_cases(spec, 0).at(0), dtype, range);
}
Range around(float x, uint64_t count) { return {std::bit_cast<uint32_t>(x) - count / 2, 1, count}; }

TEST(Exact, PolynomialsAreWhatTheReferenceIsAtEveryNumber) {
  const Reference silu = unary_cases(find_op_spec("silu"), 0)[0].reference;
  const ExactReference exact(silu, kFloat32);
  for (const float start : {-20.0F, -3.0F, 0.5F, 2.0F, 1e-3F, 1e-30F}) {
    const uint32_t bits = std::bit_cast<uint32_t>(start);
    const auto stretch = exact.along(start, std::bit_cast<float>(bits + 4095));
    ASSERT_TRUE(stretch) << start;
    for (uint32_t i = 0; i < 4096; i += 97) {
      const double x = std::bit_cast<float>(bits + i), t = (x - stretch->centre) * stretch->scale;
      const Exact here = exact.at(x);
      for (std::size_t q = 0; q < kQuantities; ++q) {
        const auto want = static_cast<double>(here.of(q));
        EXPECT_NEAR(stretch->of[q](t), want, 0x1p-28 * std::abs(want)) << x << ", quantity " << q;
      }
    }
  }
}

TEST(Exact, SecondDerivativesAreKnownBesideZeroAndNotOnKinks) {
  const auto at = [](const char* name, double x) {
    const Reference reference = unary_cases(find_op_spec(name), 0)[0].reference;
    return ExactReference(reference, kFloat32).at(x);
  };
  EXPECT_NEAR(static_cast<double>(at("tanh", 1e-40).of(kSecond)) / -2e-40, 1, 1e-12);
  EXPECT_NEAR(static_cast<double>(at("exp", -1e-38).of(kSecond)), 1, 1e-12);
  EXPECT_NEAR(static_cast<double>(at("log", 1e-38).of(kSecond)) / -1e76, 1, 1e-12);
  EXPECT_NEAR(static_cast<double>(at("sin", 1e6).of(kSecond)), -std::sin(1e6), 1e-9);
  EXPECT_NEAR(static_cast<double>(at("square", 1e31).of(kSecond)), 2, 1e-9);
  EXPECT_TRUE(std::isnan(static_cast<double>(at("relu", 0).of(kSlope))));
  EXPECT_TRUE(std::isnan(static_cast<double>(at("cos", 1e37).of(kSecond)))) << "unknowable";
}

TEST(Walk, AWrongValueAtASingleNumberIsFound) {
  constexpr float kThere = 3.7182817F;
  const OpSpec spec = unary_mutant(
      [](const variable_list& x) {
        const Tensor y = exp(x[0]);
        return where(x[0] == double(kThere), y * (1 + 0x1p-22), y);
      },
      plain_exp);
  const Finding value = found(spec, kFloat32, around(kThere, 3'000'001)).of[kValue];
  EXPECT_EQ(value.judged.at, kThere);
  EXPECT_GT(value.judged.places, 1.5);
}

TEST(Walk, AWrongSlopeInATailIsFound) {
  const OpSpec spec = unary_mutant(
      [](const variable_list& x) {
        const auto rule = elementwise([](const Tensor& grad, const Input<0>& self) {
          return where(self < -80, 0, grad * exp(self));
        });
        return with_derivative(derivative("Mutant", rule), plain_exp, x[0]);
      },
      plain_exp);
  const Findings all = found(spec, kFloat32, {0, 262147, 16384});
  EXPECT_LT(all.of[kValue].judged.places, 0.51);
  EXPECT_LT(all.of[kSlope].judged.at, -80);
  EXPECT_GT(all.of[kSlope].judged.places, 1e6);
}

TEST(Walk, AnIntermediateThatOverflowsIsOdd) {
  const OpSpec spec =
      unary_mutant([](const variable_list& x) { return (exp(x[0]) + exp(-x[0])) / 2; }, plain_cosh);
  const Finding value = found(spec, kFloat32, around(89.0F, 200'000)).of[kValue];
  EXPECT_GT(value.odd, 0u);
  EXPECT_NEAR(std::abs(value.odd_first.at), 88.73, 0.01);
}

TEST(Walk, ALoopWithOtherBitsIsFound) {
  const OpSpec spec = unary_mutant(
      [](const variable_list& x) {
        const Tensor y = exp(x[0]);
        return x[0].is_contiguous() ? y : y * (1 + 0x1p-23);
      },
      plain_exp);
  const Findings all = found(spec, kFloat32, around(1.5F, 1000));
  EXPECT_GT(all.misplaced, 0u);
  EXPECT_STREQ(way_name(all.misplaced_way), "two apart");
}

TEST(Exhaustive, EveryUnaryOperatorIsRightAtEveryNumberOf16BitsAndManyOf32) {
  const Said said =
      say({"exhaustive", "--stride", "262147", "--parameters", "0", "--quiet"}, op_specs());
  EXPECT_EQ(said.code, 0) << said.out << said.err;
}

TEST(Pairs, AWrongSlopeByOneArgumentIsFound) {
  const auto product = elementwise_reference([]<typename T>(T a, T b) { return a * b; });
  const OpSpec spec = binary_mutant(
      [](const variable_list& x) {
        const auto by_a =
            elementwise([](const Tensor& grad, const Input<1>& b) { return grad * b; });
        const auto by_b = elementwise(
            [](const Tensor& grad, const Input<0>& a) { return where(a > 200, 0, grad * a); });
        return record(derivative("Mutant", by_a, by_b), {"mutant", At::current()},
                      x[0].detach() * x[1].detach(), NoParameters{}, x[0], x[1]);
      },
      product);
  const Findings all = walk_pairs(spec, binary_cases(spec).at(0), kFloat16, {0, 262147, 16384});
  EXPECT_LE(all.of[kValue].judged.places, 0.5);
  EXPECT_EQ(all.of[1].judged.places, 0);
  EXPECT_GT(all.of[2].judged.places, 1000);
  EXPECT_GT(all.of[2].judged.at, 200);
}

TEST(Pairs, OperatorsOfTwoArgumentsAreRightAtManyPairs) {
  const Said said = say({"exhaustive", "--pairs", "--stride", "262147", "--quiet"}, op_specs());
  EXPECT_EQ(said.code, 0) << said.out << said.err;
}

TEST(Exhaustive, AFileKeepsItsOtherLinesAndShardsAreTheWhole) {
  const notape::testing::TemporaryFolder folder;
  const std::string file = folder / "walks.json";
  const auto walked = [&](std::vector<std::string> words) {
    for (const char* word : {"--parameters", "0", "--quiet", "--json"}) words.emplace_back(word);
    words.push_back(file);
    words.insert(words.begin(), "exhaustive");
    return say(words, op_specs());
  };
  EXPECT_EQ(walked({"neg", "--dtype", "float16"}).code, 0);
  for (const char* shard : {"1/2", "2/2"})
    EXPECT_EQ(say({"exhaustive", "abs", "--dtype", "float16,bfloat16", "--parameters", "0",
                   "--shard", shard, "--out", folder / "shards"},
                  op_specs())
                  .code,
              0);
  const Said whole = say({"merge", folder / "shards", "--json", file}, op_specs());
  EXPECT_THAT(whole.out, AllOf(HasSubstr(" bfloat16"), HasSubstr(" float16")));
  const Said shown = say({"exhaustive", "--show", file}, {});
  EXPECT_EQ(shown.code, 0) << shown.err;
  EXPECT_THAT(shown.out, HasSubstr("neg                          float16          65,536"));
  EXPECT_THAT(shown.out, HasSubstr("abs                          bfloat16"));
}

TEST(Exhaustive, SaysWhatItCannotWalk) {
  const auto complaint = [](std::vector<std::string> words) {
    words.insert(words.begin(), "exhaustive");
    const Said said = say(words, op_specs());
    EXPECT_EQ(said.code, 2);
    return said.err;
  };
  EXPECT_THAT(complaint({"add"}), HasSubstr("'add' is no elementwise operator of one floating"));
  EXPECT_THAT(complaint({"exp", "--dtype", "float64"}), HasSubstr("'float64' is none of float32"));
  EXPECT_THAT(complaint({"exp", "--stride", "0"}), HasSubstr("--stride: '0'"));
  EXPECT_THAT(complaint({"--show", "/nowhere"}), HasSubstr("'/nowhere' cannot be read"));
}

}  // namespace
}  // namespace notape::verify::exhaustive
