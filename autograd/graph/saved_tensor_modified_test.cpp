// What SavedTensorModified tells a program: its JSON (SEMANTICS, "Anomaly mode and provenance").
#include "autograd/graph/saved_tensor_modified.h"

#include <functional>
#include <nlohmann/json.hpp>

#include "autograd/testing/expect.h"
#include "ops/ops.h"

namespace notape::testing {
namespace {

using nlohmann::json;

json json_of(const std::function<void()>& program) {
  try {
    program();
  } catch (const SavedTensorModified& error) {
    return json::parse(error.to_json());
  }
  ADD_FAILURE() << "no SavedTensorModified";
  return json::object();
}

void expect_place(const json& part, const char* operator_name, int line) {
  EXPECT_EQ(part.value("operator", ""), operator_name);
  if (!kProvenance) {
    EXPECT_FALSE(part.contains("file") || part.contains("line"));
    return;
  }
  EXPECT_THAT(part.value("file", ""), ::testing::EndsWith("saved_tensor_modified_test.cpp"));
  EXPECT_EQ(part.value("line", 0), line);
}

TEST(SavedTensorModifiedJson, NamesWhoSavedWroteAndRead) {
  const Tensor x = leaf({1, 2, 3});
  Tensor y = x.tanh();
  const int saved = __LINE__ - 1;
  y.add_(3);
  const int written = __LINE__ - 1;
  const Tensor total = y.sum();
  const json error = json_of([&] { total.backward(); });
  const int read = __LINE__ - 1;
  EXPECT_EQ(error.at("error"), "SavedTensorModified");
  EXPECT_EQ(error.at("conservative"), false);
  EXPECT_EQ(error.at("tensor"), json::parse(R"({"dtype": "float64", "device": "cpu", "sizes": [3],
                                                "strides": [1], "offset": 0})"));
  expect_place(error.at("saved"), "tanh", saved);
  EXPECT_EQ(error.at("saved").at("node"), "TanhBackward0");
  EXPECT_EQ(error.at("saved").at("slot"), "result");
  EXPECT_EQ(error.at("saved").at("version"), 0);
  expect_place(error.at("written"), "add_", written);
  EXPECT_EQ(error.at("written").at("version"), 1);
  EXPECT_EQ(error.at("written").at("bytes"), json({0, 24}));
  expect_place(error.at("read"), "backward", read);
}

TEST(SavedTensorModifiedJson, ShowsTheSavedWindowAndTheWrittenBytes) {
  const Tensor x = leaf({1, 2});
  Tensor table = zeros({3, 4}, kFloat64);
  const Tensor product = (x * as_strided(table, {2}, {4}, 5)).sum();
  table[1].fill_(1);  // elements 4 to 7
  const json error = json_of([&] { autograd::grad({product}, {x}); });
  EXPECT_EQ(error.at("tensor").at("sizes"), json({2}));
  EXPECT_EQ(error.at("tensor").at("strides"), json({4}));
  EXPECT_EQ(error.at("tensor").at("offset"), 5);
  EXPECT_EQ(error.at("written").at("bytes"), json({32, 64}));
  EXPECT_EQ(error.at("read").at("operator"), "grad");
}

TEST(SavedTensorModifiedJson, SaysThroughWhichAliasItWasWritten) {
  struct Case {
    const char* through;
    std::function<void(const Tensor&)> write;
  };
  const Case cases[] = {
      {"same tensor", [](Tensor c) { c.zero_(); }},
      {"same family",
       [](const Tensor& c) {
         c.view({2, 1}).zero_();
       }},
      {"detached", [](const Tensor& c) { c.detach().zero_(); }},
      {"detached",
       [](const Tensor& c) {
         c.detach().view({2, 1}).zero_();
       }},
      {"data", [](const Tensor& c) { c.data().zero_(); }},
      {"data", [](const Tensor& c) { c.data()[0].zero_(); }},
      {"ticket", [](const Tensor& c) { const WriteTicket ticket(c); }},
      {"foreign", [](const Tensor& c) { *c.mutable_data_ptr<double>() = 7; }},
  };
  for (const Case& one : cases) {
    const Tensor x = leaf({1, 2}), c = constant({3, 4});
    const Tensor y = (x * c).sum();
    one.write(c);
    EXPECT_EQ(json_of([&] { y.backward(); }).at("written").at("through"), one.through);
  }
}

TEST(SavedTensorModifiedJson, UnderPaper2017StillNamesTheSaver) {
  const AliasPolicyGuard policy(AliasPolicy::Paper2017);
  const Tensor x = leaf({1.0});
  Tensor y = x.tanh();
  y.add_(3);
  const json error = json_of([&] { y.backward(); });
  EXPECT_EQ(error.at("saved").at("operator"), "tanh");
  EXPECT_EQ(error.at("read").at("operator"), "backward");
}

}  // namespace
}  // namespace notape::testing
