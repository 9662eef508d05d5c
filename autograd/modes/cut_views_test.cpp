// Views made in no-grad or inference mode, and inference tensors outside: what PyTorch 2.15 does in
// each case was tried, and is done here, too, unless a comment says otherwise.
#include "autograd/function.h"
#include "autograd/modes/inference_mode.h"
#include "autograd/testing/expect.h"
#include "ops/ops.h"

namespace notape::testing {
namespace {

enum class Base { Leaf, Interior };
enum class Mode { NoGrad, Inference };
enum class By { Operator, UserFunction };

struct AsColumn : autograd::Function<AsColumn> {
  static Tensor forward(autograd::AutogradContext*, const Tensor& x) { return x.view({3, 1}); }
  static variable_list backward(autograd::AutogradContext*, variable_list g) {
    return {g[0].view({3})};
  }
};

/// A tensor that requires grad, and a view of it that no graph knows of.
struct CutView {
  Tensor x = leaf({1, 2, 3}), base, view;
  CutView(Base kind, Mode mode, By by) : base(kind == Base::Leaf ? x : x * 1) {
    const auto make = [&] {
      return by == By::Operator ? base.view({3, 1}) : AsColumn::apply(base);
    };
    if (mode == Mode::NoGrad) {
      const NoGradGuard no_grad;
      view = make();
    } else {
      const InferenceMode inference;
      view = make();
    }
  }
};

class CutViews : public ::testing::TestWithParam<std::tuple<Base, Mode, By>> {
 protected:
  CutView make() const { return std::make_from_tuple<CutView>(GetParam()); }
};

struct Use {
  const char* name;
  std::function<Tensor(const Tensor& view)> make;
};

struct PassOn : autograd::Function<PassOn> {
  static Tensor forward(autograd::AutogradContext*, const Tensor& x) { return x * 2; }
  static variable_list backward(autograd::AutogradContext*, variable_list g) { return {g[0] * 2}; }
};

TEST_P(CutViews, RequireGradAndSoDoesWhatIsMadeOfThemButNoGradientComesThrough) {
  const std::vector<Use> uses = {
      {"number", [](const Tensor& v) { return v * 2; }},
      {"square", [](const Tensor& v) { return v * v; }},
      {"negation", [](const Tensor& v) { return -v; }},
      {"another view", [](const Tensor& v) { return v.view({3}); }},
      {"element", [](const Tensor& v) { return v[0]; }},
      {"cat",
       [](const Tensor& v) {
         return cat({v, ones({1, 1}, kFloat64)});
       }},
      {"stack",
       [](const Tensor& v) {
         return stack({v, v});
       }},
      {"split", [](const Tensor& v) { return v.split(1)[1]; }},
      {"unbind", [](const Tensor& v) { return v.unbind()[1]; }},
      {"index",
       [](const Tensor& v) {
         return v.index({tensor({0, 1})});
       }},
      {"sum", [](const Tensor& v) { return v.sum(); }},
      {"mm",
       [](const Tensor& v) {
         return mm(v, ones({1, 2}, kFloat64));
       }},
      {"where", [](const Tensor& v) { return where(v > 1, v, 0); }},
      {"written into another",
       [](const Tensor& v) {
         Tensor target = ones({3, 1}, kFloat64);
         return target.mul_(v);
       }},
      {"written into a part",
       [](const Tensor& v) {
         Tensor target = ones({2, 3, 1}, kFloat64);
         target[0] = v;
         return target;
       }},
      {"user function", [](const Tensor& v) { return PassOn::apply(v); }},
  };
  for (const auto& [name, use] : uses) {
    SCOPED_TRACE(name);
    const CutView one = make();
    EXPECT_TRUE(one.view.requires_grad());
    EXPECT_TRUE(one.view.is_leaf());
    const Tensor y = use(one.view);
    EXPECT_TRUE(y.requires_grad());
    EXPECT_TRUE(y.grad_fn());
    y.sum().backward();
    EXPECT_FALSE(one.x.grad().defined());
    EXPECT_FALSE(one.view.grad().defined());
    (y.sum() + one.x.sum()).backward({}, true);  // it is a constant
    expect_values(one.x.grad(), {1, 1, 1});
    expect_error<UnusedInput>("appears to not have been used in the graph",
                              [&] { autograd::grad({use(one.view).sum()}, {one.x}); });
  }
}

TEST_P(CutViews, MayNotBeWrittenNorLookedAtOnceTheirBaseWas) {
  {
    const CutView one = make();
    Tensor view = one.view, deeper = view.view({3});
    const Unchanged before({one.x, one.base});
    for (Tensor* target : {&view, &deeper})
      expect_error<AmbiguousViewWrite>("is being modified inplace with grad mode enabled",
                                       [&] { target->add_(1); });
    before.check();
    const NoGradGuard no_grad;
    view.add_(1);
    expect_values(one.base, {2, 3, 4});
  }
  const CutView one = make();
  Tensor base = one.base;
  if (std::get<0>(GetParam()) == Base::Leaf) {
    expect_error<LeafInPlace>("a leaf Variable that requires grad", [&] { base.add_(1); });
    return;
  }
  base.add_(1);
  for (const auto& look : std::vector<std::function<void()>>{
           [&] { one.view.requires_grad(); }, [&] { one.view.grad_fn(); }, [&] { one.view * 2; }})
    expect_error<AmbiguousViewWrite>("its base or another view of its base has been modified",
                                     look);
}

// PyTorch refuses to look at the view after its base was written without grad mode; here such a
// write changes no history, so nothing is ambiguous.
TEST_P(CutViews, MayBeLookedAtAfterTheirBaseWasWrittenWithoutGradMode) {
  const CutView one = make();
  Tensor base = one.base;
  {
    const NoGradGuard no_grad;
    base.add_(1);
  }
  EXPECT_TRUE(one.view.requires_grad());
  expect_values(one.view * 2, {4, 6, 8});
}

TEST_P(CutViews, BecomeLeavesWhenAskedTo) {
  const CutView one = make();
  one.view.requires_grad_(false);
  EXPECT_TRUE(one.view.requires_grad());
  one.view.requires_grad_();
  (one.view * 2).sum().backward();
  expect_values(one.view.grad(), {2, 2, 2});
  EXPECT_FALSE(one.x.grad().defined());
}

// PyTorch takes a hook of such a view, and never calls it.
TEST_P(CutViews, TakeNoHooksBecauseNoneWouldBeCalled) {
  const CutView one = make();
  expect_error<HookError>("cannot register a hook on a variable that doesn't require gradient",
                          [&] { one.view.register_hook([](const Tensor&) {}); });
  expect_error<InputNotDifferentiable>("does not require grad",
                                       [&] { autograd::grad({(one.view * 2).sum()}, {one.view}); });
}

INSTANTIATE_TEST_SUITE_P(Of, CutViews,
                         ::testing::Combine(::testing::Values(Base::Leaf, Base::Interior),
                                            ::testing::Values(Mode::NoGrad, Mode::Inference),
                                            ::testing::Values(By::Operator, By::UserFunction)));

struct SameAgain : autograd::Function<SameAgain> {
  static Tensor forward(autograd::AutogradContext*, const Tensor& x) { return x; }
  static variable_list backward(autograd::AutogradContext*, variable_list g) { return {g[0]}; }
};

TEST(UserFunctions, WithoutAGraphReturnTheirInputDetached) {
  const Tensor x = leaf({1, 2, 3}), interior = x * 1;
  const NoGradGuard no_grad;
  const Tensor view = x.view({3});
  for (const Tensor& input : {x, interior, view}) {
    Tensor same = SameAgain::apply(input);
    EXPECT_FALSE(same.is_same(input));
    EXPECT_FALSE(same.requires_grad());
    EXPECT_FALSE(same.is_view());
    EXPECT_TRUE(same.is_alias_of(input));
    const EnableGradGuard recording;
    EXPECT_FALSE((same * 2).requires_grad());
    same.add_(0);
  }
}

Tensor made_in_inference() {
  const InferenceMode mode;
  return constant({1, 2, 3});
}

TEST(InferenceTensors, AreReadWrittenAndSavedAsInPyTorch) {
  const Tensor x = leaf({1, 2, 3});
  EXPECT_TRUE((x + made_in_inference()).requires_grad());
  EXPECT_FALSE((made_in_inference() * 2).is_inference());
  EXPECT_TRUE(made_in_inference().view({3, 1}).is_inference());
  EXPECT_FALSE(made_in_inference().clone().is_inference());
  EXPECT_TRUE(made_in_inference().detach().is_inference());
  Tensor plain = constant({0, 0, 0});
  plain.copy_(made_in_inference());
  expect_values(plain, {1, 2, 3});
  Tensor interior = x * 1;
  interior.copy_(made_in_inference());
  interior.sum().backward();
  EXPECT_FALSE(x.grad().defined()) << "PyTorch: zeros";
  (x * 2).backward(made_in_inference());
  expect_values(x.grad(), {2, 4, 6});
  EXPECT_FALSE(x.grad().is_inference());

  const auto refuses = [](const char* message, const std::function<void()>& program) {
    expect_error<InferenceTensorError>(message, program);
  };
  const char* saving = "Inference tensors cannot be saved for backward.";
  refuses(saving, [&] { x* made_in_inference(); });
  refuses(saving, [&] { mm(x.view({1, 3}), made_in_inference().view({3, 1})); });
  refuses(saving, [&] { (x * 1).mul_(made_in_inference()); });
  const char* writing = "Inplace update to inference tensor outside InferenceMode is not allowed.";
  refuses(writing, [&] { made_in_inference().add_(1); });
  refuses(writing, [&] { made_in_inference().add_(x); });
  refuses(writing, [&] { made_in_inference().view({3, 1}).add_(1); });
  refuses(writing, [&] {
    Tensor out = made_in_inference(), a = ones({3}, kFloat64);
    add_out(out, a, a);
  });
  // PyTorch lets this one through, and no version tells of it.
  refuses(writing, [&] { made_in_inference().detach().add_(1); });
}

struct SavesItsSecond : autograd::Function<SavesItsSecond> {
  static Tensor forward(autograd::AutogradContext* ctx, const Tensor& x, const Tensor& other) {
    ctx->save_for_backward({other});
    return x * 1;
  }
  static variable_list backward(autograd::AutogradContext* ctx, variable_list g) {
    return {g[0] * ctx->get_saved_variables()[0], Tensor()};
  }
};

TEST(InferenceTensors, CannotBeSavedByUserFunctionsOrTakeGradientsOutside) {
  const Tensor x = leaf({1, 2, 3});
  expect_error<InferenceTensorError>("Inference tensors cannot be saved for backward.",
                                     [&] { SavesItsSecond::apply(x, made_in_inference()); });
  x.set_grad(made_in_inference());
  expect_error<InferenceTensorError>("Inplace update to inference tensor",
                                     [&] { (x * 2).sum().backward(); });
  expect_values(x.grad(), {1, 2, 3});
}

}  // namespace
}  // namespace notape::testing
