#include "verify/corpus/distance.h"

#include <algorithm>
#include <cmath>

#include "autograd/autograd.h"
#include "ops/arithmetic.h"
#include "verify/corpus/input_draw.h"
#include "verify/generate/layout.h"

namespace notape::verify::corpus {
namespace {

using Gradients = std::vector<Numbers>;

/// One way of calling backward.
enum class Way : uint8_t { Plain, Expanded, Transposed, Again, AfterForward, AfterBackward };
constexpr Way kWays[] = {Way::Plain, Way::Expanded,     Way::Transposed,
                         Way::Again, Way::AfterForward, Way::AfterBackward};

/// Fresh leaves with the values of `inputs`, moved a little if `elsewhere`.
variable_list leaves_of(const variable_list& inputs, bool elsewhere = false) {
  variable_list x;
  for (const Tensor& input : inputs) {
    if (!input.requires_grad()) {
      x.push_back(input);
      continue;
    }
    const Tensor moved = elsewhere ? input.detach() * 0.875 : input.detach().clone();
    x.push_back(moved.requires_grad_(true));
  }
  return x;
}

variable_list active(const variable_list& x) {
  variable_list result;
  for (const Tensor& one : x)
    if (one.requires_grad()) result.push_back(one);
  return result;
}

/// Signs and sizes that let no entries cancel.
Tensor weights_like(const Tensor& y, const char* name, std::size_t which = 0) {
  InputDraw draw(name, which);
  return constant(draw.signed_magnitudes(y.sizes().vec(), 0.5, 2)).to(y.dtype());
}

Tensor incoming_for(const Tensor& y, Way way, std::size_t which) {
  if (way == Way::Expanded) return full({}, 1.25, dtype(y.dtype())).expand(y.sizes());
  const Tensor v = weights_like(y, "incoming", which);
  if (way != Way::Transposed || y.dim() < 2) return v;
  return v.transpose(0, 1).contiguous().transpose(0, 1);
}

Gradients numbers_of_all(const variable_list& gradients, const variable_list& x) {
  Gradients result;
  for (std::size_t i = 0; i < x.size(); ++i)
    result.push_back(gradients[i].defined() ? numbers_of(gradients[i].detach())
                                            : Numbers(static_cast<std::size_t>(x[i].numel())));
  return result;
}

/// Gradients for each result of f by itself, so that each gets an incoming gradient of this layout.
variable_list first_order(const TensorFunction& f, const variable_list& inputs, Way way,
                          const variable_list& x, bool create_graph = false) {
  variable_list y;
  for (const Tensor& one : f(x))
    if (one.defined() && one.requires_grad()) y.push_back(one);
  variable_list incoming;
  for (std::size_t i = 0; i < y.size(); ++i) incoming.push_back(incoming_for(y[i], way, i));
  if (way == Way::AfterForward) f(leaves_of(inputs, /*elsewhere=*/true));
  const variable_list wanted = active(x);
  if (y.empty()) return variable_list(wanted.size());
  if (way == Way::Again) autograd::grad(y, wanted, incoming, /*retain_graph=*/true, false, true);
  return autograd::grad(y, wanted, incoming, /*retain_graph=*/{}, create_graph,
                        /*allow_unused=*/true);
}

Gradients gradients(const TensorFunction& f, const variable_list& inputs, Way way, int order) {
  const variable_list x = leaves_of(inputs), wanted = active(x);
  const variable_list first = first_order(f, inputs, way, x, order == 2);
  if (order == 1) {
    if (way == Way::AfterBackward) first_order(f, inputs, way, leaves_of(inputs, true));
    return numbers_of_all(first, wanted);
  }
  Tensor sum;
  for (std::size_t i = 0; i < first.size(); ++i) {
    if (!first[i].defined() || !first[i].requires_grad()) continue;
    const Tensor part = (first[i] * weights_like(first[i], "second", i)).sum();
    sum = sum.defined() ? sum + part : part;
  }
  if (!sum.defined()) return numbers_of_all(variable_list(wanted.size()), wanted);
  return numbers_of_all(autograd::grad({sum}, wanted, {}, {}, false, true), wanted);
}

double relative(const Numbers& wrong, const Numbers& right) {
  double apart = 0, size = 0;
  for (std::size_t i = 0; i < right.size(); ++i) {
    const double off = std::abs(wrong[i] - right[i]);
    if (!(off <= HUGE_VAL)) return HUGE_VAL;  // a NaN
    apart += off;
    size += std::abs(right[i]);
  }
  return apart == 0 ? 0 : size == 0 ? HUGE_VAL : apart / size;
}

}  // namespace

double distance(const TensorFunction& right, const TensorFunction& wrong,
                const variable_list& inputs, int order) {
  double worst = 0;
  for (const Way way : kWays) {
    if (order == 2 && way != Way::Plain) continue;
    const Gradients expected = gradients(right, inputs, way, order);
    Gradients got;
    try {
      got = gradients(wrong, inputs, way, order);
    } catch (const std::exception&) {
      return HUGE_VAL;
    }
    for (std::size_t i = 0; i < expected.size(); ++i)
      worst = std::max(worst, relative(got[i], expected[i]));
  }
  return worst;
}

}  // namespace notape::verify::corpus
