// Every way of a C operator is tried, whatever the seed.
#include <gmock/gmock.h>

#include <set>

#include "verify/generate/drawn_case.h"
#include "verify/plugin/testing/foreign_operators.h"
#include "verify/runner/case_source.h"

namespace notape::verify {
namespace {

namespace np = notape::plugin;
using foreign::declared;
using ::testing::HasSubstr;

constexpr int kWays = 24;
int wrong_way = -1;

/// y = x x, with a gradient that is wrong in one way only.
struct SquareInManyWays {
  static np::About about() { return np::About("square_in_many_ways").ways(kWays).real("x", -2, 2); }
  static void shape(np::Case& one) { one.input(0) = one.output(0) = {1 + one.way() % 5}; }
  template <typename T>
  static void forward(const np::Call<T>& call) {
    for (int64_t i = 0; i < call.input(0).count(); ++i)
      call.output(0)[i] = call.input(0)[i] * call.input(0)[i];
  }
  template <typename T>
  static void backward(const np::Call<T>& call) {
    const T factor = call.way() == wrong_way ? T(3) : T(2);
    for (int64_t i = 0; i < call.input(0).count(); ++i)
      call.grad_input(0)[i] = factor * call.input(0)[i] * call.grad_output(0)[i];
  }
};

TEST(Ways, AMistakeInAnyOneOfThemIsFoundAtAnySeed) {
  const OpSpec row = row_of(declared<SquareInManyWays>());
  for (uint64_t seed = 1; seed <= 3; ++seed)
    for (const int way : {0, 11, kWays - 1}) {
      wrong_way = way;
      const auto found = alarms(verify_operator(row, {.seed = seed, .samples = 4}));
      EXPECT_FALSE(found.empty()) << "way " << way << " with seed " << seed;
    }
  wrong_way = -1;
  EXPECT_TRUE(alarms(verify_operator(row, {.samples = 4})).empty());
}

/// The way of the n-th case.
int64_t way_of(const OpSpec& row, uint64_t seed, int number) {
  ChoiceDraw draw(random_for(row, kFloat64, seed, number));
  const std::string label = draw_case(row, draw, kFloat64).op.label;  // "way 3", "shape 3"
  return std::stoll(label.substr(label.find(' ')));
}

TEST(Ways, TheyComeInTurnAndThenAtRandom) {
  const OpSpec row = row_of(declared<SquareInManyWays>());
  EXPECT_EQ(cases_of(row, 4), kWays);
  EXPECT_EQ(cases_of(row, 30), 30);
  for (int number = 0; number < kWays; ++number) EXPECT_EQ(way_of(row, 5, number), number);
  std::set<int64_t> later;
  for (int number = kWays; number < 3 * kWays; ++number) later.insert(way_of(row, 5, number));
  EXPECT_GT(later.size(), 8U);
}

TEST(Ways, OfManyTheFirstHundredComeInTurn) {
  notape_operator2 many = declared<SquareInManyWays>();
  many.ways = 1000;
  const OpSpec row = row_of(many);
  EXPECT_EQ(cases_of(row, 30), 100);
  EXPECT_EQ(way_of(row, 1, 99), 99);
}

TEST(Ways, AbsurdlyManyAreLeftToChance) {
  notape_operator2 many = declared<SquareInManyWays>();
  many.ways = 1 << 30;
  const OpSpec row = row_of(many);
  EXPECT_EQ(cases_of(row, 30), 30);
  EXPECT_LT(way_of(row, 1, 0), 1 << 30);
}

TEST(Ways, OperatorsOfTheFirstVersionHaveThemToo) {
  static const notape_operator first = [] {
    notape_operator one{};
    one.name = "first";
    one.inputs = 1;
    one.dtypes = NOTAPE_FLOAT64;
    one.shapes = 7;
    one.low = -1, one.high = 1;
    one.shape = [](void*, int32_t way, notape_shape* inputs, notape_shape* output) {
      *inputs = *output = {1, {1 + way}};
      return 0;
    };
    one.forward = [](void*, const notape_buffer*, notape_buffer*) { return 0; };
    one.backward = [](void*, const notape_buffer*, const notape_buffer*, const notape_buffer*,
                      notape_buffer*) { return 0; };
    return one;
  }();
  const OpSpec row = row_of(first);
  for (int number = 0; number < 7; ++number) EXPECT_EQ(way_of(row, 2, number), number);
}

}  // namespace
}  // namespace notape::verify
