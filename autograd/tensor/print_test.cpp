// Expected strings are what LibTorch 1.13 prints for the same tensors.
#include <cmath>
#include <sstream>

#include "autograd/testing/expect.h"
#include "ops/ops.h"

namespace notape::testing {
namespace {

struct PrintCase {
  const char* name;
  Tensor tensor;
  const char* expected;
};

const std::vector<PrintCase>& cases() {
  static const std::vector<PrintCase> table = {
      {"0-d float", tensor(1.5),
       "1.5\n"
       "[ CPUFloatType{} ]"},
      {"0-d int", tensor(-7),
       "-7\n"
       "[ CPULongType{} ]"},
      {"0-d bool", tensor(true),
       "1\n"
       "[ CPUBoolType{} ]"},
      {"0-d double", tensor(0.1, kFloat64),
       "0.1\n"
       "[ CPUDoubleType{} ]"},
      {"0-d small", tensor(1e-7),
       "1e-07\n"
       "[ CPUFloatType{} ]"},
      {"0-d large", tensor(123456789.0),
       "1.23457e+08\n"
       "[ CPUFloatType{} ]"},
      {"1-d", tensor({1.0, 2.5, -3.25}),
       " 1.0000\n"
       " 2.5000\n"
       "-3.2500\n"
       "[ CPUFloatType{3} ]"},
      {"1-d integers", tensor({1, -20, 300}),
       "   1\n"
       " -20\n"
       " 300\n"
       "[ CPULongType{3} ]"},
      {"bool", tensor({true, false, true}),
       " 1\n"
       " 0\n"
       " 1\n"
       "[ CPUBoolType{3} ]"},
      {"uint8", tensor({1, 2, 255}, kUInt8),
       "   1\n"
       "   2\n"
       " 255\n"
       "[ CPUByteType{3} ]"},
      {"int8", tensor({1, -2, -128}, kInt8),
       "   1\n"
       "  -2\n"
       "-128\n"
       "[ CPUCharType{3} ]"},
      {"int16", tensor({1, -300}, kInt16),
       "   1\n"
       "-300\n"
       "[ CPUShortType{2} ]"},
      {"no elements", zeros({0}), "[ CPUFloatType{0} ]"},
      {"no elements, 3-d", zeros({2, 0, 3}), "[ CPUFloatType{2,0,3} ]"},
      {"no rows", zeros({0, 3}), "[ CPUFloatType{0,3} ]"},
      {"no columns", zeros({3, 0}), "[ CPUFloatType{3,0} ]"},
      {"2-d with a negative", tensor({{1., 2., 3.}, {-4., 5.5, 6.}}),
       " 1.0000  2.0000  3.0000\n"
       "-4.0000  5.5000  6.0000\n"
       "[ CPUFloatType{2,3} ]"},
      {"whole numbers as float", arange(6.0).view({2, 3}),
       " 0  1  2\n"
       " 3  4  5\n"
       "[ CPUFloatType{2,3} ]"},
      {"transposed", as_strided(arange(6.0), {3, 2}, {1, 3}),
       " 0  3\n"
       " 1  4\n"
       " 2  5\n"
       "[ CPUFloatType{3,2} ]"},
      {"double", tensor({0.1, 0.25}, kFloat64),
       " 0.1000\n"
       " 0.2500\n"
       "[ CPUDoubleType{2} ]"},
      {"zeros", zeros({2, 2}),
       " 0  0\n"
       " 0  0\n"
       "[ CPUFloatType{2,2} ]"},
      {"negatives", tensor({-1.5, -22.75}),
       " -1.5000\n"
       "-22.7500\n"
       "[ CPUFloatType{2} ]"},
      {"1 by 1", full({1, 1}, 3.0),
       " 3\n"
       "[ CPUFloatType{1,1} ]"},
      {"scientific", tensor({1e-8, 1.0, 1e8}),
       " 1.0000e-08\n"
       " 1.0000e+00\n"
       " 1.0000e+08\n"
       "[ CPUFloatType{3} ]"},
      {"scientific matrix", tensor({{1e-8, 1.0}, {1e8, -2.5e-3}}),
       " 1.0000e-08  1.0000e+00\n"
       " 1.0000e+08 -2.5000e-03\n"
       "[ CPUFloatType{2,2} ]"},
      {"scale factor", tensor({100000.5, 200000.25}),
       "1e+05 *\n"
       " 1.0000\n"
       " 2.0000\n"
       "[ CPUFloatType{2} ]"},
      {"scale factor, matrix", tensor({{100000.5, 200000.25}, {-300000.125, 1e5}}),
       "1e+05 *\n"
       " 1.0000  2.0000\n"
       " -3.0000  1.0000\n"
       "[ CPUFloatType{2,2} ]"},
      {"small scale factor", tensor({0.001, 0.002}),
       "0.001 *\n"
       " 1.0000\n"
       " 2.0000\n"
       "[ CPUFloatType{2} ]"},
      {"small scale factor, matrix", tensor({{0.001, 0.002}, {-0.003, 0.004}}),
       "0.001 *\n"
       " 1.0000  2.0000\n"
       " -3.0000  4.0000\n"
       "[ CPUFloatType{2,2} ]"},
      {"large integers", tensor({int64_t{1234567890123}, int64_t{-1}}),
       " 1.2346e+12\n"
       "-1.0000e+00\n"
       "[ CPULongType{2} ]"},
      {"large whole floats", tensor({1e10, 2e10}),
       " 1.0000e+10\n"
       " 2.0000e+10\n"
       "[ CPUFloatType{2} ]"},
      {"nan and inf", tensor({std::nan(""), HUGE_VAL, -HUGE_VAL, 1.5}),
       "    nan\n"
       "    inf\n"
       "   -inf\n"
       " 1.5000\n"
       "[ CPUFloatType{4} ]"},
      {"nan only", tensor({std::nan(""), std::nan("")}),
       "nan\n"
       "nan\n"
       "[ CPUFloatType{2} ]"},
      {"nan and a whole number", tensor({std::nan(""), 2.0}),
       "nan\n"
       " 2\n"
       "[ CPUFloatType{2} ]"},
      {"3-d", arange(12.0).view({2, 2, 3}),
       "(1,.,.) = \n"
       "  0  1  2\n"
       "  3  4  5\n"
       "\n"
       "(2,.,.) = \n"
       "   6   7   8\n"
       "   9  10  11\n"
       "[ CPUFloatType{2,2,3} ]"},
      {"4-d, the first dimension runs fastest", arange(8.0).view({2, 2, 1, 2}) * 0.5,
       "(1,1,.,.) = \n"
       "  0.0000  0.5000\n"
       "\n"
       "(2,1,.,.) = \n"
       "  2.0000  2.5000\n"
       "\n"
       "(1,2,.,.) = \n"
       "  1.0000  1.5000\n"
       "\n"
       "(2,2,.,.) = \n"
       "  3.0000  3.5000\n"
       "[ CPUFloatType{2,2,1,2} ]"},
      {"scientific 3-d", tensor({{{1e-8, 1.0}, {1e8, -2.5e-3}}}),
       "(1,.,.) = \n"
       "  1.0000e-08  1.0000e+00\n"
       "  1.0000e+08 -2.5000e-03\n"
       "[ CPUFloatType{1,2,2} ]"},
      {"scale factor, 3-d", tensor({{{100000.5, 200000.25}, {-300000.125, 1e5}}}),
       "(1,.,.) = \n"
       " 1e+05 *\n"
       "  1.0000  2.0000\n"
       "  -3.0000  1.0000\n"
       "[ CPUFloatType{1,2,2} ]"},
      {"wide integers in column blocks", arange(30.0).view({1, 30}),
       "Columns 1 to 20  0   1   2   3   4   5   6   7   8   9  10  11  12  13  14  15  16  17  18 "
       " 19\n"
       "\n"
       "Columns 21 to 30 20  21  22  23  24  25  26  27  28  29\n"
       "[ CPUFloatType{1,30} ]"},
      {"wide matrix in column blocks", arange(40.0).view({2, 20}) * 0.5,
       "Columns 1 to 8  0.0000   0.5000   1.0000   1.5000   2.0000   2.5000   3.0000   3.5000\n"
       " 10.0000  10.5000  11.0000  11.5000  12.0000  12.5000  13.0000  13.5000\n"
       "\n"
       "Columns 9 to 16  4.0000   4.5000   5.0000   5.5000   6.0000   6.5000   7.0000   7.5000\n"
       " 14.0000  14.5000  15.0000  15.5000  16.0000  16.5000  17.0000  17.5000\n"
       "\n"
       "Columns 17 to 20  8.0000   8.5000   9.0000   9.5000\n"
       " 18.0000  18.5000  19.0000  19.5000\n"
       "[ CPUFloatType{2,20} ]"},
      {"wide matrix, scientific", arange(40.0).view({2, 20}) * 100000.5,
       "Columns 1 to 6 0.0000e+00  1.0000e+05  2.0000e+05  3.0000e+05  4.0000e+05  5.0000e+05\n"
       " 2.0000e+06  2.1000e+06  2.2000e+06  2.3000e+06  2.4000e+06  2.5000e+06\n"
       "\n"
       "Columns 7 to 12 6.0000e+05  7.0000e+05  8.0000e+05  9.0000e+05  1.0000e+06  1.1000e+06\n"
       " 2.6000e+06  2.7000e+06  2.8000e+06  2.9000e+06  3.0000e+06  3.1000e+06\n"
       "\n"
       "Columns 13 to 18 1.2000e+06  1.3000e+06  1.4000e+06  1.5000e+06  1.6000e+06  1.7000e+06\n"
       " 3.2000e+06  3.3000e+06  3.4000e+06  3.5000e+06  3.6000e+06  3.7000e+06\n"
       "\n"
       "Columns 19 to 20 1.8000e+06  1.9000e+06\n"
       " 3.8000e+06  3.9000e+06\n"
       "[ CPUFloatType{2,20} ]"},
      {"wide 3-d", arange(60.0).view({2, 1, 30}) * 0.5,
       "(1,.,.) = \n"
       " Columns 1 to 8   0.0000   0.5000   1.0000   1.5000   2.0000   2.5000   3.0000   3.5000\n"
       "\n"
       "Columns 9 to 16   4.0000   4.5000   5.0000   5.5000   6.0000   6.5000   7.0000   7.5000\n"
       "\n"
       "Columns 17 to 24   8.0000   8.5000   9.0000   9.5000  10.0000  10.5000  11.0000  11.5000\n"
       "\n"
       "Columns 25 to 30  12.0000  12.5000  13.0000  13.5000  14.0000  14.5000\n"
       "\n"
       "(2,.,.) = \n"
       " Columns 1 to 8  15.0000  15.5000  16.0000  16.5000  17.0000  17.5000  18.0000  18.5000\n"
       "\n"
       "Columns 9 to 16  19.0000  19.5000  20.0000  20.5000  21.0000  21.5000  22.0000  22.5000\n"
       "\n"
       "Columns 17 to 24  23.0000  23.5000  24.0000  24.5000  25.0000  25.5000  26.0000  26.5000\n"
       "\n"
       "Columns 25 to 30  27.0000  27.5000  28.0000  28.5000  29.0000  29.5000\n"
       "[ CPUFloatType{2,1,30} ]"},
  };
  return table;
}

TEST(Print, EqualsLibTorch) {
  for (const PrintCase& one : cases()) {
    SCOPED_TRACE(one.name);
    EXPECT_EQ(one.tensor.to_string(), one.expected);
    std::ostringstream stream;
    stream << one.tensor;
    EXPECT_EQ(stream.str(), one.expected);
  }
}

TEST(Print, SaysUndefined) { EXPECT_EQ(Tensor().to_string(), "[ Tensor (undefined) ]"); }

TEST(Print, LeavesTheStreamsFormatAlone) {
  std::ostringstream stream;
  stream << tensor({1e-8, 1.0, 1e8}) << ' ' << 0.5;
  EXPECT_THAT(stream.str(), ::testing::EndsWith(" 0.5"));
}

}  // namespace
}  // namespace notape::testing
