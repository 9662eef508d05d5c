// Every regression case has a test of its id, or waits for an operator that does not exist yet.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <map>
#include <set>

#include "ops/spec/op_spec.h"

namespace notape::testing {
namespace {

constexpr const char* kIds[] = {"A1",  "A2",  "A3",  "A4",  "A5",  "A6",  "A7", "A8", "A13", "A14",
                                "A15", "A17", "A18", "A19", "A21", "A22", "B1", "B2", "B6",  "B7",
                                "B10", "B11", "C1",  "C2",  "C3",  "C4",  "C5", "C6", "C7",  "C8",
                                "C9",  "C11", "C13", "C16", "C17", "E1",  "E2", "E4", "E5",  "E6",
                                "E7",  "E8",  "E9",  "E10", "E12", "E13", "E15"};

/// What is missing for all of a case, or for a spelling of it.
const std::map<std::string, std::set<std::string>> kImpossible = {{"E8", {"conj"}},
                                                                  {"E15", {"renorm"}}};
const std::map<std::string, std::set<std::string>> kPartial = {{"A19", {"logical_or_"}},
                                                               {"C17", {"normalize"}}};

bool has_test(const std::string& id) {
  const ::testing::UnitTest& all = *::testing::UnitTest::GetInstance();
  for (int s = 0; s < all.total_test_suite_count(); ++s) {
    const ::testing::TestSuite& suite = *all.GetTestSuite(s);
    if (std::strcmp(suite.name(), "Cases") != 0) continue;
    for (int t = 0; t < suite.total_test_count(); ++t) {
      const std::string_view name = suite.GetTestInfo(t)->name();
      if (name.starts_with(id + "_") || name.starts_with("DISABLED_" + id + "_")) return true;
    }
  }
  return false;
}

bool exists(const std::string& op) {
  return std::any_of(op_specs().begin(), op_specs().end(),
                     [&](const OpSpec* spec) { return op == spec->name; });
}

TEST(CasesCoverage, EveryIdHasATestOrWaitsForAnOperator) {
  for (const std::string id : kIds) EXPECT_NE(has_test(id), kImpossible.count(id) > 0) << id;
}

TEST(CasesCoverage, WhatIsWaitedForIsStillMissing) {
  for (const auto* list : {&kImpossible, &kPartial})
    for (const auto& [id, operators] : *list)
      for (const std::string& op : operators)
        EXPECT_FALSE(exists(op)) << op << " is there now: complete case " << id;
}

}  // namespace
}  // namespace notape::testing
