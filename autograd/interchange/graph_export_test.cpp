// to_dot() and to_json(): one graph word for word, and the shapes graphs can have.
#include "autograd/interchange/graph_export.h"

#include <nlohmann/json.hpp>
#include <thread>

#include "autograd/testing/expect.h"
#include "ops/ops.h"

namespace notape {
namespace {

using namespace notape::testing;
using autograd::to_dot;
using autograd::to_json;
using nlohmann::json;

/// Sequence numbers count per thread: a fresh thread begins at 0.
template <typename F>
void in_fresh_thread(F&& program) {
  std::thread(std::forward<F>(program)).join();
}

struct Example {
  Tensor weight = ones({2, 3}, requires_grad());
  Tensor bias = zeros({3}, dtype(kFloat32).requires_grad(true));
  int line = 0;
  Tensor loss;

  Example() {
    const Tensor x = ones({4, 2});
    line = __LINE__ + 1;
    const Tensor hidden = x.mm(weight) + bias;
    loss = (hidden * hidden).tanh();
  }
};

std::string with_lines(std::string text, int first_line) {
  for (std::size_t at = 0; (at = text.find("LINE+")) != std::string::npos;)
    text.replace(at, 6, std::to_string(first_line + text[at + 5] - '0'));
  return text;
}

TEST(GraphExport, Dot_IsWordForWordThis) {
  if (!kProvenance) GTEST_SKIP() << "this build knows no places";
  in_fresh_thread([] {
    const Example example;
    EXPECT_EQ(to_dot({example.loss, ones({1})}), with_lines(R"(digraph notape {
  node [shape=box];
  root0 [shape=ellipse, label="root 0\nfloat32 [4, 3]"];
  root0 -> n0;
  root1 [shape=ellipse, label="root 1\nfloat32 [1]"];
  n0 [label="TanhBackward0 #3\ntanh graph_export_test.cpp:LINE+1\nfloat32 [4, 3]"];
  n0 -> n1;
  n1 [label="MulBackward0 #2\nmul graph_export_test.cpp:LINE+1\nfloat32 [4, 3]"];
  n1 -> n2;
  n1 -> n2;
  n2 [label="AddBackward0 #1\nadd graph_export_test.cpp:LINE+0\nfloat32 [4, 3]"];
  n2 -> n3;
  n2 -> n4;
  n3 [label="MmBackward0 #0\nmm graph_export_test.cpp:LINE+0\nfloat32 [4, 3]"];
  n3 -> n5;
  n4 [label="leaf\nfloat32 [3]", style=filled, fillcolor=lightblue];
  n5 [label="leaf\nfloat32 [2, 3]", style=filled, fillcolor=lightblue];
}
)",
                                                            example.line));
  });
}

TEST(GraphExport, Json_SaysTheSame) {
  in_fresh_thread([] {
    Example example;
    const json graph = json::parse(to_json({example.loss, ones({1})}));
    EXPECT_EQ(graph["roots"], json::parse(R"([
        {"node": 0, "output_nr": 0, "dtype": "float32", "device": "cpu", "sizes": [4, 3]},
        {"node": null, "dtype": "float32", "device": "cpu", "sizes": [1]}])"));
    ASSERT_EQ(graph["nodes"].size(), 6u);
    json mm = graph["nodes"][3];
    if (kProvenance) {
      EXPECT_TRUE(mm["file"].get<std::string>().ends_with("graph_export_test.cpp"));
      EXPECT_THAT(mm["function"].get<std::string>(), HasSubstr("Example"));
      mm.erase("file");
      mm.erase("function");
    }
    json expected = json::parse(R"({"id": 3, "name": "MmBackward0", "operator": "mm",
        "sequence_nr": 0, "topological_nr": 1,
        "outputs": [{"dtype": "float32", "device": "cpu", "sizes": [4, 3]}],
        "saved": [{"slot": "self", "dtype": "float32", "sizes": [4, 2], "bytes": 32,
                   "version": 0, "current_version": 0, "overwritten": false}],
        "edges": [{"input": 1, "node": 5, "input_nr": 0}]})");
    if (kProvenance) expected["line"] = example.line;
    EXPECT_EQ(mm, expected);
    EXPECT_EQ(graph["nodes"][5], json::parse(R"({"id": 5, "name": "AccumulateGrad", "alive": true,
        "outputs": [{"dtype": "float32", "device": "cpu", "sizes": [2, 3]}], "saved": [], "edges": []})"));
    example.weight.reset();
    EXPECT_EQ(json::parse(to_json({example.loss}))["nodes"][5]["alive"], false);
  });
}

TEST(GraphExport, SeveralOutputs_AreToldApart) {
  const Tensor x = counting_leaf(4);
  const TensorList parts = x.chunk(2);
  const Tensor y = parts[1] * 2;
  const json graph = json::parse(to_json({y}));
  EXPECT_EQ(graph["nodes"][0]["edges"][0]["input_nr"], parts[1].output_nr());
}

TEST(GraphExport, LeavesAndSharedRoots_AreListedOnce) {
  const Tensor x = counting_leaf(2);
  const json graph = json::parse(to_json({x, x}));
  EXPECT_EQ(graph["nodes"].size(), 1u);
  EXPECT_EQ(graph["roots"][1]["node"], 0);
  EXPECT_EQ(json::parse(to_json({})), json::parse(R"({"roots": [], "nodes": []})"));
  EXPECT_EQ(to_dot({}), "digraph notape {\n  node [shape=box];\n}\n");
  expect_error<UndefinedTensor>("a root of the graph", [] { to_dot({Tensor()}); });
  expect_error<UndefinedTensor>("a root of the graph", [] { to_json({Tensor()}); });
}

TEST(GraphExport, EqualPrograms_GiveEqualText) {
  std::string dot[2], text[2];
  for (int i = 0; i < 2; ++i)
    in_fresh_thread([&] {
      const Example example;
      dot[i] = to_dot({example.loss});
      text[i] = to_json({example.loss});
    });
  EXPECT_EQ(dot[0], dot[1]);
  EXPECT_EQ(text[0], text[1]);
}

TEST(GraphExport, DeepGraph_IsWalkedWithoutRecursion) {
  const NothingLeaks nothing_leaks;
  Tensor y = counting_leaf(1);
  for (int i = 0; i < 100000; ++i) y = y + 1;
  const std::string dot = to_dot({y});
  EXPECT_THAT(dot, HasSubstr("n100000 [label=\"leaf"));
  EXPECT_THAT(to_json({y}), HasSubstr("\"id\":100000"));
}

#line 7 "odd \"name\"\\N.cpp"
Tensor from_an_oddly_named_file(const Tensor& x) { return x.tanh(); }

TEST(GraphExport, OddNames_AreEscaped) {
  if (!kProvenance) GTEST_SKIP() << "this build knows no places";
  const Tensor y = from_an_oddly_named_file(counting_leaf(1));
  EXPECT_THAT(to_dot({y}), HasSubstr("tanh odd \\\"name\\\"\\\\N.cpp:7\\n"));
  EXPECT_EQ(json::parse(to_json({y}))["nodes"][0]["file"], "odd \"name\"\\N.cpp");
}

}  // namespace
}  // namespace notape
