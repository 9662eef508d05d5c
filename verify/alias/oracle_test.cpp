// The oracle against derivatives worked out by hand.
#include "verify/alias/oracle.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "verify/alias/view_kinds.h"

namespace notape::verify::alias {
namespace {

using ::testing::ElementsAre;

constexpr uint8_t kMul = 2, kAddTensor = 0, kMulTensor = 2, kCopy = 3, kFill = 9;
constexpr uint8_t kReturnInput = 4, kDirtyTriple = 2, kSilentWrite = 7, kDirtyNotReturned = 8,
                  kReturnDeclaredView = 10;

struct OracleTest : ::testing::Test {
  OracleTest() { oracle.reset(); }

  /// Leaves and constants are 1, 2, -1, 3, -2, ...
  void leaf(Slot out, int8_t n) { apply({Make{.out = out, .sizes = {n}, .is_leaf = true}}); }
  void constant(Slot out, int8_t n) { apply({Make{.out = out, .sizes = {n}}}); }

  void apply(const Statement& s) {
    const Expectation expected = oracle.expect(s);
    ASSERT_FALSE(expected.skip);
    ASSERT_EQ(expected.must, 0u);
    oracle.apply(s);
  }
  void scale(Slot out, uint8_t a, int8_t k) {
    apply({Unary{.out = out, .a = a, .op = kMul, .number = k}});
  }
  void slice(Slot out, uint8_t a, int8_t start, int8_t end, bool no_grad = false) {
    apply({View{.out = out, .a = a, .kind = kSliceKind, .numbers = {0, start, end, 1}}, no_grad});
  }
  std::vector<double> values(uint8_t slot) const {
    std::vector<double> result;
    for (int i = 0; i < oracle.alias(slot).numel; ++i)
      result.push_back(oracle.value(oracle.alias(slot), i));
    return result;
  }
  /// Of slot · (1, 3, 5, 2, 4, ...) with respect to leaf l.
  std::vector<double> gradient(uint8_t slot, std::size_t l = 0) const {
    Row sum{};
    oracle.add_gradient(oracle.alias(slot), sum);
    const LeafColumns columns = oracle.leaves()[l];
    return {sum.begin() + columns.first, sum.begin() + columns.first + columns.count};
  }
  FailureSet must(const Statement& s) const { return oracle.expect(s).must; }

