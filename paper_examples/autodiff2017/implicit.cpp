// Hyperparameters by implicit differentiation (J. Larsen et al., 1996; F. Pedregosa, 2016). The
// weights w* that minimise a training loss f(w, l) depend on the hyperparameters l, here one
// regularisation per weight, and the validation loss g(w*) is to be small. Where df/dw = 0,
//
//   dg/dl = -(d2f/dl dw) v   with   (d2f/dw dw) v = dg/dw .
//
// The equation for v is solved by conjugate gradients, from products of the Hessian with vectors,
// forward over reverse; its matrix is never made.
#include <cmath>

#include "ops/ops.h"
#include "paper_examples/optim/adam.h"
#include "paper_examples/programs.h"
#include "paper_examples/support/example_options.h"
#include "paper_examples/support/report.h"

namespace notape::paper {
namespace {

constexpr int64_t kFeatures = 20, kUseful = 4;

struct Examples {
  Tensor x, y;  // (N, kFeatures); (N), 0 or 1
};

/// Only the first kUseful features decide y, with noise.
Examples draw(int64_t count) {
  const Tensor x = randn({count, kFeatures}, kFloat64);
  const Tensor decisive = x.narrow(1, 0, kUseful).sum(1) + randn({count}, kFloat64);
  return {x, (decisive > 0).to(kFloat64)};
}

/// g: the loss on examples.
Tensor loss_on(const Examples& examples, const Tensor& w) {
  return binary_cross_entropy_with_logits(mv(examples.x, w), examples.y);
}

/// f: with regularisation exp(l) / 2 for the square of each weight.
Tensor training_loss(const Examples& examples, const Tensor& w, const Tensor& l) {
  return loss_on(examples, w) + (l.exp() * w.square()).sum() / 2;
}

/// Solves `product`(v) = b for a positive definite matrix, given by its products with vectors.
/// (M. R. Hestenes and E. Stiefel, 1952)
Tensor conjugate_gradients(const std::function<Tensor(const Tensor&)>& product, const Tensor& b,
                           int64_t& products) {
  Tensor v = zeros_like(b), rest = b, direction = b;
  double square = rest.square().sum().item();
  const double enough = 1e-24 * square;
  for (products = 0; square > enough && products < 10 * b.numel(); ++products) {
    const Tensor image = product(direction);
    const double step = square / (direction * image).sum().item();
    v = v + step * direction;
    rest = rest - step * image;
    const double before = std::exchange(square, rest.square().sum().item());
    direction = rest + square / before * direction;
  }
  return v;
}

class Problem {
 public:
  Problem() : training_(draw(80)), validation_(draw(400)) {}

  /// w* by Newton's method with the same products, from 0.
  Tensor best_weights(const Tensor& l) const {
    const Tensor fixed = l.detach();
    Tensor w = zeros({kFeatures}, kFloat64);
    for (int round = 0; round < 30; ++round) {
      const Tensor at = w.detach().requires_grad_(true);
      const Tensor slope = autograd::grad({training_loss(training_, at, fixed)}, {at})[0];
      if (slope.abs().max().item() < 1e-14) break;
      int64_t products = 0;
      w = w - conjugate_gradients(hessian_at(w, fixed), slope, products);
    }
    return w;
  }
  double validation_loss(const Tensor& l) const {
    return loss_on(validation_, best_weights(l)).item();
  }
  double training_loss_alone(const Tensor& l) const {
    return loss_on(training_, best_weights(l)).item();
  }
  /// dg/dl, and with how many products.
  Tensor hypergradient(const Tensor& l, int64_t& products) const {
    const Variable w = best_weights(l).detach().requires_grad_(true);
    const Variable hyper = l.detach().clone().requires_grad_(true);
    const Tensor outer = autograd::grad({loss_on(validation_, w)}, {w})[0];
    const Tensor v = conjugate_gradients(hessian_at(w.detach(), hyper.detach()), outer, products);
    const Tensor inner = autograd::grad({training_loss(training_, w, hyper)}, {w}, {}, {},
                                        /*create_graph=*/true)[0];
    return -autograd::grad({(inner * v).sum()}, {hyper})[0];
  }

 private:
  std::function<Tensor(const Tensor&)> hessian_at(const Tensor& w, const Tensor& l) const {
    return [=, this](const Tensor& v) {
      return autograd::functional::hvp(
                 [&](const Tensor& at) { return training_loss(training_, at, l); }, w, v)
          .product;
    };
  }

  Examples training_, validation_;
};

}  // namespace

int implicit(std::ostream& out, const ExampleOptions& options) {
  Report report;
  manual_seed(options.seed);
  const Problem problem;
  Tensor l = full({kFeatures}, -4.0, kFloat64);

  int64_t products = 0;
  const Tensor gradient = problem.hypergradient(l, products);
  constexpr double h = 1e-4;
  double off = 0;
  for (const int64_t i : {int64_t{0}, kUseful, kFeatures - 1}) {
    const auto moved = [&](double by) {
      const Tensor other = l.clone();
      other[i].add_(by);
      return problem.validation_loss(other);
    };
    const double numeric = (moved(h) - moved(-h)) / (2 * h);
    fmt::print(out, "dg/dl of feature {:>2}: {:>13.9f}, retrained with l +- {}: {:>13.9f}\n", i,
               gradient[i].item(), h, numeric);
    off = std::max(off, std::abs(gradient[i].item() - numeric));
  }
  off /= gradient.abs().max().item();
  fmt::print(out, "{} products of the {} x {} Hessian with vectors, which never exists\n\n",
             products, kFeatures, kFeatures);
  report.add("hypergradient to 1e-6 of retraining",
             fmt::format("hypergradient to {:.2g} of retraining", off), off <= 1e-6);

  const int64_t steps = options.size != ExampleSize::Quick ? 100 : 20;
  l.requires_grad_(true);
  optim::Adam optimizer({l}, optim::AdamOptions(0.2));
  const auto show = [&](int64_t step) {
    const double loss = problem.validation_loss(l);
    fmt::print(out, "    after {:>3} steps: training loss {:.3f}, validation loss {:.3f}\n", step,
               problem.training_loss_alone(l), loss);
    out.flush();
    return loss;
  };
  fmt::print(out, "Descending on the hyperparameters:\n");
  const double at_first = show(0);
  for (int64_t step = 0; step < steps; ++step) {
    l.set_grad(problem.hypergradient(l, products));
    optimizer.step();
  }
  const double at_last = show(steps);
  const Tensor strength = l.detach();
  const double useful = strength.narrow(0, 0, kUseful).mean().item();
  const double useless = strength.narrow(0, kUseful, kFeatures - kUseful).mean().item();
  fmt::print(out, "    mean l of the {} useful features {:.2f}, of the others {:.2f}\n", kUseful,
             useful, useless);
  report.add_fact("a lower validation loss", at_last < 0.9 * at_first);
  report.add_fact("useless features regularised more", useless > useful + 1);
  return report.conclude(out);
}

}  // namespace notape::paper
