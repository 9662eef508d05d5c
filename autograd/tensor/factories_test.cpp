#include "autograd/tensor/factories.h"

#include <cmath>
#include <functional>

#include "autograd/testing/expect.h"
#include "ops/ops.h"

namespace notape::testing {
namespace {

struct FactoryCase {
  const char* name;
  Tensor tensor;
  std::vector<int64_t> sizes;
  std::vector<double> expected;
  ScalarType type;
};

// Values and dtypes are LibTorch's.
TEST(Factories, GiveLibTorchsValues) {
  const std::vector<FactoryCase> table = {
      {"zeros", zeros({2, 2}), {2, 2}, {0, 0, 0, 0}, kFloat32},
      {"ones", ones({2}, kInt32), {2}, {1, 1}, kInt32},
      {"full float", full({2}, 2.5), {2}, {2.5, 2.5}, kFloat32},
      {"full integer", full({2}, 7), {2}, {7, 7}, kInt64},
      {"full bool", full({1}, true), {1}, {1}, kBool},
      {"full converts", full({1}, 2.9, kInt64), {1}, {2}, kInt64},
      {"scalar_tensor", scalar_tensor(3.5, kFloat64), {}, {3.5}, kFloat64},
      {"scalar_tensor of an integer", scalar_tensor(3), {}, {3}, kFloat32},
      {"arange integers", arange(4), {4}, {0, 1, 2, 3}, kInt64},
      {"arange floats", arange(1.0, 2.0, 0.25), {4}, {1, 1.25, 1.5, 1.75}, kFloat32},
      {"arange down", arange(3, 0, -1), {3}, {3, 2, 1}, kInt64},
      {"arange nothing", arange(2, 2), {0}, {}, kInt64},
      {"arange cut", arange(0.0, 5.0, 1.5, kInt64), {4}, {0, 1, 2, 3}, kInt64},
      {"arange cut down", arange(5.9, 0.0, -1.5, kInt32), {4}, {5, 4, 3, 2}, kInt32},
      {"arange cut to nothing", arange(0.0, 1.0, 0.3, kByte), {4}, {0, 0, 0, 0}, kByte},
      {"arange of a cut start", arange(-2.5, 3.0, 1.5, kInt32), {4}, {-2, -1, 0, 1}, kInt32},
      {"linspace cut", linspace(0.5, 7.9, 4, kInt64), {4}, {0, 2, 4, 7}, kInt64},
      {"linspace cut down", linspace(-0.5, -7.9, 4, kInt64), {4}, {0, -2, -4, -7}, kInt64},
      {"linspace of integers",
       linspace(0, 100, 7, kInt32),
       {7},
       {0, 16, 33, 50, 66, 83, 100},
       kInt32},
      {"linspace", linspace(0, 1, 5), {5}, {0, 0.25, 0.5, 0.75, 1}, kFloat32},
      {"linspace down", linspace(2.0, -2.0, 3), {3}, {2, 0, -2}, kFloat32},
      {"linspace of one", linspace(4, 9, 1), {1}, {4}, kFloat32},
      {"linspace of none", linspace(4, 9, 0), {0}, {}, kFloat32},
      {"eye", eye(2), {2, 2}, {1, 0, 0, 1}, kFloat32},
      {"eye wide", eye(2, 3), {2, 3}, {1, 0, 0, 0, 1, 0}, kFloat32},
      {"eye without columns", eye(2, 0), {2, 0}, {}, kFloat32},
      {"braces", tensor({{1, 2}, {3, 4}}), {2, 2}, {1, 2, 3, 4}, kInt64},
      {"braces mixed", tensor({1, 2.5}), {2}, {1, 2.5}, kFloat32},
      {"braces bool", tensor({true, false}), {2}, {1, 0}, kBool},
      {"braces bool and int", tensor({true, 3}), {2}, {1, 3}, kInt64},
      {"a number", tensor(2.5), {}, {2.5}, kFloat32},
      {"one in braces", tensor({5}), {1}, {5}, kInt64},
      {"one in two braces", tensor({{5}}), {1, 1}, {5}, kInt64},
      {"empty rows", tensor({{}, {}}), {2, 0}, {}, kFloat32},
      {"large integer", tensor({(int64_t{1} << 62) + 1}), {1}, {0x1p62}, kInt64},
      {"vector of double", tensor(std::vector<double>{1, 2}), {2}, {1, 2}, kFloat32},
      {"vector of int", tensor(std::vector<int>{1, 2}), {2}, {1, 2}, kInt64},
      {"vector of bool", tensor(std::vector<bool>{true, false}), {2}, {1, 0}, kBool},
      {"vector of bytes", tensor(std::vector<uint8_t>{1, 0}), {2}, {1, 0}, kUInt8},
      {"vector of int8", tensor(std::vector<int8_t>{1, -2}), {2}, {1, -2}, kInt8},
      {"vector of int16", tensor(std::vector<int16_t>{1, -2}), {2}, {1, -2}, kInt16},
      {"vector of float16", tensor(std::vector<Half>{Half(1.5)}), {1}, {1.5}, kFloat16},
      {"a byte", tensor(uint8_t{7}), {}, {7}, kUInt8},
      {"braces of int8", tensor({int8_t{1}, int8_t{-2}}), {2}, {1, -2}, kInt8},
      {"full of a byte", full({1}, uint8_t{7}), {1}, {7}, kInt64},
      {"float16 in steps of 8", arange(8176, 8192, 8, kFloat16), {2}, {8176, 8184}, kFloat16},
      {"vector, dtype given", tensor(std::vector<int>{1, 2}, kFloat64), {2}, {1, 2}, kFloat64},
  };
  for (const FactoryCase& one : table) {
    SCOPED_TRACE(one.name);
    EXPECT_EQ(one.tensor.sizes(), IntArrayRef(one.sizes));
    EXPECT_EQ(one.tensor.dtype(), one.type);
    EXPECT_TRUE(one.tensor.is_contiguous());
    EXPECT_FALSE(one.tensor.requires_grad());
    expect_values(one.tensor, one.expected);
  }
}

TEST(Factories, ReadIntegersExactly) {
  const int64_t large = (int64_t{1} << 62) + 1;
  EXPECT_EQ(tensor({large}).item<int64_t>(), large);
  EXPECT_EQ(full({1}, large).item<int64_t>(), large);
  EXPECT_EQ(linspace(0, large, 2, kInt64)[1].item<int64_t>(), large);
}

template <typename E>
void refuses(const char* name, const char* fragment, std::function<void()> program) {
  SCOPED_TRACE(name);
  expect_error<E>(fragment, program);
}

TEST(Factories, RefuseWhatTheyCannotMake) {
  refuses<ShapeError>("ragged rows", "expected 2 entries at depth 1, got 1", [] {
    tensor({{1, 2}, {3}});
  });
  refuses<ShapeError>("a row among numbers", "numbers and lists are mixed at one level", [] {
    tensor({1, {2, 3}});
  });
  refuses<ShapeError>("a number among rows", "numbers and lists are mixed at one level", [] {
    tensor({{2, 3}, 1});
  });
  refuses<ShapeError>("deeper later", "", [] { tensor({{1}, {{2}}}); });
  refuses<ShapeError>("negative size", "negative dimension -1", [] { zeros({-1}); });
  refuses<ShapeError>("overflow", "is too large", [] { zeros({1 << 30, 1 << 30, 1 << 30}); });
  refuses<ValueError>("arange with step 0", "step must be nonzero", [] { arange(0, 5, 0); });
  refuses<ValueError>("arange the wrong way", "inconsistent with step sign", [] { arange(5, 0); });
  refuses<ValueError>("endless arange", "finite", [] { arange(0.0, HUGE_VAL); });
  refuses<DtypeError>("arange of bools", "arange: not implemented for bool",
                      [] { arange(2, kBool); });
  refuses<DtypeError>("linspace of bools", "linspace: not implemented for bool",
                      [] { linspace(0, 1, 2, kBool); });
  refuses<DtypeError>("randperm of bools", "randperm: not implemented for bool",
                      [] { randperm(2, kBool); });
  refuses<ValueError>("randint of bools", "to - 1 is out of bounds for bool",
                      [] { randint(0, 3, {2}, kBool); });
  // Whole numbers that the dtype would round: two of them could become one.
  refuses<ValueError>("float16", "arange: 2049 is no number of type float16",
                      [] { arange(0, 4096, kFloat16); });
  refuses<ValueError>("bfloat16", "arange: 257 is no number of type bfloat16",
                      [] { arange(0.0, 300.0, kBFloat16); });
  refuses<ValueError>("float32", "arange: 16777217 is no number of type float32",
                      [] { arange((1 << 24) - 1, (1 << 24) + 2, kFloat32); });
  refuses<ValueError>("float64", "arange: 9007199254740993 is no number of type float64",
                      [] { arange(int64_t{1} << 53, (int64_t{1} << 53) + 2, kFloat64); });
  refuses<ValueError>("randperm", "randperm: 2050 numbers are more than float16 can tell apart",
                      [] { randperm(2050, kFloat16); });
  refuses<ValueError>("randint", "randint: to - 1 is out of bounds for at::Half",
                      [] { randint(0, 4096, {2}, kFloat16); });
  refuses<ValueError>("beyond float16", "arange: value cannot be converted to type at::Half",
                      [] { arange(65520, 131072, 65536, kFloat16); });
  EXPECT_EQ(randperm(2049, kFloat16).max().item(), 2048);
  refuses<ValueError>("an arange that leaves int64", "without overflow",
                      [] { arange(0.0, 2e19, 1e18, kInt64); });
  refuses<ValueError>("linspace", "non-negative, got -2", [] { linspace(0, 1, -2); });
  refuses<ValueError>("randint", "from=3 >= to=3", [] { randint(3, 3, {1}); });
  refuses<ValueError>("randperm", "non-negative, got -1", [] { randperm(-1); });
  refuses<DtypeError>("rand of integers", "rand: not defined for int64", [] { rand({2}, kInt64); });
  refuses<DtypeError>("randn of bools", "randn: not defined for bool", [] { randn({2}, kBool); });
  refuses<ShapeError>("gaps", "leave gaps or overlap", [] { empty_strided({2, 2}, {4, 1}); });
  refuses<ShapeError>("overlap", "leave gaps or overlap", [] { empty_strided({2, 2}, {0, 1}); });
  refuses<ValueError>("null blob", "the data pointer is null", [] { from_blob(nullptr, {2}); });
  refuses<RequiresGradError>(
      "integers that require grad",
      "Only Tensors of floating point and complex dtype can require gradients",
      [] { zeros({2}, dtype(kInt64).requires_grad(true)); });
  refuses<VolatileConflict>("volatile that requires grad", "is volatile",
                            [] { make_variable(zeros({1}), true, true); });
}

TEST(Factories, SetRequiresGrad) {
  const TensorOptions options = requires_grad();
  for (const Tensor& t : {zeros({2}, options), ones({2}, options), empty({2}, options),
                          full({2}, 1.5, options), rand({2}, options), randn({2}, options),
                          linspace(0, 1, 3, options), tensor({1.5}, options), eye(2, options)}) {
    EXPECT_TRUE(t.requires_grad());
    EXPECT_TRUE(t.is_leaf());
    EXPECT_EQ(t.grad_fn().get(), nullptr);
  }
}

TEST(Factories, LikeKeepsShapeTypeAndDenseStrides) {
  const Tensor transposed = empty_strided({2, 3}, {1, 2}, kFloat64);
  for (const Tensor& t : {empty_like(transposed), zeros_like(transposed), ones_like(transposed),
                          full_like(transposed, 3)}) {
    EXPECT_EQ(t.sizes(), transposed.sizes());
    EXPECT_EQ(t.strides(), transposed.strides());
    EXPECT_EQ(t.dtype(), kFloat64);
  }
  expect_values(ones_like(transposed), std::vector<double>(6, 1));
  expect_values(full_like(transposed, 3), std::vector<double>(6, 3));
  const Tensor with_gaps = as_strided(zeros({9}), {2, 2}, {4, 2});
  EXPECT_TRUE(zeros_like(with_gaps).is_contiguous());
  EXPECT_EQ(empty_like(transposed, kInt32).dtype(), kInt32);
  EXPECT_FALSE(zeros_like(leaf({1.0})).requires_grad());
}

TEST(Factories, FromBlobSeesAndWritesTheMemory) {
  float memory[6] = {0, 1, 2, 3, 4, 5};
  Tensor x = from_blob(memory, {2, 3});
  EXPECT_EQ(x.data_ptr<float>(), memory);
  memory[0] = 9;
  EXPECT_EQ(values(x)[0], 9);
  x.add_(1);
  EXPECT_EQ(memory[5], 6);
  expect_values(from_blob(memory, {3, 2}, {1, 3}, nullptr), {10, 4, 2, 5, 3, 6});
  EXPECT_TRUE(x.impl().storage()->is_foreign());
  EXPECT_EQ(from_blob(nullptr, {0, 4}).numel(), 0);
}

TEST(MakeVariable, SharesTheData) {
  Tensor data = constant({1, 2});
  const Variable x = make_variable(data, true);
  EXPECT_TRUE(x.is_alias_of(data));
  EXPECT_TRUE(x.requires_grad());
  EXPECT_FALSE(data.requires_grad());
  const Variable y = make_variable(data, false, true);
  EXPECT_TRUE(y.is_volatile());
  EXPECT_FALSE(data.is_volatile());
}

}  // namespace
}  // namespace notape::testing
