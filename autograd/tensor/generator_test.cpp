#include "autograd/tensor/generator.h"

#include <algorithm>
#include <cmath>
#include <thread>

#include "autograd/testing/expect.h"
#include "ops/ops.h"

namespace notape::testing {
namespace {

// The known answer that the authors of Philox publish for key 0, counter 0 (Random123,
// kat_vectors).
TEST(Philox, GivesThePublishedAnswer) {
  EXPECT_THAT(philox(0, 0), ElementsAre(0x6627e8d5u, 0xe169c58du, 0xbc57ac4cu, 0x9b00dbd8u));
}

TEST(Philox, DependsOnEveryBitOfSeedAndCounter) {
  const auto zero = philox(0, 0);
  for (int bit = 0; bit < 64; ++bit) {
    EXPECT_NE(philox(uint64_t{1} << bit, 0), zero) << bit;
    EXPECT_NE(philox(0, uint64_t{1} << bit), zero) << bit;
  }
}

TEST(Generator, OneSeedOneSequence) {
  Generator a(7), b(7), c(8);
  bool differs = false;
  for (int i = 0; i < 100; ++i) {
    const uint64_t draw = a.next64();
    EXPECT_EQ(draw, b.next64());
    differs |= draw != c.next64();
  }
  EXPECT_TRUE(differs);
  a.next32();
  a.set_current_seed(7);
  Generator fresh(7);
  EXPECT_EQ(a.next64(), fresh.next64()) << "set_current_seed starts over, also within a block";
}

TEST(Generator, BelowIsEvenAndInRange) {
  Generator random(1);
  int histogram[5] = {};
  for (int i = 0; i < 50000; ++i) {
    const uint64_t draw = random.below(5);
    ASSERT_LT(draw, 5u);
    ++histogram[draw];
  }
  for (int n : histogram) EXPECT_NEAR(n, 10000, 450);  // five standard deviations
  EXPECT_EQ(random.below(1), 0u);
  EXPECT_LT(random.below(UINT64_MAX), UINT64_MAX);
}

TEST(Generator, NormalHasMomentsOfTheStandardNormal) {
  Generator random(3);
  double sum = 0, squares = 0, fourth = 0;
  const int n = 100000;
  for (int i = 0; i < n; ++i) {
    const double x = random.normal();
    ASSERT_TRUE(std::isfinite(x));
    sum += x;
    squares += x * x;
    fourth += x * x * x * x;
  }
  EXPECT_NEAR(sum / n, 0, 0.016);
  EXPECT_NEAR(squares / n, 1, 0.023);
  EXPECT_NEAR(fourth / n, 3, 0.16);
}

TEST(Generator, IsAHandleWhoseCopiesDrawFromOneSequence) {
  Generator a(7), same = a, other = a.clone();
  EXPECT_EQ(a, same);
  EXPECT_FALSE(a == other);
  const uint64_t first = a.next64();
  EXPECT_NE(same.next64(), first);
  EXPECT_EQ(other.next64(), first) << "a clone is at the same place and goes its own way";
  a.copy_state(other);
  EXPECT_EQ(a.next64(), other.next64());
  EXPECT_FALSE(Generator().defined());
  EXPECT_TRUE(a.device().is_cpu());
}

TEST(Generator, GoesOnWhereItsStateWasTaken) {
  for (int words = 0; words < 9; ++words) {  // also in the middle of a block
    Generator a(11), b(12);
    for (int i = 0; i < words; ++i) a.next32();
    const Tensor state = a.get_state();
    EXPECT_EQ(state.dtype(), kUInt8);
    EXPECT_EQ(state.sizes(), IntArrayRef({32}));
    b.set_state(state);
    EXPECT_EQ(b.current_seed(), 11u);
    for (int i = 0; i < 9; ++i) EXPECT_EQ(a.next32(), b.next32()) << words << " " << i;
    a.set_state(state);
    b.set_state(state);
    EXPECT_EQ(a.next64(), b.next64());
  }
}

TEST(Generator, RefusesWhatIsNoStateAndStaysWhereItIs) {
  Generator random(13);
  random.next32();
  const Tensor state = random.get_state();
  expect_error<DtypeError>("must be a uint8 tensor", [&] { random.set_state(zeros({32})); });
  expect_error<ValueError>("32 contiguous bytes", [&] { random.set_state(zeros({5056}, kUInt8)); });
  Tensor beyond = random.get_state().clone();
  beyond.slice(0, 16, 24).fill_(255);  // the blocks drawn
  expect_error<ValueError>("no state of this generator", [&] { random.set_state(beyond); });
  expect_error<ValueError>("32 contiguous bytes",
                           [&] { random.set_state(zeros({64}, kUInt8).slice(0, 0, 64, 2)); });
  expect_error<ValueError>("no state", [&] { random.set_state(zeros({32}, kUInt8)); });
  Tensor many = state.clone(), unborn = state.clone();
  many.mutable_data_ptr<uint8_t>()[24] = 4;    // more words left than a block has
  unborn.mutable_data_ptr<uint8_t>()[16] = 0;  // some left of no block
  expect_error<ValueError>("no state", [&] { random.set_state(many); });
  expect_error<ValueError>("no state", [&] { random.set_state(unborn); });
  EXPECT_THROW(random.set_state(Tensor()), UndefinedTensor);
  EXPECT_TRUE(equal(random.get_state(), state));
}

TEST(Generator, SeedsItselfWithANumberThatItTells) {
  Generator random(14);
  const uint64_t first = random.seed();
  EXPECT_EQ(random.current_seed(), first);
  EXPECT_NE(random.seed(), first);
}

TEST(Random, ManualSeedRepeatsEveryFactory) {
  const auto draw = [] {
    manual_seed(5);
    std::vector<double> all;
    for (const Tensor& t :
         {rand({4}), randn({4}), rand({4}, kFloat64), randint(0, 100, {4}), randperm(9)})
      for (double value : values(t)) all.push_back(value);
    return all;
  };
  const auto first = draw();
  EXPECT_EQ(first, draw());
  manual_seed(6);
  EXPECT_NE(first[0], values(rand({1}))[0]);
}

TEST(Random, ThreadsDrawDifferentNumbersOfOneSequence) {
  constexpr std::size_t kThreads = 4, kDraws = 500;
  manual_seed(5);
  std::vector<uint64_t> expected(kThreads * kDraws), drawn(kThreads * kDraws);
  for (uint64_t& one : expected) one = default_generator().next64();
  manual_seed(5);
  std::vector<std::thread> threads;
  for (std::size_t t = 0; t < kThreads; ++t)
    threads.emplace_back([&drawn, t] {
      for (std::size_t i = 0; i < kDraws; ++i) drawn[t * kDraws + i] = default_generator().next64();
    });
  for (std::thread& thread : threads) thread.join();
  EXPECT_THAT(drawn, ::testing::UnorderedElementsAreArray(expected));
}

TEST(Random, AScopeIsOfItsThread) {
  const Generator mine(3);
  const GeneratorScope scope(mine);
  EXPECT_EQ(default_generator(), mine);
  std::thread([&] { EXPECT_FALSE(default_generator() == mine); }).join();
  manual_seed(9);  // what this thread draws from
  EXPECT_EQ(mine.current_seed(), 9u);
}

TEST(Random, FactoriesKeepTheirRanges) {
  manual_seed(11);
  for (ScalarType type : {kFloat32, kFloat64})
    for (double value : values(rand({20000}, type))) ASSERT_TRUE(value >= 0 && value < 1);
  std::vector<int> seen(5);
  for (double value : values(randint(-2, 3, {1000}))) ++seen[static_cast<std::size_t>(value + 2)];
  EXPECT_THAT(seen, ::testing::Each(::testing::Gt(0)));
  auto order = values(randperm(50));
  std::sort(order.begin(), order.end());
  for (int i = 0; i < 50; ++i) EXPECT_EQ(order[static_cast<std::size_t>(i)], i);
}

TEST(Random, RandintSpansAllOfInt64) {
  manual_seed(1);
  bool negative = false, positive = false;
  for (double value : values(randint(INT64_MIN, INT64_MAX, {100}))) {
    negative |= value < 0;
    positive |= value > 0;
  }
  EXPECT_TRUE(negative && positive);
}

}  // namespace
}  // namespace notape::testing
