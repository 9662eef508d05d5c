// torch::autograd::grad: selected gradients, create_graph, second derivatives, unused inputs.
#include <torch/torch.h>

#include <iostream>

using torch::autograd::grad;
using torch::autograd::variable_list;

int main() {
  torch::Tensor x =
      torch::tensor({1.0, 2.0, 3.0}, torch::dtype(torch::kFloat64).requires_grad(true));
  torch::Tensor cubes = x.pow(3).sum();
  torch::Tensor first = grad({cubes}, {x}, {}, /*retain_graph=*/true, /*create_graph=*/true)[0];
  torch::Tensor second = grad({first.sum()}, {x}, {}, c10::nullopt, true)[0];
  torch::Tensor third = grad({second.sum()}, {x})[0];
  std::cout << first << "\n" << second << "\n" << third << "\n";
  std::cout << first.requires_grad() << second.requires_grad() << third.requires_grad()
            << x.grad().defined() << "\n";

  // A gradient penalty.
  torch::Tensor weight = torch::tensor({{0.5, -0.25}, {1.0, 2.0}, {-1.0, 0.5}}, torch::kFloat64);
  weight.requires_grad_(true);
  torch::Tensor input = torch::tensor({{1.0, 2.0, 3.0}, {-1.0, 0.5, 0.0}}, torch::kFloat64);
  input.requires_grad_(true);
  torch::Tensor output = torch::tanh(torch::mm(input, weight));
  variable_list slopes = grad({output}, {input}, {torch::ones_like(output)},
                              /*retain_graph=*/true, /*create_graph=*/true);
  torch::Tensor penalty = slopes[0].pow(2).sum(1).sqrt().sub(1).pow(2).mean();
  (output.sum() + 10 * penalty).backward();
  std::cout << penalty << "\n" << weight.grad() << "\n" << input.grad() << "\n";

  // A Hessian, row by row.
  torch::Tensor p = torch::tensor({0.3, -0.7}, torch::dtype(torch::kDouble).requires_grad(true));
  torch::Tensor f = p[0].exp() * p[1].sin() + p[0] * p[1] * p[1];
  torch::Tensor g = grad({f}, {p}, {}, true, true)[0];
  std::vector<torch::Tensor> rows;
  for (int64_t i = 0; i < p.size(0); ++i) rows.push_back(grad({g[i]}, {p}, {}, true)[0]);
  std::cout << torch::stack(rows) << "\n";

  // Interior tensors, several outputs, unused inputs.
  torch::Tensor a = p * 2, b = a.exp(), unused = torch::ones({1}, torch::requires_grad());
  variable_list parts = grad({b.sum(), a.sum()}, {a, p}, {}, true);
  std::cout << parts[0] << "\n" << parts[1] << "\n";
  variable_list none = grad({b.sum()}, {p, unused}, {}, c10::nullopt, false, /*allow_unused=*/true);
  std::cout << none[0].defined() << none[1].defined() << "\n";
}
