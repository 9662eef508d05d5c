// Listing 1 of the 2019 paper. EveryExample (examples_test.cpp) trains it to the end.
#include "paper_examples/pytorch2019/listing1.h"

#include <gmock/gmock.h>

#include <cmath>

#include "ops/ops.h"
#include "paper_examples/data/digits.h"
#include "paper_examples/data/find_data.h"
#include "paper_examples/nn/conv.h"
#include "paper_examples/testing/missing_digits.h"
#include "paper_examples/testing/output_of.h"

namespace notape::paper {
namespace {

TEST(Listing1, C09_LiteralPortStopsAtMmWhichNamesTheShape) {
  nn::Conv2d conv(1, 128, 3);
  for (const int64_t size : {3, 8, 28}) {
    try {
      mm(conv(randn({2, 1, size, size})), randn({128, 10}));
      FAIL() << "accepted";
    } catch (const ShapeError& error) {
      EXPECT_THAT(error.what(), ::testing::StartsWith("mm: self must be a matrix"));
      EXPECT_THAT(error.what(),
                  ::testing::HasSubstr(to_string(IntArrayRef{2, 128, size - 2, size - 2})));
    }
  }
}

TEST(Listing1, C09_TwoEpochsLearnAndTheSameSeedGivesTheSameResult) {
  if (const std::string why = data::missing_digits(); !why.empty()) GTEST_SKIP() << why;
  const data::Dataset digits = data::read_digits(data::find_data("digits.csv.gz"));
  std::ostringstream out;
  const Listing1Result first = train_listing1(out, digits, {.seed = 1, .epochs = 2});
  EXPECT_LT(first.last_loss, std::log(10));  // what guessing costs
  EXPECT_GT(first.test_accuracy, 0.15);
  const Listing1Result second = train_listing1(out, digits, {.seed = 1, .epochs = 2});
  EXPECT_EQ(first.last_loss, second.last_loss);
  EXPECT_EQ(first.test_accuracy, second.test_accuracy);
}

TEST(Listing1, C09_DropoutKeepsTheMeanWithinThreeSigma) {
  manual_seed(9);
  constexpr int64_t n = 100000;
  for (const double p : {0.1, 0.5, 0.9}) {
    const double sigma = std::sqrt(p / (1 - p) / static_cast<double>(n));
    EXPECT_NEAR(dropout(ones({n}, kFloat64), p, true).mean().item(), 1, 3 * sigma) << p;
  }
}

TEST(Listing1, C09_DropoutReusesItsMaskInBackward) {
  manual_seed(9);
  Variable x = ones({1000}, dtype(kFloat64).requires_grad(true));
  const Tensor y = dropout(x, 0.5, true);
  y.sum().backward();
  EXPECT_TRUE(x.grad().equal(y));  // 0 or 2, both for the value at 1 and for the gradient
  EXPECT_GT(y.eq(0).sum().item<int64_t>(), 0);
}

}  // namespace
}  // namespace notape::paper
