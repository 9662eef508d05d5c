// Saved values: snapshots that copy nothing, are released as backward goes, and notice writes.
#include "autograd/graph/saved_variable.h"

#include <functional>

#include "autograd/testing/expect.h"
#include "ops/ops.h"

namespace notape::testing {
namespace {

int64_t saved_by(const std::function<Tensor()>& program) {
  const int64_t before = counters().saved_bytes;
  const Tensor result = program();
  return counters().saved_bytes - before;
}

TEST(Saved, OnlyWhatAWantedGradientNeeds) {
  const Tensor x = leaf({1, 2, 3}), c = constant({4, 5, 6}), y = leaf({7, 8, 9});
  EXPECT_EQ(saved_by([&] { return x + c; }), 0);
  EXPECT_EQ(saved_by([&] { return x * 2; }), 0) << "a number is not saved";
  EXPECT_EQ(saved_by([&] { return x * c; }), 24) << "the constant alone";
  EXPECT_EQ(saved_by([&] { return c * x; }), 24);
  EXPECT_EQ(saved_by([&] { return x * y; }), 48);
  EXPECT_EQ(saved_by([&] { return x.sum(); }), 0) << "linear: shapes only";
  EXPECT_EQ(saved_by([&] { return x.view({3, 1}); }), 0);
  EXPECT_EQ(saved_by([&] { return x.tanh(); }), 24) << "the result, not the input";
}

TEST(Saved, A35_RecordingTakesNoByteMoreThanComputing) {
  using Call = Tensor (*)(const Tensor& x, const Tensor& y);
  const std::pair<const char*, Call> calls[] = {
      {"mul", [](const Tensor& x, const Tensor& y) { return x * y; }},
      {"div", [](const Tensor& x, const Tensor& y) { return x / y; }},
      {"mul with itself", [](const Tensor& x, const Tensor&) { return x * x; }},
      {"mul with a view of itself", [](const Tensor& x, const Tensor&) { return x * x.t(); }},
      {"mm", [](const Tensor& x, const Tensor& y) { return x.mm(y); }},
      {"mm of a transposed one", [](const Tensor& x, const Tensor& y) { return x.t().mm(y); }},
      {"tanh", [](const Tensor& x, const Tensor&) { return x.tanh(); }},
      {"exp", [](const Tensor& x, const Tensor&) { return x.exp(); }},
      {"log", [](const Tensor& x, const Tensor&) { return x.log(); }},
      {"softmax", [](const Tensor& x, const Tensor&) { return softmax(x, 1); }},
      {"prod", [](const Tensor& x, const Tensor&) { return x.prod(); }},
      {"where", [](const Tensor& x, const Tensor& y) { return where(x.isnan(), x, y); }},
  };
  for (const auto& [name, call] : calls) {
    const auto bytes_of = [call = call](const Tensor& x, const Tensor& y) {
      const int64_t before = counters().live_bytes;
      const Tensor result = call(x, y);
      return counters().live_bytes - before - static_cast<int64_t>(result.nbytes());
    };
    const Tensor x = leaf({{1, 2}, {3, 4}}), y = leaf({{5, 6}, {7, 8}});
    const bool has_mask = std::string_view(name) == "where";  // which nobody else keeps
    EXPECT_EQ(bytes_of(x, y), has_mask ? 4 : 0) << name;
    EXPECT_EQ(bytes_of(x.detach(), y.detach()), 0) << name;
    EXPECT_EQ(x._version() + y._version(), 0u) << name;
  }
}

TEST(Saved, A35_SavingCopiesNothingAndIsNoWrite) {
  const Tensor x = leaf({1, 2, 3}), y = leaf({7, 8, 9});
  const Counters before = counters();
  const Tensor z = x * y;
  EXPECT_EQ(counters().live_bytes - before.live_bytes, 24) << "the result only";
  EXPECT_EQ(x._version(), 0u);
  EXPECT_EQ(counters().self_copies, before.self_copies);
}

TEST(Saved, A28_ReleasedAsBackwardGoes) {
  const Tensor x = leaf({1, 2});
  const int64_t before = counters().saved_bytes;
  std::vector<int64_t> held;
  Tensor y = x;
  for (int i = 0; i < 4; ++i) {
    y = y.tanh();
    y.register_hook([&](const Tensor&) { held.push_back(counters().saved_bytes - before); });
  }
  y.sum().backward();
  EXPECT_THAT(held, ElementsAre(64, 48, 32, 16));
  EXPECT_EQ(counters().saved_bytes, before);
}

TEST(Saved, RetainGraphKeepsThem) {
  const Tensor x = leaf({1, 2});
  const Tensor y = (x * x).sum();
  const int64_t held = counters().saved_bytes;
  y.backward({}, true);
  EXPECT_EQ(counters().saved_bytes, held);
  y.backward();
  EXPECT_LT(counters().saved_bytes, held);
  expect_values(x.grad(), {4, 8});
}

TEST(Saved, ASecondRunFailsExactlyWhereSomethingWasSaved) {
  const Tensor x = leaf({1, 2});
  const Tensor linear = (x + 1).sum(), product = (x * x).sum();
  linear.backward();
  linear.backward();
  expect_values(x.grad(), {2, 2});
  product.backward();
  const Unchanged before({x});
  expect_error<GraphFreed>("Trying to backward through the graph a second time",
                           [&] { product.backward(); });
  expect_error<GraphFreed>("Specify retain_graph=True", [&] { autograd::grad({product}, {x}); });
  expect_error<GraphFreed>(
      kProvenance ? "recorded by mul at saved_variable_test.cpp" : "recorded by mul. Specify",
      [&] { product.backward(); });
  before.check();
}

TEST(Saved, GraphFreedComesBeforeAnyNodeRuns) {
  const Tensor x = leaf({1, 2}), w = leaf({1, 1});
  const Tensor shared = x * x;
  shared.sum().backward();
  x.mutable_grad() = Tensor();
  int hooks = 0;
  const Tensor top = shared * w;
  top.register_hook([&](const Tensor&) { ++hooks; });
  EXPECT_THROW(top.sum().backward(), GraphFreed);
  EXPECT_EQ(hooks, 0);
  EXPECT_FALSE(w.grad().defined());
  EXPECT_FALSE(x.grad().defined());
  expect_values(autograd::grad({top.sum()}, {w})[0], {1, 4});  // that path was never released
}

TEST(Saved, A34_InvalidationFailsInBackwardNamingSaverAndWriter) {
  const Tensor x = leaf({1, 2});
  Tensor y = x.tanh();
  const int saved_at = __LINE__ - 1;
  y.add_(3);
  const int written_at = __LINE__ - 1;
  const Unchanged before({x, y});
  const auto named = [&](const char* what, int line) {
    if (!kProvenance) return what + std::string("\n");
    return std::string(what) + " at saved_variable_test.cpp:" + std::to_string(line);
  };
  for (int i = 0; i < 2; ++i) {  // the failed run leaves the graph as it was
    try {
      y.sum().backward();
      FAIL() << "the overwritten result of tanh was used";
    } catch (const SavedTensorModified& error) {
      const std::string text = error.what() + std::string("\n");
      EXPECT_THAT(text, HasSubstr("one of the variables needed for gradient computation has been "
                                  "modified by an inplace operation: [CPUDoubleType [2]], which is "
                                  "output 0 of TanhBackward0, is at version 1; expected version 0 "
                                  "instead."));
      EXPECT_THAT(text, HasSubstr(named("saved as 'result' by tanh (TanhBackward0)", saved_at)));
      EXPECT_THAT(text, HasSubstr(named("overwritten by add_", written_at)));
      EXPECT_THAT(error.to_json(), HasSubstr("\"operator\": \"add_\""));
      EXPECT_EQ(error.to_json().find("\"line\": " + std::to_string(saved_at)) != std::string::npos,
                kProvenance);
      EXPECT_EQ(std::string(error.what_without_backtrace()).find('\n'), std::string::npos);
    }
  }
  before.check();
  EXPECT_FALSE(x.grad().defined());
}

TEST(Saved, OnlySavedValuesAreProtected) {
  const Tensor x = leaf({1, 2});
  Tensor y = x * 1, z = x * y;
  const Tensor q = z + y, w = z * y;
  z.add_(2);
  q.sum().backward({}, true);
  expect_values(x.grad(), {3, 5});
  EXPECT_THROW(w.sum().backward(), SavedTensorModified);
}

TEST(Saved, NoGradWritesToALeafInvalidateTooButLeaveItALeaf) {
  Tensor x = leaf({1, 2});
  const Tensor y = (x * x).sum();
  {
    const NoGradGuard no_grad;
    x.add_(1);
  }
  EXPECT_EQ(x._version(), 1u);
  EXPECT_TRUE(x.is_leaf());
  EXPECT_TRUE(x.requires_grad());
  expect_error<SavedTensorModified>("is at version 1; expected version 0", [&] { y.backward(); });
  (x * x).sum().backward();
  expect_values(x.grad(), {4, 6});
}

TEST(Saved, WritesThroughEveryAliasInvalidate) {
  const std::vector<std::function<void(Tensor&)>> writers = {
      [](Tensor& c) { c.add_(1); },
      [](Tensor& c) {
        c.view({2, 1}).fill_(0);
      },
      [](Tensor& c) { c.detach().mul_(2); },
      [](Tensor& c) { c.data().mul_(2); },
      [](Tensor& c) { make_variable(c).zero_(); },
      [](Tensor& c) { as_strided(c, {1}, {1}, 1).zero_(); },
  };
  for (std::size_t i = 0; i < writers.size(); ++i) {
    SCOPED_TRACE(i);
    const Tensor x = leaf({1, 2});
    Tensor c = constant({3, 4});
    const Tensor y = (x * c).sum();
    writers[i](c);
    EXPECT_THROW(y.backward(), SavedTensorModified);
    EXPECT_FALSE(x.grad().defined());
  }
}

TEST(Saved, WritesBesideTheSavedRegionAreAccepted) {
  const Tensor x = leaf({1, 2});
  Tensor c = constant({3, 4, 5, 6});
  const Tensor y = (x * as_strided(c, {2}, {2}, 0)).sum();  // saves elements 0 and 2
  Tensor between = as_strided(c, {2}, {2}, 1);
  between.fill_(100);
  y.backward({}, true);
  expect_values(x.grad(), {3, 5});
  as_strided(c, {2}, {1}, 2).add_(1);
  EXPECT_THROW(y.backward(), SavedTensorModified);
}

TEST(Saved, SnapshotsSurviveMetadataChanges) {
  const Tensor x = leaf({1, 2});
  Tensor y = x * 3;
  const Tensor z = (y * y).sum();
  y.detach_();
  y.set_data(constant({100, 100, 100}));
  z.backward();
  expect_values(x.grad(), {18, 36});
}

TEST(Saved, A30_AnOutputSavedByItsOwnNodeIsNoCycle) {
  using Call = Tensor (*)(const Tensor& x);
  const std::pair<const char*, Call> calls[] = {
      {"tanh", [](const Tensor& x) { return x.tanh(); }},
      {"exp", [](const Tensor& x) { return x.exp(); }},
      {"sigmoid", [](const Tensor& x) { return x.sigmoid(); }},
      {"sqrt", [](const Tensor& x) { return x.sqrt(); }},
      {"rsqrt", [](const Tensor& x) { return x.rsqrt(); }},
      {"reciprocal", [](const Tensor& x) { return x.reciprocal(); }},
      {"tan", [](const Tensor& x) { return x.tan(); }},
      {"softmax", [](const Tensor& x) { return softmax(x, 0); }},
      {"log_softmax", [](const Tensor& x) { return log_softmax(x, 0); }},
  };
  for (const auto& [name, call] : calls) {
    const ::testing::ScopedTrace trace(__FILE__, __LINE__, name);
    const NothingLeaks guard;
    const Tensor x = leaf({0.5, 1.25}), weight = constant({1, -2});
    {
      const Tensor y = call(x);
      EXPECT_EQ(y.impl().storage()->readers(), 1u);
    }
    const auto slope = [&, call = call](const Tensor& at) {
      return autograd::grad({(call(at) * weight).sum()}, {at}, {}, true, true)[0];
    };
    // The unpacked output has its place in the graph again: its slope has a slope.
    const Tensor second = autograd::grad({slope(x).sum()}, {x})[0];
    constexpr double kStep = 1e-6;
    for (std::size_t i = 0; i < 2; ++i) {
      const auto slope_at = [&](double step) {
        std::vector<double> at = values(x);
        at[i] += step;
        return slope(leaf({at[0], at[1]})).sum().item();
      };
      EXPECT_NEAR(values(second)[i], (slope_at(kStep) - slope_at(-kStep)) / (2 * kStep), 1e-8);
    }
  }
}

TEST(Saved, OverwrittenValuesThatNoWantedGradientReadsDoNotMatter) {
  const Tensor x = leaf({2, 3}), start = leaf({5, 7});
  Tensor y = start * 1;
  const Tensor z = x * y;  // y is saved for x's gradient, x for y's
  y.add_(1);
  expect_values(autograd::grad({z.sum()}, {start}, {}, true)[0], {2, 3});
  EXPECT_THROW(autograd::grad({z.sum()}, {x}), SavedTensorModified);
}

TEST(Saved, ManyStridedWritesAreTakenForAllTheySpan) {
  const Tensor x = leaf({1.0});
  Tensor table = zeros({12}, kFloat64);
  const auto read = [&](int64_t cell) { return (x * as_strided(table, {1}, {1}, cell)).sum(); };
  const Tensor untouched = read(11), overwritten = read(3), between = read(1);
  const int64_t overflows = counters().log_overflows;
  Tensor first = as_strided(table, {2}, {2}, 0), second = as_strided(table, {2}, {2}, 3);
  for (int i = 0; i < 3000; ++i) first.add_(1);
  second.add_(1);
  for (int i = 0; i < 6000; ++i) first.add_(1);
  EXPECT_GT(counters().log_overflows, overflows);
  for (const Tensor& y : {overwritten, between}) {
    try {
      y.backward();
      ADD_FAILURE() << "the write must not be forgotten";
    } catch (const SavedTensorModified& error) {
      EXPECT_THAT(error.to_json(), HasSubstr("\"conservative\": true"));
    }
  }
  untouched.backward();  // outside the bounding interval of all writes
  expect_values(x.grad(), {0});
}

TEST(Saved, AnyNumberOfSolidWritesIsToldApart) {
  const Tensor x = leaf({1.0});
  Tensor table = zeros({12}, kFloat64);
  const auto read = [&](int64_t cell) { return (x * as_strided(table, {1}, {1}, cell)).sum(); };
  const Tensor untouched = read(1), overwritten = read(3),
               strided = (x * as_strided(table, {3}, {5}, 1)).sum();
  const int64_t overflows = counters().log_overflows;
  Tensor first = as_strided(table, {1}, {1}, 0), second = as_strided(table, {2}, {1}, 2);
  Tensor third = as_strided(table, {4}, {1}, 2);
  for (int i = 0; i < 50; ++i) third.add_(1);
  for (int i = 0; i < 50; ++i) second.add_(1);
  for (int i = 0; i < 10000; ++i) first.add_(1);
  EXPECT_EQ(counters().log_overflows, overflows);
  untouched.backward();
  strided.backward();  // cells 1, 6, 11
  try {
    overwritten.backward();
    ADD_FAILURE() << "cell 3 was written";
  } catch (const SavedTensorModified& error) {
    EXPECT_THAT(error.to_json(), HasSubstr("\"conservative\": false"));
    EXPECT_THAT(error.to_json(), HasSubstr("\"bytes\": [16, 32]"));
  }
}

TEST(Saved, A39_ATableFilledFromEarlierCellsIsAccepted) {
  constexpr int64_t kCells = 20000;
  const Tensor x = leaf({1.0});
  Tensor table = zeros({kCells}, kFloat64);
  as_strided(table, {1}, {1}, 0).copy_(x);
  for (int64_t i = 1; i < kCells; ++i) {
    const Tensor before = as_strided(table, {1}, {1}, i - 1);
    as_strided(table, {1}, {1}, i).copy_(before * before);
  }
  as_strided(table, {1}, {1}, 12).backward(constant({1}));
  expect_values(x.grad(), {4096});
}

TEST(Saved, WriteLogOverflowKeepsHistoriesRight) {
  const Tensor x = leaf({1, 2, 3});
  Tensor y = x * 1;
  const Tensor stale = y.view({3, 1}), first = as_strided(y, {1}, {1}, 0);
  Tensor last = as_strided(y, {1}, {1}, 2);
  last.mul_(10);
  for (int i = 0; i < 5000; ++i) last.add_(1);
  stale.sum().backward({}, true);
  expect_values(x.grad(), {1, 1, 10});
  first.sum().backward();
  expect_values(x.grad(), {2, 1, 10});
}

TEST(Saved, UndefinedValuesAndEmptyTensorsCanBeSaved) {
  const Tensor x = zeros({0, 3}, dtype(kFloat64).requires_grad(true));
  (x * x).sum().backward();
  EXPECT_EQ(x.grad().sizes(), IntArrayRef({0, 3}));
}

}  // namespace
}  // namespace notape::testing
