// Mistakes in what must not matter: threads, blocks, strides, owners, types, NaN.
#include <gmock/gmock.h>
#include <set>

#include "autograd/forward/tangent.h"
#include "ops/parallel.h"
#include "verify/generate/long_case.h"
#include "verify/generate/values.h"
#include "verify/mutate/mutant_test_helper.h"

namespace notape::verify {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;

/// So many that every check which looks at a share of the cases finds some.
constexpr int kMany = 60;

/// tanh with this derivative. Its value is the library's: the reference is too slow for long cases.
template <typename Reverse>
OpSpec tanh_with_reverse(Reverse reverse) {
  return unary_mutant(
      [=](const variable_list& x) {
        const auto given =
            derivative("Mutant", rule(reverse, [](const Tensor& tangent, const Output& y) {
                         return tangent * (1 - square(y));
                       }));
        const Operation op("mutant", SourceLocation::current());
        const Tensor value = [&] {
          const NoGradGuard no_grad;
          const ForwardLevelLimit no_tangents(0);
          return tanh(x[0]);
        }();
        return record(given, op, value, NoParameters{}, x[0]);
      },
      plain_tanh);
}
/// tanh whose gradient is edited in reverse mode.
template <typename Edit>
OpSpec tanh_edited(Edit edit) {
  return tanh_with_reverse(
      [=](const Tensor& grad, const Output& y) { return edit(grad * (1 - square(y)), grad); });
}

std::vector<std::string> alarms_of(const OpSpec& mutant) {
  return alarms(verify_operator(mutant, {.samples = kMany}));
}

Tensor without_entry(const Tensor& g, int64_t entry) {
  Numbers kept(static_cast<std::size_t>(g.numel()), 1);
  kept[static_cast<std::size_t>(entry)] = 0;
  return g * make_tensor(kept, g.sizes().vec(), g.dtype());
}

TEST(InvarianceMutants, RightOperatorRaisesNoAlarm) {
  EXPECT_THAT(alarms_of(tanh_edited([](const Tensor& g, const Tensor&) { return g; })),
              ::testing::IsEmpty());
}

TEST(InvarianceMutants, GradientThatDependsOnThreadsOfLoopsIsCaughtByThreadsAlone) {
  const auto mutant = tanh_edited([](const Tensor& g, const Tensor&) {
    return g.numel() > kParallelGrain && get_num_threads() == 3 ? g * (1 + 0x1p-22) : g;
  });
  EXPECT_THAT(alarms_of(mutant), ElementsAre("threads NONDETERMINISTIC"));
}

TEST(InvarianceMutants, GradientThatDependsOnThreadsOfTheEngineIsCaughtByThreadsAlone) {
  const auto mutant = tanh_edited([](const Tensor& g, const Tensor&) {
    return Engine::get_num_threads() == 8 ? g * (1 + 0x1p-22) : g;
  });
  EXPECT_THAT(alarms_of(mutant), ElementsAre("threads NONDETERMINISTIC"));
}

TEST(InvarianceMutants, LostEntryOfASecondBlockIsCaughtBySizesAlone) {
  auto mutant = tanh_edited(
      [](const Tensor& g, const Tensor&) { return g.numel() > 64 ? without_entry(g, 64) : g; });
  mutant.family = "reduce";  // `long` looks at elementwise operators
  EXPECT_THAT(alarms_of(mutant), ElementsAre("sizes FAIL"));
}

TEST(InvarianceMutants, LostEntryBehindAThreadsShareIsCaughtBySizesAlone) {
  for (const char* family : {"elementwise", "reduce"}) {
    auto mutant = tanh_edited([](const Tensor& g, const Tensor&) {
      const bool one_more = g.dim() > 0 && g.size(-1) == kParallelGrain + 1;
      return one_more ? without_entry(g, kParallelGrain) : g;
    });
    mutant.family = family;
    EXPECT_THAT(alarms_of(mutant), ElementsAre("sizes FAIL")) << family;
  }
}

TEST(InvarianceMutants, ExpandedIncomingGradientTakenForOnesIsCaughtByIncoming) {
  const auto mutant = tanh_with_reverse([](const Tensor& grad, const Output& y) {
    bool expanded = grad.numel() > 1;
    for (int64_t stride : grad.strides()) expanded = expanded && stride == 0;
    return (expanded ? ones_like(grad) : grad) * (1 - square(y));
  });
  EXPECT_THAT(alarms_of(mutant), Contains("incoming FAIL"));
}

TEST(InvarianceMutants, IncomingGradientOfOnesThatIsDoubledIsCaughtByIncoming) {
  const auto mutant = tanh_edited([](const Tensor& g, const Tensor& incoming) {
    for (double entry : numbers_of(incoming))
      if (entry != 1) return g;
    return g * 2;
  });
  EXPECT_THAT(alarms_of(mutant), Contains("incoming FAIL"));
}

TEST(InvarianceMutants, GradientOfZeroThatIsNotZeroIsCaughtByIncoming) {
  const auto mutant = tanh_edited([](const Tensor& g, const Tensor& incoming) {
    for (double entry : numbers_of(incoming))
      if (entry != 0) return g;
    return g + 1e-30;
  });
  EXPECT_THAT(alarms_of(mutant), Contains("incoming FAIL"));
}

TEST(InvarianceMutants, IncomingGradientUsedAsScratchIsCaughtByHygiene) {
  const auto mutant = tanh_edited([](const Tensor& g, const Tensor& incoming) {
    const Tensor result = g.clone();
    if (!GradMode::is_enabled()) incoming.detach().fill_(0.5);
    return result;
  });
  EXPECT_THAT(alarms_of(mutant), Contains("hygiene FAIL"));
}

TEST(InvarianceMutants, AWriteOfTheSameValuesIsCaughtByHygieneAlone) {
  const auto mutant = tanh_edited([](const Tensor& g, const Tensor& incoming) {
    if (!GradMode::is_enabled() && incoming.is_contiguous()) incoming.detach().mul_(1);
    return g;
  });
  EXPECT_THAT(alarms_of(mutant), ElementsAre("hygiene FAIL"));
}

TEST(InvarianceMutants, MixedTypesThatKeepTheFirstOneAreCaughtByPromotionAlone) {
  const auto mutant = binary_mutant(
      [](const variable_list& x) { return mul(x[0], x[1].to(x[0].dtype())); }, plain_mul);
  EXPECT_THAT(alarms_of(mutant), ElementsAre("promotion FAIL"));
}

TEST(InvarianceMutants, MixedTypesWithAnotherGradientAreCaughtByPromotionAlone) {
  const auto mutant = binary_mutant(
      [](const variable_list& x) {
        const bool mixed = x[0].dtype() != x[1].dtype();
        return mixed ? mul(x[0] * 0.5 + x[0].detach() * 0.5, x[1]) : mul(x[0], x[1]);
      },
      plain_mul);
  EXPECT_THAT(alarms_of(mutant), ElementsAre("promotion FAIL"));
}

TEST(InvarianceMutants, ZeroForNanInTheGradientIsCaughtByNonfiniteAlone) {
  const auto mutant =
      tanh_edited([](const Tensor& g, const Tensor&) { return where(g.eq(g), g, zeros_like(g)); });
  EXPECT_THAT(alarms_of(mutant), ElementsAre("nonfinite NONFINITE"));
}

TEST(InvarianceMutants, NanThatDoesNotReachTheResultIsCaughtByNonfiniteAlone) {
  const auto mutant = unary_mutant(
      [](const variable_list& x) { return tanh(where(x[0].eq(x[0]), x[0], zeros_like(x[0]))); },
      plain_tanh);
  EXPECT_THAT(alarms_of(mutant), ElementsAre("nonfinite NONFINITE"));
}

TEST(InvarianceMutants, AnotherErrorUnderNoGradIsCaughtByNonfiniteAlone) {
  const auto mutant = unary_mutant(
      [](const variable_list& x) {
        for (double entry : numbers_of(x[0]))
          if (std::isnan(entry) && !GradMode::is_enabled()) throw ValueError("not a number");
        return tanh(x[0]);
      },
      plain_tanh);
  EXPECT_THAT(alarms_of(mutant), ElementsAre("nonfinite NONFINITE"));
}

TEST(LongCase, MakesOneDimensionLongAndNoArgumentEmptyOrLarge) {
  for (const OpSpec* spec : op_specs())
    for (uint32_t key = 1; key < 6; ++key) {
      const auto drawn = long_case(*spec, {.key = key, .size = 33, .most_entries = 140}, kFloat64);
      if (!drawn) continue;
      bool reaches = false;
      for (const DrawnArgument& one : drawn->arguments) {
        EXPECT_EQ(static_cast<int64_t>(one.values.size()), numel_of(one.argument.sizes));
        EXPECT_GT(one.values.size(), 0u) << spec->name;
        EXPECT_LE(one.values.size(), 140u) << spec->name;
        for (int64_t size : one.argument.sizes) reaches = reaches || size >= 33;
        for (double value : one.values)
          if (one.is_real()) {
            EXPECT_GE(value, one.argument.domain.low) << spec->name;
            EXPECT_LE(value, one.argument.domain.high) << spec->name;
          }
      }
      EXPECT_TRUE(reaches) << spec->name;
    }
}

TEST(LongCase, FindsALongCaseOfAllButAFewOperators) {
  // Of windows, and of the weights of layers, one size follows from others.
  const std::set<std::string_view> tied = {"conv", "pooling", "recurrent", "vision"};
  std::vector<std::string> without;
  for (const OpSpec* spec : op_specs())
    if (!tied.contains(spec->family) &&
        !long_case(*spec, {.key = 1, .size = 17, .most_entries = 70}, kFloat64))
      without.push_back(spec->name);
  EXPECT_LE(without.size(), 8u) << ::testing::PrintToString(without);
}

}  // namespace
}  // namespace notape::verify
