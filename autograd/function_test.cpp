// User functions: arguments, outputs, what the context keeps, and what breaks the contract.
#include "autograd/function.h"

#include "autograd/testing/expect.h"
#include "ops/ops.h"

namespace notape::testing {
namespace {

using autograd::AutogradContext;
using autograd::Function;
using autograd::grad;

struct Cube : Function<Cube> {
  static Tensor forward(AutogradContext* ctx, const Tensor& x) {
    EXPECT_FALSE(GradMode::is_enabled());
    ctx->save_for_backward({x});
    return x * x * x;
  }
  static variable_list backward(AutogradContext* ctx, variable_list g) {
    return {g[0] * ctx->get_saved_variables()[0].square() * 3};
  }
};

template <typename, typename>
struct OfTypes : Function<OfTypes<std::string, int>> {
  static Tensor forward(AutogradContext*, const Tensor& x) { return x.clone(); }
  static variable_list backward(AutogradContext*, variable_list grads) { return grads; }
};

TEST(Function, IsCalledByItsNameWithItsTemplateArguments) {
  const Tensor y = OfTypes<std::string, int>::apply(ones({1}, requires_grad()));
  EXPECT_THAT(std::string(y.grad_fn()->name()), ::testing::StartsWith("OfTypes<std::"));
}

TEST(Function, ComputesRecordsAndDifferentiates) {
  const Tensor x = leaf({1, 2}), first_use = x * 1;  // makes the accumulator
  const int64_t before = counters().nodes_created;
  const Tensor y = Cube::apply(x);
  EXPECT_EQ(counters().nodes_created - before, 1);
  EXPECT_EQ(y.grad_fn()->name(), "Cube");
  y.sum().backward();
  expect_values(x.grad(), {3, 12});
}

TEST(Function, RecordsNothingWhereNoGradientIsRequired) {
  const int64_t before = counters().nodes_created;
  EXPECT_FALSE(Cube::apply(constant({1, 2})).requires_grad());
  const Tensor v = make_variable(constant({1, 2}), false, true);
  EXPECT_TRUE(Cube::apply(v).is_volatile());
  const NoGradGuard no_grad;
  EXPECT_FALSE(Cube::apply(leaf({1, 2})).requires_grad());
  EXPECT_EQ(counters().nodes_created, before);
}

TEST(Function, HigherOrdersThroughSavedInputs) {
  const Tensor x = leaf({2});
  const Tensor g = grad({Cube::apply(x)}, {x}, {}, {}, true)[0];
  const Tensor h = grad({g}, {x}, {}, {}, true)[0];
  expect_values(h, {12});
  expect_values(grad({h}, {x})[0], {6});
}

struct Exponential : Function<Exponential> {  // saves its own output
  static Tensor forward(AutogradContext* ctx, const Tensor& x) {
    Tensor y = x * 0 + 7;  // as good a function with y' = y as any, for the test
    ctx->save_for_backward({y});
    return y;
  }
  static variable_list backward(AutogradContext* ctx, variable_list g) {
    const Tensor y = ctx->get_saved_variables()[0];
    has_history = static_cast<bool>(y.grad_fn());
    return {g[0] * y};
  }
  static inline bool has_history = false;
};

TEST(Function, ASavedOutputIsNoCycleAndKeepsItsPlaceInTheGraph) {
  const NothingLeaks guard;
  const Tensor x = leaf({1, 2});
  { const Tensor dropped = Exponential::apply(x); }
  const Tensor y = Exponential::apply(x);
  const Tensor g = grad({y.sum()}, {x}, {}, {}, true)[0];
  EXPECT_TRUE(Exponential::has_history);
  expect_values(g, {7, 7});
  expect_values(grad({g.sum()}, {x})[0], {7, 7});
}

struct Intermediate : Function<Intermediate> {
  static Tensor forward(AutogradContext* ctx, const Tensor& x) {
    const Tensor middle = x + 10;
    ctx->save_for_backward({middle, Tensor()});
    return middle * middle;
  }
  static variable_list backward(AutogradContext* ctx, variable_list g) {
    const variable_list saved = ctx->get_saved_variables();
    EXPECT_EQ(saved.size(), 2u);
    EXPECT_FALSE(saved[1].defined());
    return {g[0] * saved[0] * 2};
  }
};

TEST(Function, IntermediatesAndUndefinedTensorsCanBeSaved) {
  const NothingLeaks guard;
  const Tensor x = leaf({1, 2});
  Intermediate::apply(x).sum().backward();
  expect_values(x.grad(), {22, 24});
}

TEST(Function, SavedValuesAreReleasedAndThenRefused) {
  const Tensor x = leaf({1, 2});
  const int64_t before = counters().saved_bytes;
  const Tensor y = Cube::apply(x).sum();
  EXPECT_EQ(counters().saved_bytes - before, 16);
  y.backward();
  EXPECT_EQ(counters().saved_bytes, before);
  expect_error<GraphFreed>("of Cube, recorded by Cube", [&] { y.backward(); });
}

TEST(Function, SavedValuesAreCheckedWhenRead) {
  Tensor x = leaf({1, 2});
  const Tensor y = Cube::apply(x).sum();
  {
    const NoGradGuard no_grad;
    x.add_(1);
  }
  expect_error<SavedTensorModified>("by Cube (Cube)", [&] { y.backward(); });
}

struct Mixed : Function<Mixed> {  // all kinds of arguments
  static Tensor forward(AutogradContext* ctx, double factor, const Tensor& x,
                        const variable_list& list, const std::optional<Tensor>& maybe,
                        const std::string& name, const Tensor& y) {
    ctx->saved_data["factor"] = factor;
    ctx->saved_data["name"] = name;
    ctx->saved_data["terms"] = list.size();
    for (std::size_t i = 0; i < 3 + list.size(); ++i) wanted.push_back(ctx->needs_input_grad(i));
    EXPECT_THROW(ctx->needs_input_grad(3 + list.size()), IndexError);
    const std::size_t arguments = 3 + list.size();
    for (std::size_t begin = 0; begin < arguments; ++begin)
      for (std::size_t end = begin; end <= arguments; ++end) {
        bool any = false;
        for (std::size_t i = begin; i < end; ++i) any |= ctx->needs_input_grad(i);
        EXPECT_EQ(ctx->needs_input_grad({{begin, end}}), any);
        EXPECT_EQ(ctx->needs_input_grad({{begin, end}, {0, 1}}), any || ctx->needs_input_grad(0));
      }
    EXPECT_THROW(ctx->needs_input_grad({{0, 4 + list.size()}}), IndexError);
    Tensor sum = x * factor + y;
    for (const Tensor& t : list) sum = sum + t;
    return maybe ? sum + *maybe : sum;
  }
  static variable_list backward(AutogradContext* ctx, variable_list g) {
    EXPECT_EQ(std::any_cast<std::string>(ctx->saved_data["name"]), "mixed");
    variable_list result = {Tensor(), g[0] * std::any_cast<double>(ctx->saved_data["factor"])};
    for (std::size_t i = 0; i < std::any_cast<std::size_t>(ctx->saved_data["terms"]); ++i)
      result.push_back(g[0] * (2.0 + static_cast<double>(i)));
    result.push_back(g[0] * 10);  // maybe
    result.push_back(Tensor());   // name
    result.push_back(g[0] * 20);
    result.push_back(Tensor());  // one too many, but undefined
    return result;
  }
  static inline std::vector<bool> wanted;
};

TEST(Function, TakesTensorsListsOptionalsAndAnythingElse) {
  Mixed::wanted.clear();
  const Tensor x = leaf({1, 2}), a = leaf({1, 1}), b = leaf({1, 1}), m = leaf({1, 1});
  const Tensor y = constant({5, 5});
  const Tensor z =
      Mixed::apply(3.0, x, variable_list{a, b}, std::optional<Tensor>(m), std::string("mixed"), y);
  expect_values(z, {11, 14});
  z.sum().backward();
  expect_values(x.grad(), {3, 3});
  expect_values(a.grad(), {2, 2});
  expect_values(b.grad(), {3, 3});
  expect_values(m.grad(), {10, 10});
  EXPECT_FALSE(y.grad().defined());
  EXPECT_THAT(Mixed::wanted, ElementsAre(true, true, true, true, false));
  Mixed::apply(3.0, x, variable_list{}, std::optional<Tensor>(), std::string("mixed"), y)
      .sum()
      .backward();
  expect_values(x.grad(), {6, 6});
}

struct Twins : Function<Twins> {
  static variable_list forward(AutogradContext* ctx, const Tensor& a, const Tensor& b) {
    ctx->set_materialize_grads(materialize);
    return {a * 2, a + b, (a * 0).to(kInt64), Tensor()};
  }
  static variable_list backward(AutogradContext* ctx, variable_list g) {
    EXPECT_EQ(g.size(), 4u);
    seen.clear();
    for (const Tensor& one : g) seen.push_back(one.defined());
    wanted = {ctx->needs_input_grad(0), ctx->needs_input_grad(1)};
    Tensor to_a = g[0].defined() ? g[0] * 2 : Tensor();
    if (g[1].defined()) to_a = to_a.defined() ? to_a + g[1] : g[1];
    return {to_a, g[1]};
  }
  static inline bool materialize = true;
  static inline std::vector<bool> seen, wanted;
};

TEST(Function, SeveralOutputsAndUndefinedGradients) {
  const NothingLeaks guard;
  const Tensor a = leaf({1, 2}), b = leaf({3, 4});
  Twins::materialize = true;
  variable_list out = Twins::apply(a, b);
  EXPECT_FALSE(out[2].requires_grad()) << "integers are not differentiable";
  EXPECT_FALSE(out[3].defined());
  EXPECT_EQ(out[1].output_nr(), 1u);
  out[0].sum().backward();
  EXPECT_THAT(Twins::seen, ElementsAre(true, true, true, false)) << "zeros, but none for no output";
  expect_values(a.grad(), {2, 2});
  expect_values(b.grad(), {0, 0});
  b.mutable_grad() = Tensor();
  Twins::materialize = false;
  out = Twins::apply(a, b);
  out[0].sum().backward({}, true);
  EXPECT_THAT(Twins::seen, ElementsAre(true, false, false, false));
  EXPECT_FALSE(b.grad().defined());
  grad({out[1].sum()}, {b});
  EXPECT_THAT(Twins::wanted, ElementsAre(false, true)) << "what the current run wants";
}

struct OneOfTwo : Function<OneOfTwo> {
  static variable_list forward(AutogradContext* ctx, const Tensor& x) {
    const Tensor mask = x * 0, y = x * 3;
    ctx->mark_non_differentiable({mask, Tensor()});
    return {mask, y};
  }
  static variable_list backward(AutogradContext*, variable_list g) {
    EXPECT_THAT(values(g[0]), ElementsAre(0, 0));
    return {g[1] * 3};
  }
};

TEST(Function, NonDifferentiableOutputs) {
  const Tensor x = leaf({1, 2});
  const variable_list out = OneOfTwo::apply(x);
  EXPECT_FALSE(out[0].requires_grad());
  EXPECT_TRUE(out[1].requires_grad());
  out[1].sum().backward();
  expect_values(x.grad(), {3, 3});
}

struct FreezeInput : Function<FreezeInput> {
  static Tensor forward(AutogradContext* ctx, const Tensor& x) {
    ctx->mark_non_differentiable({x});
    return x;
  }
  static variable_list backward(AutogradContext*, variable_list) { return {Tensor()}; }
};

TEST(Function, AnInputReturnedAsNonDifferentiableDoesNotRequireGrad) {
  const Tensor x = leaf({1, 2});
  const Tensor y = FreezeInput::apply(x);
  EXPECT_FALSE(y.requires_grad());
  EXPECT_TRUE(x.requires_grad());
  EXPECT_TRUE(y.is_alias_of(x));
}

struct PassFirstOn : Function<PassFirstOn> {
  static Tensor forward(AutogradContext*, const Tensor& x, const Tensor&) { return x; }
  static variable_list backward(AutogradContext*, variable_list g) { return {g[0] * 10, Tensor()}; }
};

TEST(Function, AnInputReturnedAsItIsComesBackAsANewView) {
  const NothingLeaks guard;
  const Tensor x = leaf({1, 2}), c = constant({1});
  Tensor y = PassFirstOn::apply(x, c);
  EXPECT_FALSE(y.is_same(x));
  EXPECT_TRUE(y.is_alias_of(x));
  EXPECT_EQ(y.grad_fn()->name(), "PassFirstOn");
  y.sum().backward();
  expect_values(x.grad(), {10, 10});
  Tensor interior = x * 1, through = PassFirstOn::apply(interior, c);
  const Unchanged before({interior, through});
  expect_error<FunctionViewWrite>(
      "is a view and is being modified inplace. This view was created inside a custom Function",
      [&] { through.add_(1); });
  Tensor deeper = through.view({2, 1});
  expect_error<FunctionViewWrite>("custom Function", [&] { deeper.add_(1); });
  before.check();
  interior.add_(1);
  expect_error<FunctionViewWrite>("its base or another view of its base has been modified inplace",
                                  [&] { through.grad_fn(); });
}

struct ReturnsOneOutputTwice : Function<ReturnsOneOutputTwice> {
  static variable_list forward(AutogradContext*, const Tensor& x) {
    const Tensor y = x * 3;
    return {y, y};
  }
  static variable_list backward(AutogradContext*, variable_list g) { return {(g[0] + g[1]) * 3}; }
};

TEST(Function, MayReturnTheSameFreshOutputTwice) {
  const NothingLeaks guard;
  const Tensor x = leaf({1, 2});
  const variable_list y = ReturnsOneOutputTwice::apply(x);
  (y[0] * 1).sum().backward({}, true);
  expect_values(x.grad(), {3, 3});
  x.mutable_grad().reset();
  (y[0] + y[1] * 10).sum().backward();
  expect_values(x.grad(), {33, 33});
}

TEST(Function, AVolatileArgumentDoesNotMarkTheInputItself) {
  const Tensor x = constant({1, 2}), v = make_variable(constant({1}), false, true);
  EXPECT_TRUE(PassFirstOn::apply(x, v).is_volatile());
  EXPECT_FALSE(x.is_volatile());
}

struct Many : Function<Many> {
  static Tensor forward(AutogradContext*, const variable_list& list) { return list[0] * 1; }
  static variable_list backward(AutogradContext*, variable_list g) {
    return variable_list(1000, g[0]);
  }
};

TEST(Function, ManyArguments) {
  const Tensor x = leaf({1});
  Many::apply(variable_list(1000, x)).backward();
  expect_values(x.grad(), {1000});
  // More than a node can count must not be cut off silently.
  expect_error<ValueError>("at most 65535 tensors", [&] { Many::apply(variable_list(70000, x)); });
}

template <int N>
struct WrongCount : Function<WrongCount<N>> {
  static Tensor forward(AutogradContext*, const Tensor& x, double) { return x * 1; }
  static variable_list backward(AutogradContext*, variable_list g) {
    return variable_list(static_cast<std::size_t>(N), g[0]);
  }
};

struct WrongShape : Function<WrongShape> {
  static Tensor forward(AutogradContext*, const Tensor& x) { return x * 1; }
  static variable_list backward(AutogradContext*, variable_list) { return {constant({1, 2, 3})}; }
};

struct Broadcast : Function<Broadcast> {
  static Tensor forward(AutogradContext*, const Tensor& x) { return x * 1; }
  static variable_list backward(AutogradContext*, variable_list) { return {ones({4, 2})}; }
};

struct SingleOnes : Function<SingleOnes> {
  static Tensor forward(AutogradContext*, const Tensor& x) { return x * 1; }
  static variable_list backward(AutogradContext*, variable_list) { return {ones({2})}; }
};

TEST(Function, WrongGradientsAreErrorsThatNameTheFunction) {
  const Tensor x = leaf({1, 2});
  expect_error<FunctionError>("returned an incorrect number of gradients (expected 2, got 1)",
                              [&] { WrongCount<1>::apply(x, 0.5).sum().backward(); });
  expect_error<FunctionError>("function WrongCount",
                              [&] { WrongCount<3>::apply(x, 0.5).sum().backward(); });
  expect_error<FunctionError>(
      "at position 1, but the corresponding forward input was not a Variable",
      [&] { WrongCount<2>::apply(x, 0.5).sum().backward(); });
  expect_error<InvalidGradient>(
      "Function WrongShape returned an invalid gradient at index 0 - got [3] but expected shape "
      "compatible with [2]",
      [&] { WrongShape::apply(x).sum().backward(); });
  EXPECT_FALSE(x.grad().defined());
  expect_error<InvalidGradient>(  // LibTorch: summed
      "Function Broadcast returned an invalid gradient at index 0 - got [4, 2] but expected shape "
      "compatible with [2]",
      [&] { Broadcast::apply(x).sum().backward(); });
  EXPECT_FALSE(x.grad().defined());
  SingleOnes::apply(x).sum().backward();  // float32: converted
  expect_values(x.grad(), {1, 1});
  EXPECT_EQ(x.grad().dtype(), kFloat64);
}

}  // namespace
}  // namespace notape::testing
