// Looking at the graph: names, edges, leaves.
#include <torch/torch.h>

#include <iostream>
#include <string>

namespace {

void walk(const torch::autograd::Edge& edge, int depth) {
  std::cout << std::string(static_cast<std::size_t>(2 * depth), ' ');
  if (!edge.is_valid()) {
    std::cout << "(nothing)\n";
    return;
  }
  if (edge.function->name().find("AccumulateGrad") != std::string::npos) {
    std::cout << "a leaf\n";
    return;
  }
  std::cout << edge.function->name() << " input " << edge.input_nr << "\n";
  for (const auto& next : edge.function->next_edges()) walk(next, depth + 1);
}

}  // namespace

int main() {
  torch::Tensor x = torch::ones({2, 2}, torch::requires_grad());
  torch::Tensor w = torch::ones({2, 2}, torch::requires_grad());
  torch::Tensor constant = torch::ones({2, 2});
  torch::Tensor y = (torch::mm(x, w).tanh() + constant) * x;
  walk({y.sum(0).grad_fn(), 0}, 0);
  std::cout << y.grad_fn()->name() << " " << y.grad_fn()->next_edges().size() << " "
            << y.grad_fn()->num_inputs() << "\n";
  std::cout << (y.grad_fn()->name() == "MulBackward0") << y.is_leaf() << x.is_leaf()
            << constant.is_leaf() << (x.grad_fn() ? 1 : 0) << "\n";
  const std::string name = y.grad_fn()->next_edge(0).function->name();
  std::cout << name << "\n";
  const auto parts = y.unbind(0);
  std::cout << parts[1].grad_fn()->name() << "\n";
  for (const torch::Tensor& each : {x + 1,
                                    x - w,
                                    x / 2,
                                    -x,
                                    x.exp(),
                                    x.pow(2),
                                    x.sum(0),
                                    x.mean(0),
                                    x.t(),
                                    x.view({4}),
                                    x.select(0, 1),
                                    x[0],
                                    x.unsqueeze(0),
                                    x.clone(),
                                    x.relu(),
                                    x.sigmoid(),
                                    x.log_softmax(1),
                                    x.softmax(0),
                                    torch::cat({x, w}),
                                    x.expand({3, 2, 2}),
                                    x.permute({1, 0}),
                                    x.transpose(0, 1),
                                    torch::where(x > 0, x, w),
                                    x.max(),
                                    x.cumsum(0)})
    std::cout << each.grad_fn()->name() << "\n";
  torch::Tensor z = x * 2;
  z.add_(1);
  std::cout << z.grad_fn()->name() << "\n";
}
