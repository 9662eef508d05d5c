#include "bench/gates/cases.h"

#include "autograd/autograd.h"
#include "ops/ops.h"

namespace notape::bench {
namespace {

struct Operands {
  Tensor a = ones({8}), b = ones({8});
  Tensor g = ones({8}, requires_grad()), h = ones({8}, requires_grad());
  Tensor seed = ones({8});
};

template <typename Operator>
Tensor chain(const Operands& x, int length, Operator apply) {
  Tensor t = x.g;
  for (int i = 0; i < length; ++i) t = apply(t, x.h);
  return t;
}

/// 2017 paper, Figure 1, with requires_grad on the weights.
struct Figure1 {
  Tensor x = randn({1, 10}), prev_h = randn({1, 20});
  Tensor w_h = randn({20, 20}, requires_grad()), w_x = randn({20, 10}, requires_grad());

  Tensor forward() const {
    const Tensor i2h = matmul(w_x, x.t());
    const Tensor h2h = matmul(w_h, prev_h.t());
    return (i2h + h2h).tanh().sum();
  }
};

struct Layer {
  Tensor x = randn({64, 256}, requires_grad()), seed = randn({64, 256});
  Tensor weight = ones({256}, requires_grad()), bias = zeros({256}, requires_grad());

  void run() const { layer_norm(x, {256}, weight, bias).backward(seed); }
};

}  // namespace

// Where a number differs from the plan's table, the reason stands beside it.
std::vector<GateCase> gate_cases() {
  const auto x = std::make_shared<Operands>();
  const auto figure = std::make_shared<Figure1>();
  const auto rows = std::make_shared<Tensor>(randn({16, 1000}));
  const auto across = std::make_shared<Tensor>(randn({3, 1000}));
  const auto triples = std::make_shared<Tensor>(zeros({1000, 5}).narrow(1, 1, 3));
  const auto rows_of = std::make_shared<Tensor>(randn({100, 100}, requires_grad()));
  const auto layer = std::make_shared<Layer>();
  const auto few = std::make_shared<Tensor>(randn({512, 4}));
  const auto turned = std::make_shared<Tensor>(randn({528, 4}).t());
  const auto plus = [](const Tensor& t, const Tensor& h) { return t + h; };
  const auto times = [](const Tensor& t, const Tensor& h) { return t * h; };
  return {
      {"add, no graph", 1, [x] { x->a + x->b; }, 900, 0},
      {"add, graph", 1, [x] { x->g + x->h; }, 1500, 0},
      {"view", 1,
       [x] {
         x->a.view({2, 4});
       },
       500, 0},
      {"mul by scalar, graph", 1, [x] { x->g * 2.0; }, 1500, 0},
      {"one add and backward", 1, [x] { (x->g + x->h).backward(x->seed); }, 5000, 2},
      {"chain of 100 adds, forward and backward", 100,
       [x, plus] { chain(*x, 100, plus).backward(x->seed); }, 3000, 0.1},
      {"chain of 100 muls, forward and backward", 100,
       [x, times] { chain(*x, 100, times).backward(x->seed); }, 4500, 0.1},
      {"addcmul and backward", 1, [x] { addcmul(x->g, x->h, x->h).backward(x->seed); }, 8000, 2},
      // A pass for the least and half of one, on average, for its place; a loop over single
      // elements takes 2,745.
      {"argmin of a row of 1000", 16, [rows] { argmin(*rows, 1); }, 1800, 0.1},
      // Zeros for each of the others, joined with it, take 389,000.
      {"one of 100 rows, in a recorded backward", 1,
       [rows_of] { autograd::grad({rows_of->unbind(0)[7].sum()}, {*rows_of}, {}, true, true); },
       150000, 25},
      // Three at a time, as they lie in the target, take 31.
      {"copy of triples, a number", 3000, [=] { triples->copy_(across->t()); }, 10, 0.01},
      // A pass for each gradient takes 16.
      {"layer_norm, all gradients, a number", 64 * 256, [layer] { layer->run(); }, 13, 0.01},
      // OpenBLAS, which packs the factors first, takes 6.
      {"product of few terms, transposed, a number", 512 * 528, [=] { mm(*few, *turned); }, 3, 0},
      {"2017 Figure 1, forward", 1, [figure] { figure->forward(); }, 11600, 0},
      {"2017 Figure 1, forward and backward", 1, [figure] { figure->forward().backward(); }, 25000,
       4},
  };
}

}  // namespace notape::bench
