// Every elementwise row of the registry, in random cases: values against its reference, any layout
// against row-major copies, in-place forms against out-of-place ones.
#include <random>
#include <set>

#include "autograd/testing/expect.h"
#include "ops/ops.h"
#include "ops/spec/plain.h"

namespace notape::testing {
namespace {

class RandomDraw final : public Draw {
 public:
  explicit RandomDraw(uint32_t seed) : bits_(seed) {}
  int64_t integer(int64_t low, int64_t high) override {
    return std::uniform_int_distribution<int64_t>(low, high)(bits_);
  }

 private:
  std::mt19937 bits_;
};

bool near_kink(const Domain& domain, double value) {
  for (double kink : domain.kinks)
    if (std::abs(value - kink) < domain.kink_distance) return true;
  return false;
}

/// A row-major float64 or bool tensor for the argument.
Tensor draw_argument(const Argument& argument, RandomDraw& draw) {
  const bool real = argument.kind == Argument::Kind::Real;
  Tensor result = empty(argument.sizes, dtype(real ? kFloat64 : kBool));
  for (int64_t i = 0; i < result.numel(); ++i) {
    if (!real) {
      result.data_ptr<bool>()[i] = draw.boolean();
      continue;
    }
    double value = 0;
    do {
      const double step = static_cast<double>(draw.integer(0, 1 << 20)) / (1 << 20);
      value = argument.domain.low + (argument.domain.high - argument.domain.low) * step;
    } while (near_kink(argument.domain, value));
    result.data_ptr<double>()[i] = value;
  }
  return result;
}

struct DrawnCase {
  OpCase op;
  variable_list arguments;
};
/// Calls `check` with cases of every elementwise row.
template <typename Check>
void for_each_case(int cases_per_row, const Check& check) {
  for (const OpSpec* spec : op_specs()) {
    if (std::string_view(spec->family) != "elementwise") continue;
    for (int seed = 0; seed < cases_per_row; ++seed) {
      RandomDraw draw(static_cast<uint32_t>(seed));
      DrawnCase one{spec->draw(draw), {}};
      for (const Argument& argument : one.op.arguments)
        one.arguments.push_back(draw_argument(argument, draw));
      SCOPED_TRACE(std::string(spec->name) + " (" + one.op.label + "), seed " +
                   std::to_string(seed));
      check(*spec, one);
    }
  }
}

/// Leaves with the same values that require grad where they can.
variable_list leaves_of(const variable_list& arguments) {
  variable_list leaves;
  for (const Tensor& argument : arguments)
    leaves.push_back(argument.detach().requires_grad_(argument.is_floating_point()));
  return leaves;
}

/// A gradient whose entries differ.
Tensor incoming_for(const Tensor& output) {
  return arange(1, output.numel() + 1, kFloat64).reshape(output.sizes());
}

/// An entry of a direction: never 0, neighbours differ.
double direction_at(std::size_t i) {
  return i % 2 == 0 ? 0.5 + 0.125 * static_cast<double>(i % 5) : -0.75;
}

/// The gradients of all floating arguments, one after the other.
std::vector<double> gradients_of(const Tensor& output, const variable_list& leaves) {
  variable_list inputs;
  for (const Tensor& one : leaves)
    if (one.requires_grad()) inputs.push_back(one);
  std::vector<double> result;
  for (const Tensor& gradient :
       autograd::grad({output}, inputs, {incoming_for(output)}, true, false, true)) {
    if (!gradient.defined()) continue;
    for (double value : values(gradient)) result.push_back(value);
  }
  return result;
}

TEST(ElementwiseRows, CoverEveryPublicName) {
  std::set<std::string> names;
  for (const OpSpec* spec : op_specs())
    if (std::string_view(spec->family) == "elementwise") names.insert(spec->name);
  EXPECT_THAT(names, ::testing::IsSupersetOf(
                         {"neg",       "abs",        "sign",     "sqrt",    "rsqrt",  "reciprocal",
                          "exp",       "log",        "log1p",    "sin",     "cos",    "tanh",
                          "sigmoid",   "relu",       "softplus", "erf",     "square", "clamp",
                          "clamp_min", "clamp_max",  "add",      "sub",     "rsub",   "mul",
                          "div",       "pow",        "maximum",  "minimum", "where",  "lerp",
                          "addcmul",   "masked_fill"}));
}

WideList wide_of(const variable_list& arguments) {
  WideList wide;
  for (const Tensor& argument : arguments) {
    WideTensor operand(argument.sizes().vec());
    const std::vector<double> numbers = values(argument);
    operand.values.assign(numbers.begin(), numbers.end());
    wide.push_back(std::move(operand));
  }
  return wide;
}

TEST(ElementwiseRows, EqualTheirReferences) {
  for_each_case(24, [](const OpSpec&, const DrawnCase& one) {
    const WideTensor expected = one.op.reference(wide_of(one.arguments));
    const Tensor result = one.op.call(one.arguments);
    ASSERT_EQ(result.sizes().vec(), expected.sizes);
    const std::vector<double> got = values(result);
    for (std::size_t i = 0; i < got.size(); ++i) {
      const auto number = static_cast<double>(expected.values[i]);
      EXPECT_NEAR(got[i], number, 4e-15 * std::max(1.0, std::abs(number)));
    }
  });
}

/// sum of (i - 1.5) (y + y^2) over the i-th results y: the operator's derivative meets gradients of
/// both signs that depend on the arguments.
Tensor objective(const Tensor& y) { return ((y + y * y) * (incoming_for(y) - 2.5)).sum(); }

/// The objective of the reference with every real argument moved by `step` along a direction in
/// which no two neighbours agree; the sizes of its terms are added to `terms`.
Wide moved_reference(const DrawnCase& one, double step, Wide& terms) {
  WideList wide = wide_of(one.arguments);
  for (std::size_t k = 0; k < wide.size(); ++k)
    for (std::size_t i = 0; i < wide[k].values.size(); ++i)
      if (one.arguments[k].is_floating_point())
        wide[k].values[i] += Wide(step) * direction_at(k + i);
  Wide sum = 0;
  const WideTensor result = one.op.reference(wide);
  for (std::size_t i = 0; i < result.values.size(); ++i) {
    const Wide term = result.values[i] * (1 + result.values[i]) * (static_cast<double>(i) - 1.5);
    sum += term;
    terms += term < 0 ? -term : term;
  }
  return sum;
}

/// The direction of moved_reference() for argument k.
Tensor direction_of(const DrawnCase& one, std::size_t k) {
  Tensor result = zeros(one.arguments[k].sizes(), kFloat64);
  for (int64_t i = 0; i < result.numel(); ++i)
    result.data_ptr<double>()[i] = direction_at(k + static_cast<std::size_t>(i));
  return result;
}

/// The derivative of `output`, a number, along the direction, recorded; adds the size of its terms
/// to `scale`. Undefined if the output is constant.
Tensor derivative_along(const DrawnCase& one, const Tensor& output, const variable_list& leaves,
                        double& scale) {
  Tensor sum;
  for (std::size_t k = 0; k < leaves.size() && output.requires_grad(); ++k) {
    if (!leaves[k].requires_grad()) continue;
    const Tensor gradient = autograd::grad({output}, {leaves[k]}, {}, true, true, true)[0];
    if (!gradient.defined()) continue;
    const Tensor parts = gradient * direction_of(one, k);
    scale += abs(parts).sum().item();
    sum = sum.defined() ? sum + parts.sum() : parts.sum();
  }
  return sum;
}

TEST(ElementwiseRows, HaveTheDerivativesOfTheirReferences) {
  for_each_case(24, [](const OpSpec&, const DrawnCase& one) {
    const double step = 1e-10;  // harmless in 113 bits
    Wide terms = 0;
    const Wide before = moved_reference(one, -step, terms),
               after = moved_reference(one, step, terms), here = moved_reference(one, 0, terms);
    // What rounding terms of this size to 113 bits makes of their differences; rows draw huge
    // numbers, too.
    const auto rounding = static_cast<double>(Wide(0x1p-110) * terms / Wide(step));
    const auto first = static_cast<double>((after - before) / (2 * Wide(step)));
    const auto second =
        static_cast<double>((after - 2 * here + before) / (Wide(step) * Wide(step)));
    const variable_list leaves = leaves_of(one.arguments);
    double scale = 1;
    const Tensor along = derivative_along(one, objective(one.op.call(leaves)), leaves, scale);
    EXPECT_NEAR(along.defined() ? along.item() : 0, first, 1e-13 * scale + rounding);
    if (!along.defined()) return;
    const Tensor twice = derivative_along(one, along, leaves, scale);
    EXPECT_NEAR(twice.defined() ? twice.item() : 0, second, 1e-12 * scale + rounding / step);
  });
}

TEST(ElementwiseRows, GiveTheSameInPlace) {
  std::set<std::string> names;
  for_each_case(24, [&](const OpSpec& spec, const DrawnCase& one) {
    if (!one.op.call_in_place) return;
    names.insert(spec.name);
    const variable_list leaves = leaves_of(one.arguments), others = leaves_of(one.arguments);
    const Tensor expected = one.op.call(leaves);
    variable_list written = others;
    const Tensor target = written[0] = others[0].clone();
    one.op.call_in_place(written);
    ASSERT_TRUE(written[0].is_same(target));
    EXPECT_EQ(values(target), values(expected));
    EXPECT_EQ(gradients_of(target, others), gradients_of(expected, leaves));
  });
  EXPECT_THAT(names, ::testing::IsSupersetOf(
                         {"neg", "abs",    "sqrt",  "rsqrt", "reciprocal", "exp",
                          "log", "sin",    "cos",   "tanh",  "sigmoid",    "relu",
                          "erf", "square", "log1p", "add",   "sub",        "mul",
                          "div", "pow",    "clamp", "lerp",  "addcmul",    "masked_fill"}));
}

/// The same values, differently laid out.
Tensor with_gaps(const Tensor& x) { return stack({x, x}, x.dim()).select(x.dim(), 1); }
Tensor transposed(const Tensor& x) {
  if (x.dim() < 2) return with_gaps(x);
  return x.transpose(0, x.dim() - 1).contiguous().transpose(0, x.dim() - 1);
}
Tensor at_an_offset(const Tensor& x) { return stack({x, x})[1]; }

TEST(ElementwiseRows, DoNotDependOnTheLayout) {
  for (Tensor (*layout)(const Tensor&) : {with_gaps, transposed, at_an_offset}) {
    for_each_case(8, [&](const OpSpec&, const DrawnCase& one) {
      variable_list laid_out;
      for (const Tensor& argument : one.arguments) laid_out.push_back(layout(argument));
      const variable_list leaves = leaves_of(one.arguments), others = leaves_of(laid_out);
      const Tensor expected = one.op.call(leaves), result = one.op.call(others);
      ASSERT_EQ(result.sizes(), expected.sizes());
      EXPECT_EQ(values(result), values(expected));
      EXPECT_THAT(gradients_of(result, others),
                  Pointwise(::testing::DoubleNear(1e-9), gradients_of(expected, leaves)));
      if (!one.op.call_in_place) return;
      variable_list written = laid_out;
      written[0] = layout(laid_out[0].clone());
      one.op.call_in_place(written);
      EXPECT_EQ(values(written[0]), values(expected));
    });
  }
}

TEST(ElementwiseRows, AgreeForwardAndInReverse) {
  for_each_case(12, [](const OpSpec&, const DrawnCase& one) {
    // Sum of incoming * tangent = sum over arguments of gradient * direction.
    variable_list duals, directions;
    const autograd::forward_ad::DualLevelGuard level;
    for (const Tensor& argument : one.arguments) {
      if (!argument.is_floating_point()) {
        duals.push_back(argument);
        continue;
      }
      directions.push_back(incoming_for(argument) * 0.25 - 1);
      duals.push_back(autograd::forward_ad::make_dual(argument, directions.back()));
    }
    const Tensor tangent = autograd::forward_ad::unpack_dual(one.op.call(duals)).tangent;
    const variable_list leaves = leaves_of(one.arguments);
    const Tensor output = one.op.call(leaves);
    double forward = 0, reverse = 0, scale = 1;
    if (tangent.defined()) {
      ASSERT_EQ(tangent.sizes(), output.sizes());
      forward = (tangent * incoming_for(output)).sum().item();
      scale += abs(tangent * incoming_for(output)).sum().item();
    }
    const std::vector<double> gradients = gradients_of(output, leaves);
    std::size_t at = 0;
    for (const Tensor& direction : directions)
      for (double entry : values(direction)) reverse += entry * gradients.at(at++);
    EXPECT_NEAR(forward, reverse, 1e-12 * scale);
  });
}

}  // namespace
}  // namespace notape::testing
