// Slices that several teams fold together and sums of columns, computed by threads of the CPU
// against the CPU's own kernels; how a kernel finds its elements.
#include "ops/reduce/several_teams.h"

#include <gtest/gtest.h>

#include <cstring>

#include "cuda/kernels/slices.h"
#include "cuda/kernels/sums.h"
#include "cuda/testing/thread_team.h"
#include "ops/elementwise/make_plan.h"
#include "ops/elementwise/strided_plan.h"
#include "ops/ops.h"

namespace notape::cuda {
namespace {

using testing::run_by_team;

/// All passes, a team after the other.
template <typename Work>
void run_by_several(const Work& work, int64_t count, int teams, int threads) {
  Passes passes{teams, work.folds()};
  std::vector<double> kept(static_cast<std::size_t>(passes.bytes(count)) / sizeof(double));
  passes.kept = reinterpret_cast<char*>(kept.data());
  for (; passes.pass <= passes.folds; ++passes.pass)
    for (int64_t slice = 0; slice < count; ++slice)
      for (int part = teams; part-- > 0;)
        run_by_team(
            [&]<typename Team>(int64_t, const Team& team) {
              work(slice, TeamOfSeveral<Team>(team, passes, slice, part));
            },
            1, threads);
}

bool has_same_bits(const Tensor& a, const Tensor& b) {
  return std::memcmp(a.impl().data(), b.impl().data(),
                     static_cast<std::size_t>(a.numel()) * element_size(a.dtype())) == 0;
}

TEST(SeveralTeams, ShareFewLongSlicesOnly) {
  EXPECT_EQ(teams_for_slice(1, 32767), 1);
  EXPECT_EQ(teams_for_slice(1, 32768), 4);
  EXPECT_EQ(teams_for_slice(1, 1 << 20), 128);
  EXPECT_EQ(teams_for_slice(1, int64_t{1} << 40), 256);
  EXPECT_EQ(teams_for_slice(64, 1 << 20), 16);
  EXPECT_EQ(teams_for_slice(1024, int64_t{1} << 30), 1);
  EXPECT_EQ(teams_for_slice(0, 1 << 20), 1);
}

TEST(SeveralTeams, FoldWhatOneFolds) {
  for (const int64_t size : {1, 5, 131})  // fewer elements than threads, too
    for (const int threads : {1, 4})
      for (const int teams : {2, 5}) {
        SCOPED_TRACE(::testing::Message() << size << " by " << teams << " of " << threads);
        const Slices slices({2, size}, 1);
        Tensor x = randn({2, size}, kFloat64) * 9;
        const auto* const data = x.impl().data_as<double>();
        Tensor result = empty_like(x);
        auto* const out = result.impl().data_as<double>();
        run_by_several(Softmax<SoftmaxFormula<false>, double>{data, out, slices}, 2, teams,
                       threads);
        const Tensor y = softmax(x, 1);
        EXPECT_TRUE(allclose(result, y, 1e-13, 1e-15));
        const Tensor g = randn({2, size}, kFloat64);
        const SoftmaxGradientSlice<SoftmaxGradient, double> gradient{
            g.impl().data_as<double>(), y.impl().data_as<double>(), out, slices};
        run_by_several(gradient, 2, teams, threads);
        EXPECT_TRUE(allclose(result, y * (g - (g * y).sum({1}, true)), 1e-12, 1e-14));

        const SumOfMeeting<FromMemory<double>, double> sum({data}, out, {2, size, 1, 1}, 2);
        run_by_several(sum, 2, teams, threads);
        const Tensor sums = result.flatten().slice(0, 0, 2).clone();
        EXPECT_TRUE(allclose(sums, x.sum({1}) / 2, 1e-13, 1e-13));
        run_by_several(sum, 2, teams, threads);
        EXPECT_TRUE(has_same_bits(sums, result.flatten().slice(0, 0, 2).clone()));

        x.select(1, size / 2).fill_(100);
        x.select(1, size - 1).fill_(100);  // the first of two
        const Tensor places = empty({2}, kInt64), values = empty({2}, kFloat64);
        run_by_several(Extremum<Larger, double>{data, values.impl().data_as<double>(),
                                                places.impl().data_as<int64_t>(), slices},
                       2, teams, threads);
        EXPECT_TRUE(equal(places, full({2}, size / 2, kInt64)));
        EXPECT_TRUE(equal(values, full({2}, 100.0, kFloat64)));
      }
}

TEST(Sums, OfColumnsAreThoseOfTheCpu) {
  for (const int64_t far : {1, 63, 300})
    for (const int64_t kept : {2, 3, 32, 33})
      for (const int threads : {32, 64}) {
        const Tensor x = randint(-1000, 1000, {2, far, kept});
        const Meeting meeting{2, far, kept, 1};
        const Tensor totals = empty({2, 64, kept}, kInt64), result = empty({2, kept}, kInt64);
        auto sums = ColumnSums<int64_t, int64_t>::of(
            x.impl().data_as<int64_t>(), result.impl().data_as<int64_t>(), meeting, 1, threads);
        EXPECT_LE(sums.parts * sums.width * 8, std::max<int64_t>(far * threads, 8 * sums.width));
        for (const int64_t parts : {int64_t{1}, sums.parts, int64_t{3}}) {
          SCOPED_TRACE(::testing::Message()
                       << far << " x " << kept << " by " << threads << " in " << parts);
          sums.parts = std::min<int64_t>(parts, 64);
          sums.result = totals.impl().data_as<int64_t>();
          run_by_team(sums, 2 * sums.parts * sums.across(), threads);
          const Tensor all = totals.flatten().slice(0, 0, 2 * sums.parts * kept);
          EXPECT_TRUE(equal(all.view({2, sums.parts, kept}).sum({1}), x.sum({1})));
        }
      }
  const auto blocks = [](const Meeting& m) {
    const auto sums = ColumnSums<float, float>::of(nullptr, nullptr, m, 1, 256);
    return m.outer * sums.parts * sums.across();
  };
  EXPECT_EQ(blocks({1, 64, 4096, 1}), 128);     // as many as there are columns for
  EXPECT_EQ(blocks({1, 8192, 4096, 1}), 1024);  // 8 parts
  EXPECT_EQ(blocks({1, 1 << 20, 3, 1}), 1024);
}

TEST(Sums, FindRunsByMultiplication) {
  const Meeting meeting{1, 5, 3, 7};
  const SumOfMeeting<FromMemory<float>, float> work({nullptr}, nullptr, meeting, 1);
  EXPECT_TRUE(work.is_small);
  const SumOfMeeting<FromMemory<float>, float> large({nullptr}, nullptr, {1, 1 << 16, 3, 1 << 15},
                                                     1);
  EXPECT_FALSE(large.is_small);
  for (int64_t i = 0; i < meeting.size(); ++i) EXPECT_EQ(work.place(i), i / 7 * 21 + i % 7);
  const int64_t last = large.meeting.size() - 1;
  EXPECT_EQ(large.place(last), (int64_t{1} << 15) * 3 * ((1 << 16) - 1) + (1 << 15) - 1);
}

/// Where the operands have each element, as distances in bytes.
template <int kOperands>
void expect_same_places(const ElementwisePlan& plan) {
  int64_t index = 0;
  std::vector<std::array<char*, kOperands>> expected, got;
  for (; index < plan.numel; ++index) {
    char* places[kOperands];
    plan.locate(index, places);
    expected.push_back(std::to_array(places));
  }
  visit_in_32_bits<kOperands>(plan, [&](const ElementwisePlan& part) {
    const StridedPlan<kOperands> strided(part);
    for (uint32_t i = 0; i < strided.numel(); ++i) {
      char* places[kOperands];
      strided.locate(i, places);
      got.push_back(std::to_array(places));
    }
  });
  std::sort(expected.begin(), expected.end());
  std::sort(got.begin(), got.end());
  EXPECT_EQ(got, expected);
}

ElementwisePlan plan_of(const Tensor& out, const Tensor& a) {
  ElementwisePlan plan;
  const Tensor* const inputs[] = {&a};
  make_plan(plan, out, inputs, 1);
  return plan;
}

TEST(StridedPlan, FindsElementsOfAnyLayout) {
  const Tensor x = empty({3, 4, 5});
  expect_same_places<2>(plan_of(x, x));
  expect_same_places<2>(plan_of(x, empty({5, 4, 3}).permute({2, 1, 0})));
  expect_same_places<2>(plan_of(x, empty({5})));
  expect_same_places<2>(plan_of(x, empty({})));
  expect_same_places<2>(plan_of(empty({}), empty({})));
  const std::vector<int64_t> many(14, 2);
  std::vector<int64_t> back;
  for (int64_t d = 14; d-- > 0;) back.push_back(d);
  const ElementwisePlan plan = plan_of(notape::empty(many), notape::empty(many).permute(back));
  EXPECT_FALSE(StridedPlan<2>::holds(plan));
  expect_same_places<2>(plan);
  ElementwisePlan backwards = plan_of(empty({6}), empty({6}));
  backwards.strides[0][1] = -4;
  expect_same_places<2>(backwards);
}

/// Never read: shapes alone say what fits in 32 bits.
TEST(StridedPlan, TakesLargePlansInParts) {
  constexpr int64_t kMost = int64_t{1} << 31;
  const auto line = [](int64_t size, int64_t stride) {
    ElementwisePlan plan;
    plan.operands = 2;
    plan.ndim = 1;
    plan.numel = plan.sizes[0] = size;
    plan.data[0] = plan.data[1] = nullptr;
    plan.strides[0][0] = 1;
    plan.strides[0][1] = stride;
    return plan;
  };
  EXPECT_TRUE(StridedPlan<2>::holds(line(kMost - 1, 1)));
  EXPECT_FALSE(StridedPlan<2>::holds(line(kMost, 0)));
  EXPECT_TRUE(StridedPlan<2>::holds(line(2, kMost - 1)));
  EXPECT_FALSE(StridedPlan<2>::holds(line(2, kMost)));
  EXPECT_FALSE(StridedPlan<2>::holds(line(2, -kMost)));
  EXPECT_TRUE(StridedPlan<2>::holds(line(1, kMost)));
  // A matrix of 2^33 bytes beside its transpose: both operands are far from end to end.
  ElementwisePlan plan = line(1 << 16, int64_t{1} << 17);
  plan.ndim = 2;
  plan.sizes[1] = 1 << 16;
  plan.numel = int64_t{1} << 32;
  plan.strides[0][0] = plan.strides[1][1] = 2;
  plan.strides[1][0] = int64_t{1} << 17;
  int64_t elements = 0;
  int parts = 0;
  const char* last[2] = {};
  visit_in_32_bits<2>(plan, [&](const ElementwisePlan& part) {
    EXPECT_TRUE(StridedPlan<2>::holds(part));
    elements += part.numel;
    ++parts;
    for (int k = 0; k < 2; ++k) {
      const char* end = part.data[k];
      for (int d = 0; d < part.ndim; ++d) end += (part.sizes[d] - 1) * part.strides[d][k];
      last[k] = std::max(last[k], end);
    }
  });
  EXPECT_EQ(elements, plan.numel);
  EXPECT_LE(parts, 64);
  for (const char* end : last) EXPECT_EQ(reinterpret_cast<uintptr_t>(end), (uint64_t{1} << 33) - 2);
}

}  // namespace
}  // namespace notape::cuda
