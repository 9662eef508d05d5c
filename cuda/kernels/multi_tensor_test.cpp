// Steps of optimizers as a GPU's blocks do them: by threads of the CPU against the CPU's kernel,
// and on a GPU where there is one.
#include "cuda/kernels/multi_tensor.h"

#include "autograd/autograd.h"
#include "cuda/testing/gpu_test.h"
#include "cuda/testing/thread_team.h"
#include "ops/ops.h"
#include "ops/optimize/part_norms.h"

namespace notape::cuda {
namespace {

constexpr AdamStep kAdam{.lr = 0.1, .weight_decay = 0.01};
constexpr int64_t kSizes[] = {0, 1, 7, 2 * kPart, kPart + 1, 0, 300};

struct Lists {
  explicit Lists(Device device) {
    manual_seed(3);
    for (TensorList* list : {&parameters, &gradients, &averages, &squares})
      for (const int64_t size : kSizes) list->push_back(rand({size}, kFloat64).to(device));
  }
  void step() {
    const NoGradGuard no_grad;
    multi_tensor_adam_(parameters, gradients, averages, squares, {}, kAdam,
                       std::vector<int64_t>(parameters.size(), 2));
  }
  TensorList parameters, gradients, averages, squares;
};

void expect_same(const Lists& result, const Lists& expected) {
  for (std::size_t i = 0; i < std::size(kSizes); ++i) {
    const auto same = [&](const Tensor& a, const Tensor& b) {
      return allclose(a.to(kCPU), b, 1e-14, 1e-14);
    };
    EXPECT_TRUE(same(result.parameters[i], expected.parameters[i])) << i;
    EXPECT_TRUE(same(result.averages[i], expected.averages[i])) << i;
    EXPECT_TRUE(same(result.squares[i], expected.squares[i])) << i;
  }
}

TEST(MultiTensorOnCuda, BlocksMoveEveryNumberOnce) {
  Lists expected(kCPU);
  expected.step();
  for (const int threads : {1, 4}) {
    Lists lists(kCPU);
    using Update = optimize::Adam<double, false>;
    StepOfRows<double, Update> work;
    for (std::size_t i = 0; i < std::size(kSizes); ++i) {
      const optimize::Row row{lists.parameters[i],
                              lists.gradients[i],
                              {lists.averages[i], lists.squares[i], Tensor()},
                              2};
      work.add(row, Update(kAdam, row.step));
    }
    EXPECT_EQ(work.parts(), 7);
    testing::run_by_team(work, work.parts(), threads);
    expect_same(lists, expected);
  }
}

struct MultiTensorOnGpu : testing::GpuTest {};

TEST_F(MultiTensorOnGpu, MovesWhatTheCpuMoves) {
  Lists expected(kCPU), lists{Device(kCUDA)};
  expected.step();
  lists.step();
  expect_same(lists, expected);
}

TEST_F(MultiTensorOnGpu, HasTheNormOfAllAtOnce) {
  const Operation op("test", SourceLocation::current());
  TensorList here, there;
  for (int i = 0; i < 170; ++i)  // more than a launch takes
    here.push_back(randn({i == 80 ? 2 * optimize::kNormPart + 1 : 1 + i % 7, 3}));
  here[3] = here[3].t();
  for (const Tensor& one : here) there.push_back(one.to(Device(kCUDA)));
  TensorList all;
  for (const Tensor& one : here) all.push_back(one.flatten());
  const Tensor norms = optimize::part_norms(op, there);
  EXPECT_EQ(norms.numel(), 169 + 7);
  EXPECT_TRUE(allclose(linalg_vector_norm(norms).cpu(), linalg_vector_norm(cat(all).to(kFloat64)),
                       1e-12, 0));
  EXPECT_TRUE(equal(norms, optimize::part_norms(op, there)));
  EXPECT_FALSE(optimize::part_norms(op, here).defined());
  there[5] = there[5].to(kFloat64);
  EXPECT_FALSE(optimize::part_norms(op, there).defined());
  there[5] = randn({4, 4}, Device(kCUDA)).select(1, 0);
  EXPECT_FALSE(optimize::part_norms(op, there).defined());
}

}  // namespace
}  // namespace notape::cuda
