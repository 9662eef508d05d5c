// Errors and nodes name the line the user wrote, also where it is an operator that wrote or read.
#include "autograd/testing/expect.h"
#include "ops/ops.h"

namespace notape::testing {
namespace {

using Line = uint32_t;
Line line_here(SourceLocation at = SourceLocation::current()) { return at.line(); }

struct OperatorWrite {
  const char* name;
  std::function<Line(Tensor& y)> write;
};

TEST(Blame, OfWritesByOperatorsIsTheUsersLine) {
  if (!kProvenance) GTEST_SKIP() << "a stripped build knows no lines";
  const Tensor other = constant({2, 3});
  const std::vector<OperatorWrite> table = {
      {"add_", [](Tensor& y) { return y += 1, line_here(); }},
      // Of a number the opposite is added.
      {"add_", [](Tensor& y) { return y -= 1.5, line_here(); }},
      {"mul_", [](Tensor& y) { return y *= 2, line_here(); }},
      {"div_", [](Tensor& y) { return y /= 2, line_here(); }},
      {"add_", [&](Tensor& y) { return y += other, line_here(); }},
      {"sub_", [&](Tensor& y) { return y -= other, line_here(); }},
      {"mul_", [&](Tensor& y) { return y *= other, line_here(); }},
      {"div_", [&](Tensor& y) { return y /= other, line_here(); }},
      {"add_", [&](Tensor& y) { return y += other * 2, line_here(); }},
      {"add_", [&](Tensor& y) { return y += other[0].item_scalar(), line_here(); }},
      {"fill_", [](Tensor& y) { return y[0] = 1, line_here(); }},
      {"copy_", [&](Tensor& y) { return y[0] = other[1], line_here(); }},
      {"add_", [](Tensor& y) { return y[1] += 1, line_here(); }},
      {"fill_", [](Tensor& y) { return y.index({0}) = true, line_here(); }},
      {"copy_",
       [&](Tensor& y) { return y.index({indexing::Slice(0, 1)}) = other[0], line_here(); }},
  };
  for (const auto& [name, write] : table) {
    const Tensor x = leaf({1, 2});
    Tensor y = x.tanh();
    const Line line = write(y);
    expect_error<SavedTensorModified>(
        format_message("overwritten by {} at blame_test.cpp:{}", {name, line}),
        [&] { y.sum().backward(); });
  }
}

TEST(Blame, OfNodesMadeByOperatorsIsTheUsersLine) {
  if (!kProvenance) GTEST_SKIP() << "a stripped build knows no lines";
  const Tensor x = leaf({1, 2}), w = leaf({3, 4});
  const std::vector<std::pair<Tensor, Line>> made = {
      {x * w, line_here()}, {x + 1, line_here()},  {1 - x, line_here()}, {-x, line_here()},
      {x / 2, line_here()}, {x[0], line_here()},   {2 / x, line_here()}, {x - w, line_here()},
      {x * 2, line_here()}, {x.exp(), line_here()}};
  for (const auto& [tensor, line] : made) {
    EXPECT_EQ(tensor.grad_fn()->at().line(), line) << tensor.grad_fn()->name();
    EXPECT_THAT(place_of(tensor.grad_fn()->at()), HasSubstr("blame_test.cpp"));
  }
}

TEST(Blame, OfNodesRecordedByDerivativesIsTheLineTheyAreTheDerivativeOf) {
  if (!kProvenance) GTEST_SKIP() << "a stripped build knows no lines";
  const Tensor x = leaf({1, 2});
  const Tensor y = x.tanh();
  const Line line = line_here() - 1;
  const Tensor first = autograd::grad({y.sum()}, {x}, {}, true, true)[0];
  const Tensor second = autograd::grad({first.sum()}, {x}, {}, true, true)[0];
  for (const Tensor& derivative : {first, second}) {
    EXPECT_EQ(derivative.grad_fn()->at().line(), line);
    EXPECT_THAT(place_of(derivative.grad_fn()->at()), HasSubstr("blame_test.cpp"));
  }
}

TEST(Blame, OfErrorsRaisedByOperatorsIsTheUsersLine) {
  if (!kProvenance) GTEST_SKIP() << "a stripped build knows no lines";
  Tensor y = constant({1, 2});
  const Tensor wide = constant({1, 2, 3});
  const auto blames = [](const char* name, Line line, const std::function<void()>& program) {
    expect_error<Error>(format_message("(at blame_test.cpp:{})", {line}), [&] {
      try {
        program();
      } catch (const Error& error) {
        EXPECT_THAT(error.what(), HasSubstr(name));
        throw Error(error.what());
      }
    });
  };
  blames("add_", line_here(), [&] { y += wide; });
  blames("copy_", line_here(), [&] { y[0] = wide; });
  blames("mul", line_here(), [&] { y* wide; });
  blames("eq", line_here(), [&] { static_cast<void>(y == wide); });
  blames("index_put_", line_here(), [&] { y.index_put_({7}, 1.0); });
}

TEST(Blame, OfWhatBackwardWritesIsTheCallOfBackward) {
  if (!kProvenance) GTEST_SKIP() << "a stripped build knows no lines";
  const Tensor x = leaf({1, 2}), w = leaf({1, 1});
  (x * 2).sum().backward();
  const Tensor y = w * x.grad();  // saves .grad, to which the next run adds
  (x * 2).sum().backward();
  const Line line = line_here() - 1;
  expect_error<SavedTensorModified>(
      format_message("overwritten by accumulate at blame_test.cpp:{}", {line}),
      [&] { y.sum().backward(); });
}

}  // namespace
}  // namespace notape::testing
