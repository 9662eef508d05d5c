// to_svg(): what stands in the boxes.
#include "autograd/interchange/graph_export.h"
#include "autograd/testing/expect.h"
#include "ops/ops.h"

namespace notape {
namespace {

using namespace notape::testing;
using autograd::to_svg;
using ::testing::Not;

std::size_t count_of(const std::string& text, const std::string& word) {
  std::size_t count = 0;
  for (auto at = text.find(word); at != std::string::npos; at = text.find(word, at + 1)) ++count;
  return count;
}

TEST(GraphSvg, ABoxPerNodeAndAnEdgePerInput) {
  const Tensor x = counting_leaf(3);
  const std::string svg = to_svg({(x * x).sum()});
  EXPECT_TRUE(svg.starts_with("<svg xmlns="));
  EXPECT_THAT(svg, HasSubstr(">root 0<"));
  for (const char* name : {">SumBackward1 #", ">MulBackward0 #", ">leaf<"})
    EXPECT_EQ(count_of(svg, name), 1u) << name;
  EXPECT_EQ(count_of(svg, "class=\"edge\""), 4u) << "root to sum to mul, twice to the leaf";
  EXPECT_THAT(svg, HasSubstr(">float64 [3]<"));
  if (kProvenance) {
    EXPECT_THAT(svg, HasSubstr("graph_svg_test.cpp:"));
  }
}

TEST(GraphSvg, SavedValuesHaveTheirVersion) {
  const std::string svg = to_svg({counting_leaf(2).tanh()});
  EXPECT_THAT(svg, HasSubstr("class=\"code saved\">saved result: float64 [2], version 0<"));
  EXPECT_THAT(svg, Not(HasSubstr("code overwritten")));
}

TEST(GraphSvg, WhatBackwardWouldRefuseIsRed) {
  const Tensor y = counting_leaf(2).tanh();
  const Tensor z = y + 1;
  y.zero_();
  const std::string svg = to_svg({z});
  EXPECT_THAT(svg, HasSubstr(">saved result: float64 [2], version 0, now 1<"));
  EXPECT_EQ(count_of(svg, "class=\"code overwritten\""), 1u);
  EXPECT_EQ(count_of(svg, "class=\"refused\""), 1u);
  EXPECT_THROW(z.sum().backward(), SavedTensorModified);
}

TEST(GraphSvg, AWriteBesideTheSavedRegionChangesTheVersionAlone) {
  Tensor base = zeros({4}, dtype(kFloat64));
  const Tensor y = counting_leaf(2) * base.narrow(0, 0, 2);
  base.narrow(0, 2, 2).fill_(1);
  const std::string svg = to_svg({y});
  EXPECT_THAT(svg, HasSubstr("version 0, now 1<"));
  EXPECT_THAT(svg, Not(HasSubstr("code overwritten")));
  y.sum().backward();
}

TEST(GraphSvg, ResultsAreToldApart) {
  const auto [variance, mean] = var_mean(counting_leaf(3));
  EXPECT_THAT(to_svg({mean}), HasSubstr(">output 1<"));
  EXPECT_THAT(to_svg({variance}), Not(HasSubstr(">output ")));
}

TEST(GraphSvg, RootsWithoutGraphStandAlone) {
  const std::string svg = to_svg({ones({1})});
  EXPECT_EQ(count_of(svg, "class=\"edge\""), 0u);
  EXPECT_THAT(svg, HasSubstr(">float32 [1]<"));
  EXPECT_THAT(to_svg({}), HasSubstr("</svg>"));
}

TEST(GraphSvg, RefusesWhatCannotBeDrawnOrRead) {
  expect_error<UndefinedTensor>("a root of the graph", [] { to_svg({Tensor()}); });
  Tensor y = counting_leaf(1);
  for (int i = 0; i < 301; ++i) y = y + 1;
  expect_error<ValueError>("a picture of 302 nodes is not readable", [&] { to_svg({y}); });
}

#line 7 "odd <name>&.cpp"
Tensor from_an_oddly_named_place(const Tensor& x) { return x.tanh(); }

TEST(GraphSvg, OddNamesAreEscaped) {
  if (!kProvenance) GTEST_SKIP() << "this build knows no places";
  EXPECT_THAT(to_svg({from_an_oddly_named_place(counting_leaf(1))}),
              HasSubstr("tanh at odd &lt;name&gt;&amp;.cpp:7<"));
}

}  // namespace
}  // namespace notape
