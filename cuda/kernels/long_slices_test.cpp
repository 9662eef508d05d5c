// Sizes around those of blocks, vectors and parts, on a GPU: what one kernel leaves over for
// another, and the same bits each time.
#include <cmath>
#include <cstring>
#include <functional>

#include "autograd/autograd.h"
#include "cuda/testing/gpu_test.h"
#include "ops/ops.h"

namespace notape::cuda {
namespace {

const Device kGpu(kCUDA);

struct LongSlices : testing::GpuTest {};
struct Vectors : testing::GpuTest {};

bool has_bits_of(const Tensor& a, const Tensor& b) {
  return a.sizes() == b.sizes() && a.dtype() == b.dtype() &&
         std::memcmp(a.impl().data(), b.impl().data(),
                     static_cast<std::size_t>(a.numel()) * element_size(a.dtype())) == 0;
}

TEST_F(Vectors, EndAnywhereAndBeginAnywhere) {
  for (const int64_t n : {0, 1, 2, 3, 4, 5, 7, 8, 9, 15, 16, 17, 31, 255, 257, 1023, 1025, 4099})
    for (const int64_t offset : {0, 1, 2, 4}) {
      SCOPED_TRACE(::testing::Message() << n << " from " << offset);
      const auto part = [&](const Tensor& all) { return all.slice(0, offset, offset + n); };
      for (const ScalarType type : {kBool, kUInt8, kInt16, kFloat16, kFloat32, kFloat64}) {
        const Tensor a = randint(0, 100, {n + 4}).to(type), b = randint(0, 100, {n + 4}).to(type);
        const Tensor there = a.to(kGpu), other = b.to(kGpu);
        EXPECT_TRUE(has_bits_of(part(there).clone().cpu(), part(a).clone()));
        EXPECT_TRUE(has_bits_of(gt(part(there), part(other)).cpu(), gt(part(a), part(b))));
        for (const ScalarType to : {kUInt8, kFloat32, kInt64})
          EXPECT_TRUE(has_bits_of(part(there).to(to).cpu(), part(a).to(to)));
        if (type == kBool) continue;
        EXPECT_TRUE(has_bits_of((part(there) + part(other)).cpu(), part(a) + part(b)));
        // Into a place, between what stays as it is.
        part(there).add_(part(other));
        part(a).add_(part(b));
        EXPECT_TRUE(has_bits_of(there.cpu(), a));
      }
    }
}

TEST_F(Vectors, HaveTheBitsOfSingleElements) {
  const Tensor x = randn({1001}).to(kGpu);
  const Tensor apart = stack({x, x}, 1).select(1, 0);  // gaps between elements
  EXPECT_TRUE(has_bits_of(exp(x).cpu(), exp(apart).cpu()));
  EXPECT_TRUE(has_bits_of((x / 3).cpu(), (apart / 3).cpu()));
}

TEST_F(Vectors, FindElementsOfManyDimensions) {
  const std::vector<int64_t> sizes(13, 2);
  std::vector<int64_t> back;
  for (int64_t d = 13; d-- > 0;) back.push_back(d);
  const Tensor x = randn(sizes);
  EXPECT_TRUE(
      has_bits_of(x.to(kGpu).permute(back).contiguous().cpu(), x.permute(back).contiguous()));
}

void expect_sums(const Tensor& x, const std::vector<int64_t>& dim) {
  SCOPED_TRACE(::testing::Message() << to_string(x.sizes()) << " over " << to_string(dim));
  const Tensor there = x.to(kGpu), sums = there.sum(dim).cpu();
  const double error = x.dtype() == kFloat32 ? 1e-5 : 0;
  EXPECT_TRUE(allclose(sums, x.sum(dim), error, error));
  EXPECT_TRUE(has_bits_of(there.sum(dim).cpu(), sums));
  if (x.is_floating_point()) {
    EXPECT_TRUE(allclose(there.mean(dim).cpu(), x.mean(dim), error, error, true));
  }
}

TEST_F(LongSlices, AreAddedInAFixedOrder) {
  for (const int64_t n : {32767, 32768, 32769, 70001}) {
    expect_sums(randn({n}), {0});
    expect_sums(randint(-9, 9, {n}), {0});
    expect_sums(randn({2, n}), {1});
    expect_sums(randn({n + 1}).slice(0, 1, n + 1), {0});
    expect_sums(randn({n, 2}).t(), {0, 1});
  }
  expect_sums(randn({3, 2, 12000}), {0, 2});  // runs
  expect_sums(randn({2, 3, 12000}).transpose(0, 1), {1, 2});
  expect_sums(randn({700, 3, 60}), {0, 2});  // short ones
}

TEST_F(LongSlices, OfColumnsAreAddedInAFixedOrder) {
  for (const int64_t rows : {0, 1, 63, 64, 65, 500, 3000})
    for (const int64_t columns : {0, 1, 2, 3, 31, 33, 130}) {
      expect_sums(randn({rows, columns}), {0});
      expect_sums(randint(-9, 9, {rows, columns}).to(kInt32), {0});
    }
  expect_sums(randn({20000, 3}), {0});  // in parts, and the parts in parts
  expect_sums(randn({2, 300, 40}), {1});
  expect_sums(randn({301, 40}).slice(0, 1, 301).slice(1, 0, 37), {0});
}

TEST_F(LongSlices, AreReducedByWhatFoldsOftenOrOnce) {
  Tensor x = randn({2, 40001}, kFloat64);
  x.select(1, 30000).fill_(50);
  x.select(1, 39999).fill_(50);
  const std::pair<const char*, std::function<Tensor(const Tensor&)>> cases[] = {
      {"prod", [](const Tensor& v) { return prod(exp(v * 1e-3), 1); }},
      {"var", [](const Tensor& v) { return v.var({1}); }},
      {"std", [](const Tensor& v) { return v.std({1}); }},
      {"logsumexp", [](const Tensor& v) { return logsumexp(v, {1}); }},
      {"logsumexp of infinity", [](const Tensor& v) { return logsumexp(v / 0, {1}); }},
      {"norm", [](const Tensor& v) { return linalg_vector_norm(v, 2, {1}); }},
      {"norm of floats",
       [](const Tensor& v) { return linalg_vector_norm(v.to(kFloat32), 2, {1}); }},
      {"norm of zeros", [](const Tensor& v) { return linalg_vector_norm(v * 0, 2, {1}); }},
      {"norm out of range", [](const Tensor& v) { return linalg_vector_norm(v * 1e200, 2, {1}); }},
      {"norm of tiny ones", [](const Tensor& v) { return linalg_vector_norm(v * 1e-200, 3, {1}); }},
      {"norm 1", [](const Tensor& v) { return linalg_vector_norm(v, 1, {1}); }},
      {"norm 0", [](const Tensor& v) { return linalg_vector_norm(v, 0, {1}); }},
      {"norm inf", [](const Tensor& v) { return linalg_vector_norm(v, INFINITY, {1}); }},
      {"max", [](const Tensor& v) { return std::get<0>(max(v, 1)); }},
      {"argmax", [](const Tensor& v) { return argmax(v, 1); }},
      {"argmin of all", [](const Tensor& v) { return argmin(v); }},
      {"argmax of columns", [](const Tensor& v) { return argmax(v.t().contiguous(), 0); }},
      {"amax", [](const Tensor& v) { return amax(v, {1}); }},
      {"softmax", [](const Tensor& v) { return softmax(v, 1); }},
      {"log_softmax of columns", [](const Tensor& v) { return log_softmax(v.t(), 0); }},
      {"gradient of log_softmax",
       [](const Tensor& v) {
         const Tensor leaf = v.detach().requires_grad_();
         return autograd::grad({log_softmax(leaf, 1)}, {leaf}, {v * v})[0];
       }},
  };
  for (const auto& [name, f] : cases) {
    SCOPED_TRACE(name);
    const Tensor there = x.to(kGpu), result = f(there).cpu();
    EXPECT_TRUE(allclose(result, f(x), 1e-7, 1e-9));
    EXPECT_TRUE(has_bits_of(f(there).cpu(), result));
  }
}

}  // namespace
}  // namespace notape::cuda
