// How gradients reach `.grad`: who owns the buffer, its layout, what is added where.
#include "autograd/graph/accumulate_grad.h"

#include "autograd/testing/expect.h"
#include "autograd/testing/sim_device.h"
#include "ops/ops.h"

namespace notape::testing {
namespace {

TEST(Accumulate, A14_GradientsAddUpInPlace) {
  const Tensor x = leaf({1, 2});
  (x * 3).sum().backward();
  const Tensor first = x.grad();
  const uint64_t version = first._version();
  (x * 3).sum().backward();
  EXPECT_TRUE(x.grad().is_same(first)) << "the same object";
  EXPECT_GT(first._version(), version);
  expect_values(first, {6, 6});
  x.mutable_grad().zero_();
  (x * 3).sum().backward();
  expect_values(x.grad(), {3, 3});
  x.mutable_grad() = Tensor();
  (x * 3).sum().backward();
  expect_values(x.grad(), {3, 3});
}

TEST(Accumulate, WithCreateGraphANewObject) {
  const Tensor x = leaf({1, 2});
  (x * x).sum().backward({}, true, true);
  const Tensor first = x.grad();
  EXPECT_TRUE(first.requires_grad());
  (x * x).sum().backward({}, true, true);
  EXPECT_FALSE(x.grad().is_same(first));
  expect_values(first, {2, 4});
  expect_values(x.grad(), {4, 8});
  x.mutable_grad() = Tensor();
}

TEST(Accumulate, CreateGraphIntoGradFrees) {
  const NothingLeaks guard;
  const Tensor x = leaf({1, 2});
  (x * x).sum().backward({}, true, true);
  EXPECT_TRUE(x.grad().grad_fn());
}

TEST(Accumulate, TwoLeavesNeverShareABuffer) {
  const Tensor x = leaf({1, 2}), y = leaf({3, 4});
  const Tensor seed = constant({1, 1});
  (x + y).backward(seed);
  EXPECT_FALSE(x.grad().is_alias_of(y.grad()));
  EXPECT_FALSE(x.grad().is_alias_of(seed));
  EXPECT_FALSE(y.grad().is_alias_of(seed));
  x.mutable_grad().fill_(9);
  expect_values(y.grad(), {1, 1});
  expect_values(seed, {1, 1});
}

TEST(Accumulate, SeedsAreNeverWritten) {
  const Tensor x = leaf({1, 2, 3, 4});
  double memory[4] = {1, 1, 1, 1};
  const Tensor seed = constant({1, 1, 1, 1});
  for (int i = 0; i < 2; ++i) {
    Tensor y = x * 1;
    as_strided(y, {2}, {1}, 1).mul_(3);
    const Tensor z = y + y;
    z.backward(seed);
    (x * 1).backward(from_blob(memory, {4}, dtype(kFloat64)));
    x.backward(seed);
  }
  expect_values(seed, {1, 1, 1, 1});
  EXPECT_EQ(seed._version(), 0u);
  for (double m : memory) EXPECT_EQ(m, 1);
  expect_values(x.grad(), {8, 16, 16, 8});
}

TEST(Accumulate, AnExclusiveBufferIsTakenOver) {
  const Tensor x = leaf({1, 2});
  const void* buffer = nullptr;
  x.register_hook([&](const Tensor& g) { buffer = g.impl().data(); });
  (x * 3).sum().backward();
  EXPECT_EQ(x.grad().impl().data(), buffer);
}

class CountClones final : public Observer {
 public:
  CountClones() : before_(set_observer(this)) {}
  ~CountClones() override { set_observer(before_); }
  void operator_begin(const char* name, uint64_t) noexcept override {
    count += std::string_view(name) == "clone";
  }
  void operator_end(const char*, uint64_t) noexcept override {}
  void node_begin(const Node&) noexcept override {}
  void node_end(const Node&) noexcept override {}

  int count = 0;

