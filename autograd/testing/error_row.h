// A row of the error catalogue (SEMANTICS: "Error catalogue"): a program that must fail with one
// class, one message and one state afterwards.
#pragma once
#include <functional>
#include <nlohmann/json.hpp>
#include <optional>

#include "autograd/testing/expect.h"

namespace notape::testing {

/// The state after an error: nothing has changed, or what a failed backward run may change.
enum class After { NothingChanged, FailedRun };

struct FailingProgram {
  std::function<void()> fails;
  /// NothingChanged: these tensors are as they were.
  variable_list watched = {};
  /// FailedRun: each of these leaves has no gradient or its whole gradient.
  std::vector<std::pair<Tensor, std::vector<double>>> leaves = {};
  /// FailedRun: takes the cause away; from then on `fails` succeeds on the same graph.
  std::function<void()> mend = {};
};

struct ErrorRow {
  const std::type_info& type;
  const char* kind;
  const char* fragment;
  After after;
  std::function<FailingProgram()> make;
};

template <typename E>
ErrorRow error_row(const char* kind, const char* fragment, After after,
                   std::function<FailingProgram()> make) {
  return {typeid(E), kind, fragment, after, std::move(make)};
}

inline void expect_row_error(const ErrorRow& row, const std::function<void()>& program) {
  try {
    program();
  } catch (const Error& error) {
    EXPECT_TRUE(typeid(error) == row.type) << "another class: " << error.kind();
    EXPECT_STREQ(error.kind(), row.kind);
    const std::string message = error.what_without_backtrace(), whole = error.what();
    EXPECT_THAT(message, HasSubstr(row.fragment));
    EXPECT_EQ(whole.substr(0, message.size()), message) << "provenance follows the message";
    const nlohmann::json json = nlohmann::json::parse(error.to_json(), nullptr, false);
    ASSERT_TRUE(json.is_object()) << error.to_json();
    EXPECT_EQ(json.value("error", ""), row.kind);
    EXPECT_EQ(json.value("message", ""), message);
    return;
  } catch (const std::exception& error) {
    FAIL() << "no notape::Error: " << error.what();
  }
  FAIL() << "nothing was thrown";
}

inline void expect_whole_or_none(const FailingProgram& program) {
  for (const auto& [leaf, whole] : program.leaves)
    if (leaf.grad().defined()) expect_values(leaf.grad(), whole);
}

inline void check_error_row(const ErrorRow& row) {
  const ::testing::ScopedTrace trace(__FILE__, __LINE__,
                                     std::string(row.kind) + ": " + row.fragment);
  const NothingLeaks guard;
  const FailingProgram program = row.make();
  const Unchanged before(program.watched);
  const Counters counted = counters();
  const bool grad_mode = GradMode::is_enabled();
  expect_row_error(row, program.fails);
  EXPECT_EQ(GradMode::is_enabled(), grad_mode);
  before.check();
  expect_whole_or_none(program);
  if (row.after == After::NothingChanged) {
    EXPECT_FALSE(program.watched.empty()) << "the row watches nothing";
    EXPECT_EQ(counters().saved_bytes, counted.saved_bytes);
    EXPECT_EQ(counters().live_bytes, counted.live_bytes);
    expect_row_error(row, program.fails);  // and so a second time
    before.check();
    return;
  }
  EXPECT_FALSE(program.leaves.empty()) << "the row has no leaves";
  if (!program.mend) return;
  program.mend();
  for (const auto& [leaf, whole] : program.leaves) leaf.mutable_grad() = Tensor();
  program.fails();
  for (const auto& [leaf, whole] : program.leaves) expect_values(leaf.grad(), whole);
}

}  // namespace notape::testing
