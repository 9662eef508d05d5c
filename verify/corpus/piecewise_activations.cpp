// Activations with pieces. Inputs keep a little away from kinks of the slope, not from those of its
// slope.
#include <cmath>

#include "ops/activation.h"
#include "ops/selection.h"
#include "ops/transcendental.h"
#include "verify/corpus/family.h"

namespace notape::verify::corpus {
namespace {

std::function<variable_list(InputDraw&)> off(double low, double high, std::vector<double> kinks) {
  return drawn({off_kinks({2, 5}, low, high, std::move(kinks))});
}

Tensor hardswish(const variable_list& x) { return x[0] * clamp(x[0] + 3, 0, 6) / 6; }

void add_hard(Family& family) {
  family.add(Elementwise{.name = "hardswish",
                         .forward = hardswish,
                         .slopes = [](const variable_list& in, const Slip& slip) -> variable_list {
                           const Tensor& x = in[0];
                           const Tensor middle = (slip("factor") ? x : 2 * x) / 6 + 0.5;
                           const Tensor right = slip("branch") ? middle : ones_like(x);
                           return {where(x < -3, zeros_like(x), where(x > 3, right, middle))};
                         },
                         .inputs = off(-5, 5, {-3, 3}),
                         .slips = {"factor", "branch"},
                         .traits = {.kinks = true}});
  family.add(Elementwise{
      .name = "hard_sigmoid",
      .forward = [](const variable_list& x) { return clamp(x[0] / 6 + 0.5, 0, 1); },
      .slopes = [](const variable_list& in, const Slip& slip) -> variable_list {
        const Tensor& x = in[0];
        const double slope = slip("constant") ? 0.1666666 : slip("keras") ? 0.2 : 1.0 / 6;
        const Tensor inside = full_like(x, slope);
        return {where(abs(x) < (slip("branch") ? 2.5 : 3), inside, zeros_like(x))};
      },
      .inputs = off(-5, 5, {-3, 3}),
      .slips = {"constant", {"keras", Kind::WrongConstant}, "branch"},
      .traits = {.kinks = true}});
  family.add(Elementwise{
      .name = "leaky_relu",
      .forward = [](const variable_list& x) { return where(x[0] > 0, x[0], 0.01 * x[0]); },
      .slopes = [](const variable_list& in, const Slip& slip) -> variable_list {
        const Tensor& x = in[0];
        const Tensor left = full_like(x, slip("constant") ? 0.0100001 : slip("zero") ? 0 : 0.01);
        return {where(slip("sign") ? x < 0 : x > 0, ones_like(x), left)};
      },
      .inputs = off(-3, 3, {0}),
      .slips = {"constant", {"zero", Kind::WrongBranch}, "sign"},
      .traits = {.kinks = true}});
  family.add(Elementwise{
      .name = "prelu",  // x (N, C), weight (C)
      .forward = [](const variable_list& x) { return where(x[0] > 0, x[0], x[1] * x[0]); },
      .slopes = [](const variable_list& x, const Slip& slip) -> variable_list {
        const Tensor left = slip("detached") ? x[1].detach() : x[1];
        const Tensor of_x = where(x[0] > 0, ones_like(x[0]), left.expand(x[0].sizes()));
        const Tensor of_weight = where(x[0] > 0, zeros_like(x[0]), x[0]);
        if (slip("missing")) return {of_x};
        return {of_x, slip("branch") ? x[0] : slip("mean") ? of_weight / 3 : of_weight};
      },
      .inputs = drawn({off_kinks({3, 4}, -3, 3, {0}), uniform({4}, 0.05, 0.5)}),
      .slips = {"missing", "branch", {"mean", Kind::WrongAxis}, "detached"},
      .traits = {.kinks = true}});
}

/// scale (x where x > 0, alpha (exp(x / width) - 1) elsewhere)
struct Exponential {
  const char* name;
  double scale, alpha, width;
};

void add_exponential(Family& family, Exponential p) {
  family.add(Elementwise{
      .name = p.name,
      .forward = [p](const variable_list& x) -> Tensor {
        return p.scale * where(x[0] > 0, x[0], p.alpha * (exp(x[0] / p.width) - 1));
      },
      .slopes = [p](const variable_list& in, const Slip& slip) -> variable_list {
        const Tensor x = slip("detached") ? in[0].detach() : in[0];
        const double alpha = p.alpha * (slip("constant") ? 1 + 3e-7 : 1);
        Tensor left = alpha / p.width * exp(x / p.width);
        if (slip("value")) left = left - alpha;
        if (slip("far")) left = where(x < -8, zeros_like(x), left);
        const Tensor slope = where(x > 0, ones_like(x), left);
        return {slip("scale") ? slope : p.scale * slope};
      },
      .inputs = off(-12, 4, {0}),
      .slips =
          p.scale == 1
              ? std::vector<Slipping>{"constant", {"value", Kind::LostTerm}, "far", "detached"}
              : std::vector<Slipping>{"constant", {"value", Kind::LostTerm}, "scale", "detached"},
      .traits = {.kinks = true}});
}

void add_soft_pieces(Family& family) {
  family.add(Elementwise{
      .name = "softplus_threshold",  // x itself beyond 20, as libraries have it
      .forward = [](const variable_list& x) { return where(x[0] > 20, x[0], log1p(exp(x[0]))); },
      .slopes = [](const variable_list& in, const Slip& slip) -> variable_list {
        const Tensor x = slip("detached") ? in[0].detach() : in[0];
        if (slip("branch")) return {where(x > 2, ones_like(x), sigmoid(x))};
        return {where(x > 20, ones_like(x), slip("sign") ? sigmoid(-x) : sigmoid(x))};
      },
      .inputs = off(-30, 30, {20}),
      .slips = {"branch", "sign", "detached"},
      .traits = {.kinks = true}});
  family.add(Elementwise{.name = "soft_shrink",
                         .forward = [](const variable_list& x) -> Tensor {
                           return where(x[0] > 0.5, x[0] - 0.5,
                                        where(x[0] < -0.5, x[0] + 0.5, zeros_like(x[0])));
                         },
                         .slopes = [](const variable_list& in, const Slip& slip) -> variable_list {
                           const Tensor& x = in[0];
                           if (slip("one-side")) return {(x > 0.5).to(x.dtype())};
                           return {(abs(x) > (slip("branch") ? 0 : 0.5)).to(x.dtype())};
                         },
                         .inputs = off(-2, 2, {-0.5, 0.5}),
                         .slips = {{"one-side", Kind::WrongBranch}, "branch"},
                         .traits = {.kinks = true}});
  family.add(Elementwise{.name = "squared_relu",
                         .forward = [](const variable_list& x) { return square(relu(x[0])); },
                         .slopes = [](const variable_list& in, const Slip& slip) -> variable_list {
                           const Tensor x = slip("detached") ? in[0].detach() : in[0];
                           return {(slip("factor") ? 1 : 2) * (slip("branch") ? x : relu(x))};
                         },
                         .inputs = between(-2, 2),
                         .slips = {"factor", "branch", "detached"},
                         .traits = {.kinks = true}});
  family.add(Elementwise{
      .name = "relu_by_root",  // (x + sqrt(x x)) / 2; entries may be 0, where the slope is 0
      .forward = [](const variable_list& x) { return (x[0] + sqrt(x[0] * x[0])) / 2; },
      .slopes = [](const variable_list& in, const Slip& slip) -> variable_list {
        const Tensor& x = in[0];
        return {slip("root")   ? (sign(x) + 1)
                : slip("sign") ? (x < 0).to(x.dtype())
                               : (x > 0).to(x.dtype())};
      },
      .inputs = [](InputDraw& draw) -> variable_list {
        // Where no entry is positive the lost factor shows on zeros only, as 1, which is one of the
        // slopes there.
        Tensor x = draw.whole({2, 4}, -2, 2).detach();
        x.data_ptr<double>()[0] = 2;
        return {x.requires_grad_(true)};
      },
      .slips = {"root", "sign"},
      .traits = {.kinks = true}});
}

}  // namespace

void add_piecewise_activations(std::vector<Entry>& entries) {
  Family family("piecewise", entries);
  add_hard(family);
  add_exponential(family, {"elu", 1, 1, 1});
  add_exponential(family, {"celu", 1, 1.5, 1.5});
  add_exponential(family, {"selu", 1.0507009873554805, 1.6732632423543772, 1});
  add_soft_pieces(family);
}

}  // namespace notape::verify::corpus
