// Numbers and the element types that can hold them (scalar.h: "Numbers that do not fit").
#include "autograd/tensor/scalar.h"

#include <cfloat>

#include "autograd/testing/expect.h"

namespace notape::testing {
namespace {

constexpr double kInf = std::numeric_limits<double>::infinity();
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

struct Fit {
  Scalar value;
  ScalarType type;
  bool fits;
};

TEST(Scalar, FitsATypeByTheRuleOfLibTorch) {
  const int64_t two31 = int64_t{1} << 31;
  const std::vector<Fit> table = {
      {1, kBool, true},
      {kNan, kBool, true},
      {0, kUInt8, true},
      {-1, kUInt8, false},  // LibTorch: 255
      {255, kUInt8, true},
      {256, kUInt8, false},
      {255.5, kUInt8, true},
      {256.0, kUInt8, false},
      {-0.5, kUInt8, true},
      {-1.0, kUInt8, false},
      {-128, kInt8, true},
      {128, kInt8, false},
      {-129.0, kInt8, false},
      {32767, kInt16, true},
      {-32769, kInt16, false},
      {two31 - 1, kInt32, true},
      {two31, kInt32, false},
      {-two31, kInt32, true},
      {-two31 - 1, kInt32, false},
      {2147483647.5, kInt32, true},
      {2147483648.0, kInt32, false},
      {-2147483648.5, kInt32, true},
      {-2147483649.0, kInt32, false},
      {1e20, kInt32, false},
      {kNan, kInt32, false},
      {kInf, kInt32, false},
      {0x1p62, kInt64, true},
      {0x1p63, kInt64, false},
      {-0x1p63, kInt64, true},
      {std::nextafter(-0x1p63, -kInf), kInt64, false},
      {kNan, kInt64, false},
      {-kInf, kInt64, false},
      {FLT_MAX, kFloat32, true},
      {-1e40, kFloat32, false},
      {1e40, kFloat64, true},
      {kInf, kFloat32, true},
      {kNan, kFloat32, true},
      {two31 * two31, kFloat32, true},
      {true, kInt32, true},
  };
  for (std::size_t i = 0; i < table.size(); ++i)
    EXPECT_EQ(table[i].value.fits(table[i].type), table[i].fits) << "row " << i;
}

TEST(Scalar, ConvertsOrSaysToWhatItCannot) {
  EXPECT_EQ(Scalar(2.9).toInt(), 2);
  EXPECT_EQ(Scalar(-2.9).toLong(), -2);
  EXPECT_EQ(Scalar(300).to<uint16_t>(), 300);
  EXPECT_EQ(Scalar(kInf).toFloat(), std::numeric_limits<float>::infinity());
  EXPECT_TRUE(Scalar(1e30).toBool());
  const auto refuses = [](const char* type, auto&& program) {
    expect_error<ValueError>(
        format_message("value cannot be converted to type {} without overflow", {type}), program);
  };
  refuses("int", [] { Scalar(1e20).toInt(); });
  refuses("int", [] { Scalar(int64_t{1} << 33).toInt(); });
  refuses("int64_t", [] { Scalar(kNan).toLong(); });
  refuses("float", [] { Scalar(1e40).toFloat(); });
  refuses("uint8_t", [] { Scalar(256).to<uint8_t>(); });
  refuses("int8_t", [] { Scalar(-129).to<int8_t>(); });
  refuses("uint64_t", [] { Scalar(-1).to<std::size_t>(); });
  refuses("int64_t", [] { Scalar(uint64_t{1} << 63); });
  refuses("int64_t", [] { -Scalar(std::numeric_limits<int64_t>::min()); });
  expect_error<ValueError>("item: value cannot be converted to type int without overflow",
                           [] { constant({1e20}).item<int>(); });
  expect_error<ValueError>("item: value cannot be converted to type float",
                           [] { constant({1e300}).item<float>(); });
  EXPECT_EQ(constant({1e300}).item(), 1e300);
}

TEST(Factories, RefuseNumbersThatDoNotFit) {
  const int64_t large = int64_t{1} << 33;
  const std::vector<std::pair<const char*, std::function<void()>>> table = {
      {"full: value cannot be converted to type int ", [=] { full({1}, large, kInt32); }},
      {"full: value cannot be converted to type float ", [=] { full({1}, 1e40); }},
      {"full: value cannot be converted to type int64_t ", [=] { full({0}, kNan, kInt64); }},
      {"full: value cannot be converted to type uint8_t ", [=] { full({1}, -1, kUInt8); }},
      {"full: value cannot", [=] { full_like(zeros({2}, kInt32), large); }},
      {"scalar_tensor: value cannot", [=] { scalar_tensor(large, kInt32); }},
      {"tensor: value cannot",
       [=] {
         tensor({1, large}, kInt32);
       }},
      {"tensor: value cannot", [=] { tensor(std::vector<int64_t>{large}, kInt32); }},
      {"tensor: value cannot", [=] { tensor(std::vector<double>{kNan}, kInt32); }},
      {"tensor: value cannot", [=] { tensor(256, kUInt8); }},
      {"arange: value cannot", [=] { arange(250, 260, kUInt8); }},
      {"arange: value cannot", [=] { arange(large, large + 2, kInt32); }},
      {"arange: value cannot", [=] { arange(0.0, 1e40, 1e39); }},
      {"linspace: value cannot", [=] { linspace(0, 300, 3, kUInt8); }},
      {"linspace: value cannot", [=] { linspace(0, 1e40, 3); }},
      {"randint: to - 1 is out of bounds for uint8_t", [=] { randint(0, 1000, {2}, kUInt8); }},
      {"randint: from is out of bounds for uint8_t", [=] { randint(-3, 10, {2}, kUInt8); }},
  };
  for (const auto& [message, program] : table) expect_error<ValueError>(message, program);
  EXPECT_EQ(full({1}, 255, kUInt8).item<int>(), 255);
  EXPECT_EQ(randint(0, 256, {2}, kUInt8).numel(), 2);
}

TEST(Factories, CountExactlyBeyondWhatADoubleHolds) {
  const int64_t start = (int64_t{1} << 60) + 1;
  const Tensor up = arange(start, start + 5, 2);
  ASSERT_EQ(up.numel(), 3);
  EXPECT_EQ(up[2].item<int64_t>(), start + 4);
  const Tensor down = arange(start, start - 3, -1);
  ASSERT_EQ(down.numel(), 3);
  EXPECT_EQ(down[2].item<int64_t>(), start - 2);
  EXPECT_EQ(arange(start, start).numel(), 0);
  expect_error<ValueError>("inconsistent with step sign", [=] { arange(start, start - 1); });
  const int64_t least = std::numeric_limits<int64_t>::min();
  EXPECT_EQ(arange(int64_t{0}, least, least).numel(), 1);
}

}  // namespace
}  // namespace notape::testing
