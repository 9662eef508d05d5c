// Positions are checked where a kernel reads them: the call returns, the kernel follows none that
// leads out of the tensor, and the next call that waits for the device says so.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>

#include "autograd/autograd.h"
#include "cuda/emulated/emulator.h"
#include "cuda/library/library.h"
#include "ops/ops.h"

namespace notape::cuda {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

const Device kOnGpu(kCUDA);

/// What the next call that waits throws; empty if it does not.
std::string error_of(const std::function<void()>& waits) {
  try {
    waits();
  } catch (const IndexError& error) {
    return error.what_without_backtrace();
  }
  return {};
}
std::string next_error() {
  return error_of([] { device_interface(kOnGpu).synchronize(0); });
}

struct Follower {
  const char* name;
  std::function<Tensor(const Tensor& x, const Tensor& index)> f;  // x (3, 4), index (3)
  std::string place = "dimension 0 with size 3", op = "";
};
void PrintTo(const Follower& follower, std::ostream* out) { *out << follower.name; }

Tensor spread(const Tensor& index) { return index.unsqueeze(1).expand({3, 4}); }
Tensor rows(const Tensor& index) { return ones({3, 4}, index.options().dtype(kFloat64)); }

class Positions : public ::testing::TestWithParam<Follower> {
 protected:
  void TearDown() override {
    emulator::set_order(emulator::Order::Eager);
    EXPECT_THAT(emulator::take_findings(), IsEmpty());
  }
};

TEST_P(Positions, ThatLeadOutAreToldByTheNextCallThatWaits) {
  const auto& [name, f, place, op] = GetParam();
  for (const auto order : {emulator::Order::Eager, emulator::Order::Late})
    for (const int64_t wrong : {int64_t{17}, int64_t{-99}, INT64_MAX, INT64_MIN}) {
      emulator::set_order(order);
      const Tensor x = rand({3, 4}, kFloat64), right = tensor({2.0, 0.0, 1.0}, kInt64);
      const Tensor index = right.clone();
      index.select(0, 1).fill_(Scalar(wrong));
      const Tensor x_there = x.to(kOnGpu), there = index.to(kOnGpu), right_there = right.to(kOnGpu);
      EXPECT_THROW(f(x, index), IndexError) << "the CPU says so at once";
      emulator::take_counts();
      const Tensor result = f(x_there, there);
      EXPECT_EQ(emulator::take_counts().waits, 0);
      EXPECT_THAT(next_error(),
                  AllOf(HasSubstr((op.empty() ? name : op) + ": index " + std::to_string(wrong) +
                                  " is out of bounds for " + place),
                        HasSubstr("positions_test.cpp"), HasSubstr("waited for cuda:0")));
      // It has been told once, and all can be used.
      EXPECT_EQ(next_error(), "");
      EXPECT_TRUE(allclose(f(x_there, right_there).cpu(), f(x, right)));
    }
}

INSTANTIATE_TEST_SUITE_P(
    Of, Positions,
    ::testing::Values(
        Follower{"gather",
                 [](const Tensor& x, const Tensor& i) { return gather(x, 0, spread(i)); }},
        Follower{"index_select",
                 [](const Tensor& x, const Tensor& i) { return index_select(x, 0, i); }},
        Follower{"embedding", [](const Tensor& x, const Tensor& i) { return embedding(x, i); }},
        Follower{"take", [](const Tensor& x, const Tensor& i) { return take(x, i); },
                 "dimension 0 with size 12"},
        Follower{"index_add",
                 [](const Tensor& x, const Tensor& i) { return index_add(x, 0, i, rows(i)); }},
        Follower{"index_copy",
                 [](const Tensor& x, const Tensor& i) { return index_copy(x, 0, i, rows(i)); }},
        Follower{"index_fill",
                 [](const Tensor& x, const Tensor& i) { return index_fill(x, 0, i, 2); }},
        Follower{"scatter", [](const Tensor& x,
                               const Tensor& i) { return scatter(x, 0, spread(i), rows(i)); }},
        Follower{"scatter_",
                 [](const Tensor& x, const Tensor& i) {
                   Tensor y = x.clone();
                   return scatter_(y, 0, spread(i), rows(i));
                 }},
        Follower{
            "scatter_add",
            [](const Tensor& x, const Tensor& i) { return scatter_add(x, 0, spread(i), rows(i)); }},
        Follower{"nll_loss", [](const Tensor& x, const Tensor& i) { return nll_loss(x, i); },
                 "dimension 1 with size 4"},
        Follower{"cross_entropy",
                 [](const Tensor& x, const Tensor& i) { return cross_entropy(x, i); },
                 "dimension 1 with size 4", "nll_loss"}),
    [](const auto& follower) { return std::string(follower.param.name); });

TEST(PositionsOfStreams, AreToldByWhoeverWaitsFirst) {
  const Tensor x = rand({3, 4}, kOnGpu), wrong = full({2}, 5, TensorOptions(kInt64).device(kOnGpu));
  const Stream side = new_stream(kOnGpu);
  device_interface(kOnGpu).synchronize(0);
  {
    const StreamGuard guard(side);
    static_cast<void>(index_select(x, 0, wrong));
  }
  static_cast<void>(embedding(x, wrong));
  EXPECT_THAT(next_error(), HasSubstr("index 5 is out of bounds"));
  EXPECT_EQ(next_error(), "") << "the first of them";
  EXPECT_EQ(x.cpu().numel(), 12);
  EXPECT_THAT(emulator::take_findings(), IsEmpty());
}

TEST(PositionsOfStreams, CountAsWrongAtOnceWhereThereIsNothingToRead) {
  const Tensor none = empty({0, 4}, kOnGpu),
               index = zeros({2}, TensorOptions(kInt64).device(kOnGpu));
  EXPECT_THROW(static_cast<void>(index_select(none, 0, index)), IndexError);
  EXPECT_EQ(next_error(), "");
}

TEST(PositionsOfStreams, AreToldByItemAndByCopiesToTheCpu) {
  const Tensor x = rand({3}, kOnGpu), wrong = full({1}, 5, TensorOptions(kInt64).device(kOnGpu));
  EXPECT_THAT(error_of([&] { index_select(x, 0, wrong).item(); }), HasSubstr("index 5"));
  EXPECT_THAT(error_of([&] { index_select(x, 0, wrong).cpu(); }), HasSubstr("index 5"));
}

}  // namespace
}  // namespace notape::cuda