  Oracle oracle{Field::Exact, Policy::Default};
};

TEST_F(OracleTest, ProductsOfLeavesFollowTheProductRule) {
  leaf(0, 3);
  leaf(1, 3);
  apply({Binary{.out = 2, .a = 0, .b = 1, .op = kMulTensor}});
  EXPECT_THAT(values(2), ElementsAre(1, 4, 1));
  EXPECT_THAT(gradient(2, 0), ElementsAre(1 * 1, 3 * 2, 5 * -1));
  EXPECT_THAT(gradient(2, 1), ElementsAre(1 * 1, 3 * 2, 5 * -1));
}

TEST_F(OracleTest, AWriteThroughAViewIsSeenByBaseAndSibling) {
  leaf(0, 4);
  scale(1, 0, 1);
  slice(2, 1, 0, 2);
  slice(3, 1, 1, 4);
  apply({Unary{.a = 2, .op = kMul, .number = 3, .in_place = true}});
  EXPECT_THAT(values(1), ElementsAre(3, 6, -1, 3));
  EXPECT_THAT(gradient(1), ElementsAre(3, 9, 5, 2));
  EXPECT_THAT(gradient(3), ElementsAre(0, 3, 3, 5));
}

TEST_F(OracleTest, AnOverwrittenCellForgetsWhatItWas) {
  leaf(0, 2);
  leaf(1, 2);
  scale(2, 0, 2);
  slice(3, 1, 1, 2);
  apply({View{.out = 4, .a = 3, .kind = kSelectKind, .numbers = {0, 0}}});
  apply({Put{.a = 2, .b = 4, .start = 0}});
  EXPECT_THAT(values(2), ElementsAre(2, 4));
  EXPECT_THAT(gradient(2, 0), ElementsAre(0, 6));
  EXPECT_THAT(gradient(2, 1), ElementsAre(0, 1));
  EXPECT_TRUE(oracle.expect({Put{.a = 2, .b = 1}}).skip) << "two into one";
}

TEST_F(OracleTest, ResultsComputedBeforeAWriteKeepTheirDerivative) {
  leaf(0, 2);
  scale(1, 0, 3);
  apply({Binary{.out = 2, .a = 1, .b = 1, .op = kMulTensor}});  // 9 x^2
  apply({Unary{.a = 1, .op = kFill, .number = 0, .in_place = true}});
  EXPECT_THAT(gradient(2), ElementsAre(18, 3 * 36));
  EXPECT_THAT(gradient(1), ElementsAre(0, 0));
}

TEST_F(OracleTest, NoGradWritesChangeValuesAndNoDerivative) {
  leaf(0, 2);
  scale(1, 0, 3);
  apply({Unary{.a = 1, .op = kMul, .number = 2, .in_place = true}, /*no_grad=*/true});
  EXPECT_THAT(values(1), ElementsAre(6, 12));
  EXPECT_THAT(gradient(1), ElementsAre(3, 9));
}

TEST_F(OracleTest, WhatIsMadeOfANoGradViewSaysThatItRequiresGradAndIsConstant) {
  leaf(0, 2);
  scale(1, 0, 3);
  constant(2, 2);
  slice(3, 1, 0, 2, /*no_grad=*/true);
  EXPECT_FALSE(oracle.needs(oracle.alias(3)));
  EXPECT_TRUE(oracle.says(oracle.alias(3)));
  scale(4, 3, 5);
  slice(5, 3, 0, 1);
  apply({Binary{.a = 2, .b = 3, .op = kAddTensor, .alpha = 1, .in_place = true}});
  for (const uint8_t slot : {4, 5, 2}) EXPECT_TRUE(oracle.says(oracle.alias(slot))) << int{slot};
  EXPECT_THAT(gradient(4), ElementsAre(0, 0));
  EXPECT_THAT(gradient(5), ElementsAre(0, 0));
  EXPECT_THAT(gradient(2), ElementsAre(0, 0));
  EXPECT_EQ(must({Gradient{.a = 3}}), bit(Failure::NothingRequiresGrad));
  EXPECT_EQ(must({Gradient{.a = 4}}), 0u);
}

TEST_F(OracleTest, ADetachedAliasSharesCellsAndHasDerivativesOfItsOwn) {
  leaf(0, 2);
  leaf(1, 2);
  scale(2, 0, 3);
  apply({Detach{.out = 3, .a = 2}});
  EXPECT_FALSE(oracle.needs(oracle.alias(3)));
  apply({Binary{.a = 3, .b = 1, .op = kAddTensor, .alpha = 1, .in_place = true}});
  EXPECT_THAT(values(2), ElementsAre(4, 8));
  EXPECT_THAT(gradient(2, 0), ElementsAre(3, 9)) << "the origin keeps its history";
  EXPECT_THAT(gradient(2, 1), ElementsAre(0, 0));
  EXPECT_THAT(gradient(3, 0), ElementsAre(0, 0));
  EXPECT_THAT(gradient(3, 1), ElementsAre(1, 3));
}

TEST_F(OracleTest, ExpandedCellsSumTheirWeights) {
  leaf(0, 2);
  apply({View{.out = 1, .a = 0, .kind = kExpandKind, .numbers = {3, 1}}});
  ASSERT_EQ(oracle.alias(1).numel, 6);
  EXPECT_THAT(gradient(1), ElementsAre(1 + 5 + 4, 3 + 2 + 1));
}

TEST_F(OracleTest, MatmulDerivesToBothOperands) {
  apply({Make{.out = 0, .sizes = {2, 2}, .rank = 2, .is_leaf = true}});  // 1 2; -1 3
  apply({Make{.out = 1, .sizes = {2, 1}, .rank = 2}});                   // 1; 2
  apply({Matmul{.out = 2, .a = 0, .b = 1}});
  EXPECT_THAT(values(2), ElementsAre(5, 5));
  EXPECT_THAT(gradient(2), ElementsAre(1, 2, 3, 6));
}

TEST_F(OracleTest, AHookScalesAndObserves) {
  leaf(0, 2);
  scale(1, 0, 3);
  apply({Hook{.a = 1, .scale = 2}});
  scale(2, 1, 5);
  EXPECT_THAT(gradient(2), ElementsAre(30, 90));
  Row sum{};
  oracle.add_gradient(oracle.alias(2), sum);
  EXPECT_EQ(sum[kLeafColumns], 5 * direction_value(0) + 15 * direction_value(1));
  EXPECT_TRUE(oracle.expect({Hook{.a = 1, .scale = 2}}).skip) << "it has been used";
}

TEST_F(OracleTest, AHookOnAViewSeesWhatPassesThroughThatView) {
  leaf(0, 4);
  scale(1, 0, 1);
  slice(2, 1, 0, 2);
  apply({Hook{.a = 2, .scale = 2}});
  slice(3, 1, 0, 2);
  slice(4, 1, 2, 4);
  const auto seen = [&](uint8_t slot) {
    Row sum{};
    oracle.add_gradient(oracle.alias(slot), sum);
    return sum[kLeafColumns];
  };
  const double both = direction_value(0) + 3 * direction_value(1);
  EXPECT_THAT(gradient(2), ElementsAre(2, 6, 0, 0));
  EXPECT_THAT(gradient(3), ElementsAre(1, 3, 0, 0)) << "a sibling does not pass it";
  EXPECT_EQ(seen(2), both);
  EXPECT_EQ(seen(1), 0);
  scale(5, 2, 5);
  EXPECT_EQ(seen(5), 5 * both) << "uses do";
  apply({Unary{.a = 4, .op = kMul, .number = 7, .in_place = true}});
  EXPECT_EQ(seen(2), both) << "a write elsewhere changes nothing";
  apply({Unary{.a = 2, .op = kMul, .number = 3, .in_place = true}});
  EXPECT_EQ(seen(1), 3 * both) << "a write through the view passes it";
  EXPECT_EQ(seen(2), 3 * both);
  EXPECT_THAT(gradient(1), ElementsAre(6, 18, 35, 14));
  apply({Unary{.a = 1, .op = kFill, .number = 0, .in_place = true}});
  EXPECT_EQ(seen(2), 0);
}

TEST_F(OracleTest, AWriteThroughASiblingPassesNoHook) {
  leaf(0, 2);
  scale(1, 0, 1);
  slice(2, 1, 0, 2);
  apply({Hook{.a = 2, .scale = 2}});
  slice(3, 2, 0, 1);
  apply({Unary{.a = 3, .op = kMul, .number = 3, .in_place = true}});
  EXPECT_THAT(gradient(1), ElementsAre(3, 3));
  EXPECT_THAT(gradient(2), ElementsAre(3, 3));
}

TEST_F(OracleTest, TangentsFollowValuesThroughNoGradButNotThroughDetach) {
  oracle.reset({.tangents = true});
  const auto tangents = [&](uint8_t slot) {
    std::vector<double> result;
    for (int i = 0; i < oracle.alias(slot).numel; ++i)
      result.push_back(oracle.tangent(oracle.alias(slot), i));
    return result;
  };
  leaf(0, 3);                                     // 1 2 -1
  apply({Dual{.out = 1, .a = 0, .pattern = 0}});  // the same numbers as tangent
  EXPECT_THAT(tangents(0), ElementsAre(0, 0, 0));
  apply({Unary{.out = 2, .a = 1, .op = 5}, /*no_grad=*/true});  // squares
  EXPECT_THAT(tangents(2), ElementsAre(2, 8, 2));
  apply({Detach{.out = 3, .a = 2}});
  apply({Detach{.out = 4, .a = 2, .way = Detach::Way::Data}});
  slice(5, 2, 1, 3);
  apply({Unary{.a = 5, .op = kMul, .number = 3, .in_place = true}});
  EXPECT_THAT(tangents(2), ElementsAre(2, 24, 6));
  EXPECT_THAT(tangents(3), ElementsAre(0, 0, 0));
  EXPECT_THAT(tangents(4), ElementsAre(0, 0, 0));
  EXPECT_TRUE(oracle.expect({Dual{.out = 6, .a = 2}}).skip) << "it has one";
  EXPECT_EQ(must({Call{.out = 6, .a = 2, .function = kReturnInput}}),
            bit(Failure::ForwardNotImplemented));
}

TEST_F(OracleTest, SecondDerivativesFollowTheDirection) {
  oracle.reset({.second = true});
  leaf(0, 2);                                                   // 1 2
  apply({Binary{.out = 1, .a = 0, .b = 0, .op = kMulTensor}});  // x^2
  apply({Binary{.out = 2, .a = 1, .b = 0, .op = kMulTensor}});  // x^3
  Row sum{};
  oracle.add_gradient(oracle.alias(2), sum);
  EXPECT_EQ(sum[0], 3);
  EXPECT_EQ(sum[1], 3 * 12);
  EXPECT_EQ(sum[kColumns], 6 * direction_value(0));
  EXPECT_EQ(sum[kColumns + 1], 3 * 12 * direction_value(1));
}

TEST_F(OracleTest, RawWritesChangeValuesAndNothingElse) {
  leaf(0, 2);
  scale(1, 0, 3);
  apply({Binary{.out = 2, .a = 1, .b = 1, .op = kMulTensor}});
  apply({RawWrite{.a = 1, .pattern = 1, .by = RawWrite::By::MutableDataPtr}});
  EXPECT_THAT(values(1), ElementsAre(pattern_value(1, 0), pattern_value(1, 1)));
  EXPECT_THAT(gradient(1), ElementsAre(3, 9));
  EXPECT_TRUE(oracle.saved_was_overwritten());
  EXPECT_FALSE(oracle.saved_was_overwritten_unseen()) << "mutable_data_ptr() tells the library";
  const Statement unseen{RawWrite{.a = 1, .pattern = 2, .by = RawWrite::By::DataPtr}};
  EXPECT_FALSE(oracle.expect(unseen).skip) << "every policy compares fingerprints of saved values";
  EXPECT_EQ(must(unseen), 0u);
  apply(unseen);
  EXPECT_TRUE(oracle.saved_was_overwritten_unseen()) << "nothing but an error is right";
  EXPECT_THAT(gradient(1), ElementsAre(3, 9));
}

TEST_F(OracleTest, ADeclaredViewIsAPlainOneOnceItIsWritten) {
  leaf(0, 2);
  scale(1, 0, 1);
  apply({Call{.out = 2, .a = 1, .function = kReturnDeclaredView}});
  EXPECT_THAT(gradient(2), ElementsAre(2, 6));
  apply({Unary{.a = 2, .op = kMul, .number = 5, .in_place = true}});
  EXPECT_THAT(gradient(2), ElementsAre(5, 15));
  EXPECT_THAT(gradient(1), ElementsAre(5, 15));
}

TEST_F(OracleTest, UserFunctionsFollowTheirContracts) {
  leaf(0, 2);
  scale(1, 0, 1);
  apply({Call{.out = 2, .a = 1, .function = kReturnInput}});
  EXPECT_THAT(gradient(2), ElementsAre(3, 9));
  EXPECT_THAT(gradient(1), ElementsAre(1, 3));
  apply({Call{.out = 3, .a = 1, .function = kSilentWrite}});
  EXPECT_THAT(values(2), ElementsAre(2, 4));
  EXPECT_THAT(gradient(3), ElementsAre(2, 6));
  EXPECT_THAT(gradient(1), ElementsAre(1, 3));
  apply({Call{.a = 1, .function = kDirtyTriple}});
  EXPECT_THAT(gradient(1), ElementsAre(3, 9));
  EXPECT_EQ(oracle.stale(oracle.alias(2)), bit(Failure::FunctionViewWrite));
}

TEST_F(OracleTest, TheRulesDemandErrors) {
  leaf(0, 3);
  scale(1, 0, 1);
  slice(2, 0, 0, 2);
  slice(3, 1, 0, 2);
  slice(4, 1, 1, 3);
  slice(5, 1, 0, 2, /*no_grad=*/true);
  constant(6, 2);
  const auto write = [](uint8_t a, uint8_t b) {
    return Statement{Binary{.a = a, .b = b, .op = kCopy, .in_place = true}};
  };
  EXPECT_EQ(must({Unary{.a = 0, .op = kFill, .in_place = true}}), bit(Failure::LeafInPlace));
  EXPECT_EQ(must(write(2, 6)), bit(Failure::LeafInPlace)) << "a view of a leaf";
  EXPECT_EQ(must({Unary{.a = 0, .op = kFill, .in_place = true}, /*no_grad=*/true}), 0u);
  EXPECT_EQ(must(write(3, 4)), bit(Failure::MemoryOverlap));
  EXPECT_EQ(must(write(5, 6)), bit(Failure::AmbiguousViewWrite));
  EXPECT_EQ(must({Detach{.a = 3, .way = Detach::Way::InPlace}}), bit(Failure::DetachView));
  EXPECT_EQ(must({Gradient{.a = 6}}), bit(Failure::NothingRequiresGrad));
  EXPECT_EQ(must({Call{.out = 7, .a = 1, .function = kDirtyNotReturned}}),
            bit(Failure::FunctionError));
  apply({View{.out = 7, .a = 6, .kind = kExpandKind, .numbers = {2, 1}}});
  EXPECT_EQ(must({Unary{.a = 7, .op = kFill, .in_place = true}}), bit(Failure::MemoryOverlap));
}

TEST_F(OracleTest, OnlyOverwrittenSavedValuesExplainARejection) {
  leaf(0, 4);
  scale(1, 0, 1);
  slice(2, 1, 0, 2);
  slice(3, 1, 2, 4);
  apply({Binary{.out = 4, .a = 2, .b = 2, .op = kMulTensor}});
  apply({Unary{.a = 3, .op = kFill, .number = 1, .in_place = true}});
  EXPECT_FALSE(oracle.saved_was_overwritten());
  apply({Unary{.a = 2, .op = kFill, .number = 1, .in_place = true}});
  EXPECT_TRUE(oracle.saved_was_overwritten());
}

TEST_F(OracleTest, ThePapersRuleCountsSharers) {
  Oracle paper(Field::Exact, Policy::Paper2017);
  paper.reset();
  paper.apply({Make{.out = 0, .sizes = {2}}});
  const Statement fill{Unary{.a = 0, .op = kFill, .in_place = true}};
  EXPECT_EQ(paper.expect(fill).must, 0u);
  paper.apply({Detach{.out = 1, .a = 0}});
  EXPECT_EQ(paper.expect(fill).must, bit(Failure::AliasedInPlace));
  Statement unseen = fill;
  unseen.no_grad = true;
  EXPECT_EQ(paper.expect(unseen).must, 0u);
}

}  // namespace
}  // namespace notape::verify::alias