 private:
  Observer* before_;
};

/// Gives a transposed view of a buffer for gradient, and keeps the buffer if it is to.
struct Turning : autograd::Function<Turning> {
  static Tensor forward(autograd::AutogradContext*, const Tensor& x) { return x.clone(); }
  static variable_list backward(autograd::AutogradContext*, variable_list grads) {
    const Tensor buffer = empty({3, 2}, kFloat64).copy_(grads[0].t());
    if (keeps) kept = buffer;
    return {buffer.t()};
  }
  static inline bool keeps = false;
  static inline Tensor kept;
};

/// As linear's weight gets one, which is used transposed.
TEST(Accumulate, AViewOfAllOfABufferThatNobodyElseSeesIsTakenOver) {
  Tensor x = empty_strided({2, 3}, {1, 2}, kFloat64);
  x.fill_(1);
  x.requires_grad_();
  const Tensor factor = constant({{1, 2, 3}, {4, 5, 6}});
  for (const bool keeps : {false, true}) {
    Turning::keeps = keeps;
    x.mutable_grad().reset();
    {
      const Tensor y = (Turning::apply(x) * factor).sum();
      const CountClones clones;
      y.backward();
      EXPECT_EQ(clones.count, keeps ? 1 : 0);
    }
    EXPECT_FALSE(x.grad().is_view());
    EXPECT_EQ(x.grad().strides(), x.strides());
    expect_values(x.grad(), {1, 2, 3, 4, 5, 6});
    x.grad().mul_(2);
    (Turning::apply(x) * factor).sum().backward();
    expect_values(x.grad(), {3, 6, 9, 12, 15, 18});
  }
  expect_values(Turning::kept.t(), {1, 2, 3, 4, 5, 6});
  Turning::kept.reset();
}

TEST(Accumulate, LayoutFollowsADenseLeafElseRowMajor) {
  Tensor transposed = empty_strided({2, 3}, {1, 2}, kFloat64);
  transposed.fill_(1);
  transposed.requires_grad_();
  (transposed * 2).sum().backward();
  EXPECT_EQ(transposed.grad().strides(), IntArrayRef({1, 2}));
  const Tensor gaps = as_strided(zeros({12}, kFloat64), {2, 3}, {6, 2}).detach().requires_grad_();
  (gaps * 2).sum().backward();
  EXPECT_TRUE(gaps.grad().is_contiguous());
  const Tensor expanded = zeros({1}, kFloat64).expand({3}).detach().requires_grad_();
  (expanded * constant({1, 2, 3})).sum().backward();
  EXPECT_TRUE(expanded.grad().is_contiguous());
  expect_values(expanded.grad(), {1, 2, 3});
  const Tensor row_major = leaf({{1, 2}, {3, 4}});
  const Tensor seed = as_strided(constant({1, 2, 3, 4}), {2, 2}, {1, 2});
  row_major.backward(seed);
  EXPECT_TRUE(row_major.grad().is_contiguous());
  expect_values(row_major.grad(), {1, 3, 2, 4});
}

TEST(Accumulate, AnExistingGradientKeepsItsLayout) {
  const Tensor x = leaf({{1, 2}, {3, 4}});
  x.set_grad(as_strided(zeros({4}, kFloat64), {2, 2}, {1, 2}));
  (x * constant({{1, 2}, {3, 4}})).sum().backward();
  EXPECT_EQ(x.grad().strides(), IntArrayRef({1, 2}));
  expect_values(x.grad(), {1, 2, 3, 4});
}

TEST(Accumulate, AUsersGradientThatOverlapsItselfIsNotCorrupted) {
  const Tensor x = leaf({1, 2, 3});
  x.set_grad(zeros({1}, kFloat64).expand({3}));
  (x * constant({1, 2, 3})).sum().backward();
  expect_values(x.grad(), {1, 2, 3});
}

TEST(Accumulate, AGradientOfAnotherShapeOrTypePutThereByForceIsRefusedOnEveryRoad) {
  const NothingLeaks guard;
  const std::vector<std::pair<const char*, std::function<void(const Tensor&)>>> roads{
      {"of the whole", [](const Tensor& x) { (x * x).sum().backward(); }},
      {"of a region", [](const Tensor& x) { (x[0] * 1.5).backward(); }},
      {"of a window", [](const Tensor& x) { (x.slice(0, 1, 3) * 2).sum().backward(); }},
      {"recorded", [](const Tensor& x) { (x * x).sum().backward({}, true, true); }},
      {"asked for by name",
       [](const Tensor& x) { autograd::backward({(x * x).sum()}, {}, {}, false, {x}); }},
      {"all at once", [](const Tensor& x) {
         const AtomicBackwardGuard atomic;
         (x * x).sum().backward();
       }}};
  const std::vector<ScalarType> types{kFloat32, kFloat64, kLong, kInt, kByte, kBool};
  for (const ScalarType own : {kFloat64, kFloat32})
    for (const ScalarType other : types)
      for (const auto& [name, road] : roads) {
        if (other == own) continue;
        SCOPED_TRACE(std::string(name) + ": " + std::string(name_of(other)));
        const Tensor x = leaf({0.25, 0.4, 3}).detach().to(own).requires_grad_();
        const Tensor grad = ones({3}, dtype(other));
        x.mutable_grad() = grad;
        expect_error<GradAssignment>(
            format_message(
                "AccumulateGrad: a gradient of {} on cpu cannot be added to a .grad of {}",
                {name_of(own), name_of(other)}),
            [&] { road(x); });
        EXPECT_TRUE(x.grad().is_same(grad));
        EXPECT_EQ(grad._version(), 0u);
        expect_values(grad, {1, 1, 1});
        const Tensor interior = x * 1;
        interior.retain_grad();
        interior.mutable_grad() = grad;
        EXPECT_THROW((interior * interior).sum().backward(), GradAssignment);
        const Tensor named = x * 1;
        named.mutable_grad() = grad;
        EXPECT_THROW(autograd::backward({(named * named).sum()}, {}, {}, false, {named}),
                     GradAssignment);
        expect_values(grad, {1, 1, 1});
      }
  const Tensor x = leaf({1, 2, 3});
  x.mutable_grad() = zeros({2}, kFloat64);
  EXPECT_THROW((x * 2).sum().backward(), InvalidGradient);
}

TEST(Accumulate, AGradientIsNotAddedToAGradOnAnotherDevice) {
  const SimDevice sim;
  for (const bool is_number : {false, true}) {
    const Tensor x = (is_number ? leaf(1) : leaf({1, 2})), there = zeros_like(x, kSIM);
    expect_error<GradAssignment>(
        "attempting to assign a gradient of float64 on sim:0 to a tensor of float64 on cpu",
        [&] { x.set_grad(there); });
    x.mutable_grad() = there;
    expect_error<GradAssignment>(
        "a gradient of float64 on cpu cannot be added to a .grad of "
        "float64 on sim:0",
        [&] { (x * 2).sum().backward(); });
    EXPECT_TRUE(x.grad().is_same(there));
  }
}

TEST(Accumulate, UnderTheAtomicGuardALeafThatCannotTakeItsGradientLeavesAllAsTheyWere) {
  const AtomicBackwardGuard atomic;
  const Tensor x = leaf({1, 2}), y = leaf({3, 4});
  for (const Tensor& forced : {zeros({2}, dtype(kLong)), zeros({3}, kFloat64)})
    for (const auto& [good, bad] : {std::pair(x, y), std::pair(y, x)}) {
      good.mutable_grad() = ones({2}, kFloat64);
      bad.mutable_grad() = forced;
      EXPECT_THROW((x * y).sum().backward(), Error);
      expect_values(good.grad(), {1, 1});
    }
}

TEST(Accumulate, GradientsAreFittedToTheLeaf) {
  const Tensor row = leaf({1, 2}), column = tensor({{1.0}, {2.0}}, requires_grad());
  (row * column.to(kFloat64)).sum().backward();
  expect_values(row.grad(), {3, 3});
  EXPECT_EQ(column.grad().dtype(), kFloat32);
  EXPECT_EQ(column.grad().sizes(), IntArrayRef({2, 1}));
  expect_values(column.grad(), {3, 3});
}

TEST(Accumulate, ALeafWithoutHandlesReceivesNothingAndItsHooksStillRun) {
  const NothingLeaks guard;
  int calls = 0;
  Tensor y;
  const Tensor w = leaf({1, 2});
  {
    const Tensor x = leaf({3, 4});
    x.register_hook([&](const Tensor&) { ++calls; });
    y = (x * w).sum();
  }
  y.backward();
  EXPECT_EQ(calls, 1);
  expect_values(w.grad(), {3, 4});
}

TEST(Accumulate, ZeroElementGradientsAreDefined) {
  const Tensor x = zeros({2, 0}, dtype(kFloat64).requires_grad(true));
  (x * 2).sum().backward();
  ASSERT_TRUE(x.grad().defined());
  EXPECT_EQ(x.grad().sizes(), IntArrayRef({2, 0}));
}

}  // namespace
}  // namespace notape::testing
