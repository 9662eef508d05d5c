// Out forms: each writes what its function returns, into outs of any layout, or refuses unchanged.
#include "autograd/testing/expect.h"
#include "autograd/warning.h"
#include "ops/out/testing/forms.h"

namespace notape::testing {
namespace {

struct Quiet : WarningHandler {
  void process(const Warning&) override { ++count; }
  int count = 0;
};

variable_list expected_of(const OutForm& form) {
  manual_seed(7);
  return form.results();
}

void expect_same_bits(const Tensor& out, const Tensor& expected) {
  ASSERT_EQ(out.dtype(), expected.dtype());
  ASSERT_EQ(out.sizes(), expected.sizes());
  const Tensor a = out.contiguous(), b = expected.contiguous();
  const auto bytes = static_cast<std::size_t>(a.numel() * a.element_size());
  EXPECT_EQ(std::memcmp(a.impl().data(), b.impl().data(), bytes), 0) << a << b;
}

/// Calls the form on what `make` makes of each result.
template <typename Make>
variable_list expect_written(const OutForm& form, const Make& make) {
  const variable_list expected = expected_of(form);
  variable_list outs;
  std::vector<uint64_t> versions;
  for (const Tensor& one : expected) outs.push_back(make(one));
  for (const Tensor& one : outs) versions.push_back(one._version());
  manual_seed(7);
  const variable_list returned = form.into(outs);
  EXPECT_EQ(returned.size(), outs.size());
  for (std::size_t i = 0; i < outs.size(); ++i) {
    EXPECT_TRUE(returned[i].is_same(outs[i]));
    expect_same_bits(outs[i], expected[i]);
    EXPECT_GT(outs[i]._version(), versions[i]);
  }
  return outs;
}

Tensor right_shaped(const Tensor& result) { return zeros_like(result); }
/// Every second number of a line of them, and dimensions in the opposite order.
Tensor with_gaps(const Tensor& result) {
  std::vector<int64_t> sizes, order;
  for (int64_t d = result.dim(); d-- > 0;) {
    sizes.push_back(result.size(d));
    order.push_back(d);
  }
  sizes.push_back(2);
  return zeros(sizes, result.options()).select(-1, 1).permute(order);
}
Tensor wrong_shaped(const Tensor& result) {
  std::vector<int64_t> sizes(result.sizes().begin(), result.sizes().end());
  sizes.push_back(2);
  return zeros(sizes, result.options());
}

TEST(OutForms, ReturnTheirOuts) {
  Tensor values = zeros({0}, kFloat64), indices = zeros({0}, kInt64);
  EXPECT_EQ(&exp_out(values, x()), &values);
  const std::tuple<Tensor&, Tensor&> both = sort_out(values, indices, x());
  EXPECT_EQ(&std::get<0>(both), &values);
  EXPECT_EQ(&std::get<1>(both), &indices);
}

TEST(OutForms, WriteWhatTheFunctionReturns) {
  for (const OutForm& form : out_forms()) {
    SCOPED_TRACE(form.name);
    expect_written(form, right_shaped);
    expect_written(form, [](const Tensor& result) { return empty({0}, result.options()); });
  }
}

TEST(OutForms, KeepTheStridesOfAnOutThatFits) {
  for (const OutForm& form : out_forms()) {
    SCOPED_TRACE(form.name);
    const variable_list outs = expect_written(form, with_gaps);
    for (const Tensor& out : outs) EXPECT_EQ(out.strides(), with_gaps(out).strides());
  }
}

TEST(OutForms, ResizeAnOutOfAnotherShapeAndWarnUnlessTheyMakeNumbers) {
  const WarnAlways always;
  for (const OutForm& form : out_forms()) {
    SCOPED_TRACE(form.name);
    Quiet quiet;
    const WarningHandlerGuard guard(&quiet);
    const variable_list outs = expect_written(form, wrong_shaped);
    const bool is_factory = form.name.starts_with("rand") || form.name == "zeros_out" ||
                            form.name == "ones_out" || form.name == "full_out" ||
                            form.name == "arange_out" || form.name == "eye_out" ||
                            form.name == "linspace_out";
    EXPECT_EQ(quiet.count, is_factory ? 0 : static_cast<int>(outs.size()));
  }
}

TEST(OutForms, RefuseGradientsTangentsAndUndefinedOutsUnchanged) {
  for (const OutForm& form : out_forms()) {
    SCOPED_TRACE(form.name);
    const variable_list expected = expected_of(form);
    for (std::size_t bad = 0; bad < expected.size(); ++bad) {
      variable_list outs;
      for (const Tensor& one : expected) outs.push_back(wrong_shaped(one));
      if (outs[bad].is_floating_point()) {
        outs[bad].set_requires_grad(true);
        const Unchanged unchanged(outs);
        expect_error<OutRequiresGrad>(form.name + ": functions with out=... arguments don't",
                                      [&] { form.into(outs); });
        unchanged.check();
        outs[bad].set_requires_grad(false);
        const autograd::forward_ad::DualLevelGuard level;
        const Unchanged before(outs);
        variable_list dual = outs;
        dual[bad] = autograd::forward_ad::make_dual(outs[bad], ones_like(outs[bad]));
        expect_error<ForwardNotImplemented>("because it is an out= function",
                                            [&] { form.into(dual); });
        before.check();
      }
      outs[bad] = Tensor();
      expect_error<UndefinedTensor>("the out= tensor is undefined", [&] { form.into(outs); });
    }
  }
}

TEST(OutForms, RefuseOutsThatOverlapUnchanged) {
  for (const OutForm& form : out_forms()) {
    SCOPED_TRACE(form.name);
    const variable_list expected = expected_of(form);
    for (std::size_t bad = 0; bad < expected.size(); ++bad) {
      if (expected[bad].numel() < 2) continue;
      variable_list outs;
      for (const Tensor& one : expected) outs.push_back(zeros_like(one));
      outs[bad] = zeros({1}, expected[bad].options()).expand(expected[bad].sizes());
      const Unchanged unchanged(outs);
      expect_error<MemoryOverlap>("refers to a single memory location", [&] { form.into(outs); });
      unchanged.check();
    }
    for (std::size_t i = 1; i < expected.size(); ++i) {
      if (expected[i].dtype() != expected[0].dtype()) continue;
      const Tensor shared = zeros({100}, expected[0].options());
      variable_list outs;
      for (const Tensor& one : expected) outs.push_back(zeros({0}, one.options()));
      outs[0] = shared.slice(0, 0, 0);
      outs[i] = shared.slice(0, 0, 0);
      const Unchanged unchanged(outs);
      expect_error<MemoryOverlap>("two of the out= tensors share memory", [&] { form.into(outs); });
      unchanged.check();
    }
  }
}

TEST(OutForms, RefuseWrongDtypesOfAnyOutUnchanged) {
  for (const OutForm& form : out_forms()) {
    SCOPED_TRACE(form.name);
    const variable_list expected = expected_of(form);
    for (std::size_t bad = 0; bad < expected.size() && expected.size() > 1; ++bad) {
      variable_list outs;
      for (const Tensor& one : expected) outs.push_back(wrong_shaped(one));
      outs[bad] = outs[bad].to(kBool);
      const Unchanged unchanged(outs);
      expect_error<DtypeError>("Expected out tensor to have dtype", [&] { form.into(outs); });
      unchanged.check();
    }
  }
}

TEST(OutForms, MayShareMemoryWithTheirArguments) {
  Tensor a = x();
  const Tensor square = definite().clone();
  exp_out(a, a);
  expect_same_bits(a, x().exp());
  Tensor s = square.clone();
  mm_out(s, s, s);
  expect_same_bits(s, square.mm(square));
  Tensor line = arange(5, kFloat64);
  Tensor later = line.slice(0, 1, 5);
  add_out(later, line.slice(0, 0, 4), ones({4}, kFloat64));
  expect_values(line, {0, 1, 2, 3, 4});
  Tensor values = n(), indices = empty({0}, kInt64);
  sort_out(values, indices, values, 1);
  expect_same_bits(values, std::get<0>(n().sort(1)));
  Tensor matrix = square.clone(), diagonal = matrix.diagonal();
  diag_out(diagonal, matrix);
  expect_same_bits(matrix, square);
}

TEST(OutForms, OfAnArgumentThatRequiresGradNeedNoGradMode) {
  const Tensor leaf = x().set_requires_grad(true);
  Tensor out = zeros({3, 4}, kFloat64);
  const Unchanged unchanged({out});
  expect_error<OutRequiresGrad>("exp_out", [&] { exp_out(out, leaf); });
  expect_error<OutRequiresGrad>("cat_out", [&] { cat_out(out, {x(), leaf}); });
  expect_error<OutRequiresGrad>("addmm_out", [&] { addmm_out(out, x(), definite(), leaf); });
  unchanged.check();
  const NoGradGuard no_grad;
  exp_out(out, leaf);
  expect_same_bits(out, x().exp());
  EXPECT_FALSE(out.requires_grad());
}

TEST(OutForms, NameTheLineOfTheUser) {
  Tensor out = zeros({3, 4}, kFloat64), none;
  expect_error<ShapeError>("out_test.cpp", [&] { mm_out(out, x(), x()); });
  expect_error<DtypeError>("out_test.cpp", [&] { exp_out(out = out.to(kInt64), x()); });
  expect_error<UndefinedTensor>("exp: an operand is undefined", [&] { exp_out(out, none); });
}

TEST(OutForms, WriteAsCopyDoes) {
  Tensor out = zeros({3, 4}, kFloat64), frozen;
  {
    const InferenceMode inference;
    frozen = zeros({3, 4}, kFloat64);
  }
  expect_error<InferenceTensorError>("Inplace update", [&] { exp_out(frozen, x()); });
  // What was saved is known to have been overwritten.
  const Tensor leaf = ones({3, 4}, kFloat64).set_requires_grad(true), product = leaf * out;
  exp_out(out, x());
  expect_error<SavedTensorModified>("modified", [&] { product.sum().backward(); });
}

TEST(OutForms, UnderVmapTakeAValuePerSampleWhereThereIsRoom) {
  using autograd::functional::TensorFunction;
  const TensorFunction into_a_batch = [](const Tensor& sample) -> Tensor {
    Tensor out = sample * 0;  // each sample has its own
    return exp_out(out, sample);
  };
  expect_same_bits(autograd::functional::vmap(into_a_batch)(x()), x().exp());
  Tensor one = zeros({4}, kFloat64);
  const Unchanged unchanged({one});
  const TensorFunction into_one = [&](const Tensor& sample) -> Tensor {
    return exp_out(one, sample);
  };
  expect_error<BatchingNotImplemented>("vmap", [&] { autograd::functional::vmap(into_one)(x()); });
  unchanged.check();
}

TEST(OutForms, ThatCannotGrowTheirMemoryChangeNothing) {
  const Tensor base = zeros({4}, kFloat64);
  variable_list outs = {zeros({2}, kFloat64), base.slice(0, 0, 0)};
  const Unchanged unchanged({outs[0], base});
  expect_error<AliasedInPlace>("share the storage",
                               [&] { aminmax_out(outs[0], outs[1], stacked(), 0); });
  unchanged.check();
  aminmax_out(outs[0], outs[1], x(), 0, true);
  expect_same_bits(outs[1], std::get<1>(x().aminmax(0, true)));
}

}  // namespace
}  // namespace notape::testing
