// Result types of elementwise operators. The tables are LibTorch 1.13's, of types of 16 bits
// PyTorch 2.15's; softplus alone also takes integers here.
#include "autograd/testing/expect.h"
#include "ops/ops.h"

namespace notape::testing {
namespace {

using T = const Tensor&;
using X = Tensor&;

/// bool, uint8, int8, int16, int32, int64, float16, bfloat16, float32, float64
constexpr std::string_view kLetters = "bucsilhgfd";

ScalarType type_at(std::size_t i) { return static_cast<ScalarType>(i); }

/// The letter of the result's type, or - where the types are refused.
template <typename F>
char letter_of(const F& call) {
  try {
    return kLetters[static_cast<std::size_t>(call().dtype())];
  } catch (const DtypeError&) {
    return '-';
  } catch (const ValueError&) {
    return '-';
  }
}

struct UnaryRow {
  const char* name;
  Tensor (*call)(T x, T mask);
  const char* results;
};
const UnaryRow kUnaryRows[] = {
    {"neg", [](T x, T) { return neg(x); }, "-ucsilhgfd"},
    {"abs", [](T x, T) { return abs(x); }, "-ucsilhgfd"},
    {"sign", [](T x, T) { return sign(x); }, "bucsilhgfd"},
    {"relu", [](T x, T) { return relu(x); }, "-ucsilhgfd"},
    {"square", [](T x, T) { return square(x); }, "lucsilhgfd"},
    {"logical_not", [](T x, T) { return logical_not(x); }, "bbbbbbbbbb"},
    {"sqrt", [](T x, T) { return sqrt(x); }, "ffffffhgfd"},
    {"rsqrt", [](T x, T) { return rsqrt(x); }, "ffffffhgfd"},
    {"reciprocal", [](T x, T) { return reciprocal(x); }, "ffffffhgfd"},
    {"exp", [](T x, T) { return exp(x); }, "ffffffhgfd"},
    {"log", [](T x, T) { return log(x); }, "ffffffhgfd"},
    {"log1p", [](T x, T) { return log1p(x); }, "ffffffhgfd"},
    {"sin", [](T x, T) { return sin(x); }, "ffffffhgfd"},
    {"cos", [](T x, T) { return cos(x); }, "ffffffhgfd"},
    {"tanh", [](T x, T) { return tanh(x); }, "ffffffhgfd"},
    {"sigmoid", [](T x, T) { return sigmoid(x); }, "ffffffhgfd"},
    {"erf", [](T x, T) { return erf(x); }, "ffffffhgfd"},
    {"softplus", [](T x, T) { return softplus(x); }, "ffffffhgfd"},
    {"clamp(0, 1)", [](T x, T) { return clamp(x, 0, 1); }, "lucsilhgfd"},
    {"clamp(0, 1.5)", [](T x, T) { return clamp(x, 0, 1.5); }, "ffffffhgfd"},
    {"clamp(, 1.5)", [](T x, T) { return clamp(x, {}, 1.5); }, "ffffffhgfd"},
    {"clamp_min(true)", [](T x, T) { return clamp_min(x, true); }, "-ucsilhgfd"},
    {"clamp_max(2)", [](T x, T) { return clamp_max(x, 2); }, "lucsilhgfd"},
    {"x + true", [](T x, T) { return x + true; }, "bucsilhgfd"},
    {"x + 2", [](T x, T) { return x + 2; }, "lucsilhgfd"},
    {"x + 2.5", [](T x, T) { return x + 2.5; }, "ffffffhgfd"},
    {"x - true", [](T x, T) { return x - true; }, "----------"},
    {"x - 2", [](T x, T) { return x - 2; }, "-ucsilhgfd"},
    {"x - 2.5", [](T x, T) { return x - 2.5; }, "-fffffhgfd"},
    {"2 - x", [](T x, T) { return 2 - x; }, "-ucsilhgfd"},
    {"x * true", [](T x, T) { return x * true; }, "bucsilhgfd"},
    {"x * 2", [](T x, T) { return x * 2; }, "lucsilhgfd"},
    {"x * 2.5", [](T x, T) { return x * 2.5; }, "ffffffhgfd"},
    {"x / true", [](T x, T) { return x / true; }, "ffffffhgfd"},
    {"x / 2", [](T x, T) { return x / 2; }, "ffffffhgfd"},
    {"3 / x", [](T x, T) { return 3 / x; }, "ffffffhgfd"},
    {"add(x, x, 2)", [](T x, T) { return add(x, x, 2); }, "bucsilhgfd"},
    {"add(x, x, 2.5)", [](T x, T) { return add(x, x, 2.5); }, "------hgfd"},
    {"add(x, x, true)", [](T x, T) { return add(x, x, true); }, "b---------"},
    {"add(x, 1, 2.5)", [](T x, T) { return add(x, 1, 2.5); }, "------hgfd"},
    {"add(x, 1.5, 2)", [](T x, T) { return add(x, 1.5, 2); }, "ffffffhgfd"},
    {"sub(x, x, 2)", [](T x, T) { return sub(x, x, 2); }, "-ucsilhgfd"},
    {"pow(x, 2)", [](T x, T) { return pow(x, 2); }, "lucsilhgfd"},
    {"pow(x, -1)", [](T x, T) { return pow(x, -1); }, "------hgfd"},
    {"pow(x, 0.5)", [](T x, T) { return pow(x, 0.5); }, "ffffffhgfd"},
    {"pow(x, true)", [](T x, T) { return pow(x, true); }, "-ucsilhgfd"},
    {"pow(2, x)", [](T x, T) { return pow(2, x); }, "lucsilhgfd"},
    {"pow(2.5, x)", [](T x, T) { return pow(2.5, x); }, "ffffffhgfd"},
    {"x == 2.5", [](T x, T) { return x == 2.5; }, "bbbbbbbbbb"},
    {"where(m, x, 1)", [](T x, T m) { return where(m, x, 1); }, "lucsilhgfd"},
    {"where(m, x, 2.5)", [](T x, T m) { return where(m, x, 2.5); }, "ffffffhgfd"},
    {"where(m, true, x)", [](T x, T m) { return where(m, true, x); }, "bucsilhgfd"},
    {"masked_fill(2.5)", [](T x, T m) { return masked_fill(x, m, 2.5); }, "bucsilhgfd"},
    {"addcmul", [](T x, T) { return addcmul(x, x, x); }, "-ucsilhgfd"},
    {"lerp", [](T x, T) { return lerp(x, x, 0.5); }, "------hgfd"},
};

TEST(ElementwisePromotion, OfOneTensorFollowsLibTorch) {
  const Tensor mask = tensor({true, false});
  for (const UnaryRow& row : kUnaryRows) {
    std::string results;
    for (std::size_t i = 0; i < kLetters.size(); ++i)
      results += letter_of([&] { return row.call(ones({2}, type_at(i)), mask); });
    EXPECT_EQ(results, row.results) << row.name;
  }
}

/// One row of letters per type of the first operand, one letter per type of the second.
template <typename F>
std::string table(IntArrayRef left, IntArrayRef right, const F& call) {
  std::string result;
  for (std::size_t i = 0; i < kLetters.size(); ++i) {
    if (i > 0) result += ' ';
    for (std::size_t k = 0; k < kLetters.size(); ++k) {
      Tensor a = ones(left, type_at(i));
      result += letter_of([&] { return call(a, ones(right, type_at(k))); });
    }
  }
  return result;
}

constexpr const char* kEqualRank =
    "bucsilhgfd uussilhgfd cscsilhgfd ssssilhgfd iiiiilhgfd llllllhgfd hhhhhhhffd ggggggfgfd "
    "fffffffffd dddddddddd";
constexpr const char* kZeroDimRight =
    "bucsilhgfd uuuuuuhgfd cccccchgfd sssssshgfd iiiiiihgfd llllllhgfd hhhhhhhhhh gggggggggg "
    "ffffffffff dddddddddd";
constexpr const char* kZeroDimLeft =
    "bucsilhgfd uucsilhgfd cucsilhgfd sucsilhgfd iucsilhgfd lucsilhgfd hhhhhhhgfd gggggghgfd "
    "ffffffhgfd ddddddhgfd";

/// Without the entry for two bools.
std::string without_bools(std::string letters) {
  letters[0] = '-';
  return letters;
}

struct BinaryRow {
  const char* name;
  Tensor (*call)(T a, T b);
  bool takes_bools;
};
const BinaryRow kPromoting[] = {
    {"add", [](T a, T b) { return add(a, b); }, true},
    {"mul", [](T a, T b) { return mul(a, b); }, true},
    {"maximum", [](T a, T b) { return maximum(a, b); }, true},
    {"minimum", [](T a, T b) { return minimum(a, b); }, true},
    {"where",
     [](T a, T b) {
       return where(tensor({true, false}), a, b);
     },
     true},
    {"pow", [](T a, T b) { return pow(a, b); }, false},
    {"addcmul", [](T a, T b) { return addcmul(a, b, b); }, false},
};

TEST(ElementwisePromotion, OfTwoTensorsFollowsLibTorch) {
  for (const BinaryRow& row : kPromoting) {
    const auto expected = [&](const char* letters) {
      return row.takes_bools ? letters : without_bools(letters);
    };
    EXPECT_EQ(table({2}, {2}, row.call), expected(kEqualRank)) << row.name;
    EXPECT_EQ(table({2}, {}, row.call), expected(kZeroDimRight)) << row.name;
    EXPECT_EQ(table({}, {2}, row.call), expected(kZeroDimLeft)) << row.name;
  }
}

TEST(ElementwisePromotion, OfDivisionIsToFloat) {
  const auto call = [](T a, T b) { return a / b; };
  EXPECT_EQ(
      table({2}, {2}, call),
      "ffffffhgfd ffffffhgfd ffffffhgfd ffffffhgfd ffffffhgfd ffffffhgfd hhhhhhhffd ggggggfgfd "
      "fffffffffd dddddddddd");
  EXPECT_EQ(
      table({2}, {}, call),
      "ffffffhgfd ffffffhgfd ffffffhgfd ffffffhgfd ffffffhgfd ffffffhgfd hhhhhhhhhh gggggggggg "
      "ffffffffff dddddddddd");
  EXPECT_EQ(
      table({}, {2}, call),
      "ffffffhgfd ffffffhgfd ffffffhgfd ffffffhgfd ffffffhgfd ffffffhgfd hhhhhhhgfd gggggghgfd "
      "ffffffhgfd ddddddhgfd");
}

TEST(ElementwisePromotion, OfSubtractionRefusesBools) {
  const auto call = [](T a, T b) { return a - b; };
  EXPECT_EQ(
      table({2}, {2}, call),
      "---------- -ussilhgfd -scsilhgfd -sssilhgfd -iiiilhgfd -lllllhgfd -hhhhhhffd -gggggfgfd "
      "-ffffffffd -ddddddddd");
}

constexpr const char* kOnlyAmongFloats =
    "---------- ---------- ---------- ---------- ---------- ---------- ------h--- -------g-- "
    "--------f- ---------d";

TEST(ElementwisePromotion, DoesNotHappenInLerp) {
  EXPECT_EQ(table({2}, {}, [](T a, T b) { return lerp(a, b, 0.5); }), kOnlyAmongFloats);
  EXPECT_EQ(table({2}, {2}, [](T a, T b) { return lerp(a, a, b); }), kOnlyAmongFloats);
}

TEST(ElementwisePromotion, OfComparisonsIsAlwaysToBool) {
  std::string all;
  for (std::size_t i = 0; i < kLetters.size(); ++i) all += i == 0 ? "bbbbbbbbbb" : " bbbbbbbbbb";
  EXPECT_EQ(table({2}, {}, [](T a, T b) { return a < b; }), all);
}

TEST(ElementwisePromotion, InPlaceKeepsTheTypeOrRefuses) {
  struct Row {
    const char* name;
    Tensor& (*call)(X a, T b);
    const char* letters;
  };
  const Row rows[] = {
      {"add_", [](X a, T b) -> X { return add_(a, b); },
       "b--------- uuuuuu---- cccccc---- ssssss---- iiiiii---- llllll---- hhhhhhhhhh gggggggggg "
       "ffffffffff dddddddddd"},
      {"mul_", [](X a, T b) -> X { return mul_(a, b); },
       "b--------- uuuuuu---- cccccc---- ssssss---- iiiiii---- llllll---- hhhhhhhhhh gggggggggg "
       "ffffffffff dddddddddd"},
      {"div_", [](X a, T b) -> X { return div_(a, b); },
       "---------- ---------- ---------- ---------- ---------- ---------- hhhhhhhhhh gggggggggg "
       "ffffffffff dddddddddd"},
      {"pow_", [](X a, T b) -> X { return pow_(a, b); },
       "---------- uuuuuu---- cccccc---- ssssss---- iiiiii---- llllll---- hhhhhhhhhh gggggggggg "
       "ffffffffff dddddddddd"},
      {"lerp_", [](X a, T b) -> X { return lerp_(a, b, 0.5); }, kOnlyAmongFloats},
  };
  for (const Row& row : rows)
    EXPECT_EQ(table({2}, {2}, [&](X a, T b) { return row.call(a, b); }), row.letters) << row.name;
}

TEST(ElementwisePromotion, InPlaceComputesInTheWiderType) {
  Tensor x = tensor({1.5}, kFloat32);
  x.pow_(tensor({1.1}, kFloat64));
  EXPECT_EQ(x.item<float>(), static_cast<float>(std::pow(1.5, 1.1)));
}

TEST(ElementwisePromotion, CountsAWeightOfLerpThatIsOneNumber) {
  const Tensor bytes = tensor({1, 2}, kInt8), floats = tensor({1, 2}, kFloat32);
  const auto half = [](ScalarType type) { return full({}, 0.5, type); };
  EXPECT_EQ(lerp(bytes, bytes + 2, half(kBFloat16)).dtype(), kBFloat16);
  expect_values(lerp(bytes, bytes + 2, half(kFloat64)), {2, 3});
  const Tensor y = lerp(floats, floats + 1, half(kFloat64));
  EXPECT_EQ(y.dtype(), kFloat32);
  expect_values(y, {1.5, 2.5});
  EXPECT_EQ(lerp(floats[0], floats[1], half(kFloat64)).dtype(), kFloat64);
  EXPECT_EQ(lerp(floats[0], floats, half(kFloat64)).dtype(), kFloat32);
  Tensor x = floats.clone();
  x.lerp_(floats + 1, half(kFloat64));
  expect_values(x, {1.5, 2.5});
  expect_error<DtypeError>("lerp: not implemented for 'Char'",
                           [&] { lerp(bytes, bytes, full({}, 2, kInt32)); });
  expect_error<DtypeError>("lerp_", [&] { bytes.clone().lerp_(bytes, half(kFloat64)); });
}

TEST(ElementwiseIntegers, WrapAroundAndKeepTheirSigns) {
  expect_values(neg(tensor({1, 2}, kUInt8)), {255, 254});
  expect_values(tensor({2, 1}, kUInt8) - tensor({1, 2}, kUInt8), {1, 255});
  expect_values(mul(tensor({-128, 100}, kInt8), tensor({-128, 3}, kInt8)), {0, 44});
  expect_values(square(tensor({-32768, 300}, kInt16)), {0, 24464});
  expect_values(abs(tensor({-3, 4}, kInt32)), {3, 4});
  expect_values(sign(tensor({-3, 0, 4}, kInt64)), {-1, 0, 1});
  expect_values(relu(tensor({-3, 4}, kInt64)), {0, 4});
  expect_values(clamp(tensor({-3, 4}, kInt32), -1, 2), {-1, 2});
  // Both bounds decide about the type, which has to hold each.
  const Tensor bounded = clamp(tensor({1, 200}, kUInt8), -2.5, -2);
  EXPECT_EQ(bounded.dtype(), kFloat32);
  expect_values(bounded, {-2, -2});
  expect_values(maximum(tensor({-3, 4}), tensor({1, 2})), {1, 4});
}

TEST(ElementwiseIntegers, PowersRepeatMultiplication) {
  expect_values(pow(tensor({2, 1, -1, 0, -1}), tensor({-1, -2, -3, -1, -2})), {0, 1, -1, 0, 1});
  expect_values(pow(tensor({-3, 2, 7, 0}, kInt32), tensor({3, 10, 0, 0}, kInt32)),
                {-27, 1024, 1, 1});
  expect_values(pow(tensor({3, 16}, kUInt8), 2), {9, 0});
  expect_values(pow(tensor({3, -3}), 3), {27, -27});
  expect_values(pow(2, tensor({5, -1})), {32, 0});
  EXPECT_EQ(pow(tensor({3}), 39).item<int64_t>(), 4052555153018976267);
}

TEST(ElementwiseBools, AreOrAndAnd) {
  const Tensor a = tensor({true, true, false, false}), b = tensor({true, false, true, false});
  expect_values(a + b, {1, 1, 1, 0});
  expect_values(a * b, {1, 0, 0, 0});
  expect_values(maximum(a, b), {1, 1, 1, 0});
  expect_values(minimum(a, b), {1, 0, 0, 0});
  expect_values(a < b, {0, 0, 1, 0});
  expect_values(sign(a), {1, 1, 0, 0});
  expect_values(masked_fill(a, b, 0.5), {1, 1, 1, 0});
}

}  // namespace
}  // namespace notape::testing
