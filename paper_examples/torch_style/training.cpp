// A regression trained with plain gradient descent, as one writes it without torch::optim.
#include <torch/torch.h>

#include <iostream>
#include <vector>

struct Model {
  torch::Tensor w1, b1, w2, b2;

  explicit Model(int64_t hidden) {
    const auto options = torch::TensorOptions().dtype(torch::kFloat64);
    w1 = (torch::arange(hidden, options).view({1, hidden}) - 3.5) / 4;
    b1 = torch::linspace(-1, 1, hidden, options);
    w2 = torch::linspace(0.5, -0.5, hidden, options).view({hidden, 1});
    b2 = torch::zeros({1}, options);
    for (torch::Tensor& each : parameters()) each.requires_grad_(true);
  }
  std::vector<torch::Tensor> parameters() const { return {w1, b1, w2, b2}; }
  torch::Tensor forward(const torch::Tensor& x) const {
    return torch::addmm(b2, torch::tanh(torch::addmm(b1, x, w1)), w2);
  }
};

int main() {
  torch::Device device(torch::kCPU);
  if (torch::cuda::is_available() && false) device = torch::Device(torch::kCUDA);
  Model model(8);
  const torch::Tensor x =
      torch::linspace(-2, 2, 20, torch::TensorOptions(torch::kFloat64).device(device))
          .view({20, 1});
  const torch::Tensor target = torch::sin(2 * x);
  std::vector<torch::Tensor> velocity;
  for (const auto& each : model.parameters()) velocity.push_back(torch::zeros_like(each));

  for (int step = 0; step <= 200; ++step) {
    torch::Tensor loss = torch::mse_loss(model.forward(x), target);
    for (auto& each : model.parameters())
      if (each.grad().defined()) each.mutable_grad().zero_();
    loss.backward();
    {
      torch::NoGradGuard no_grad;
      std::size_t i = 0;
      for (auto& each : model.parameters()) {
        velocity[i].mul_(0.9).add_(each.grad(), 1);
        each.sub_(velocity[i++], 0.05);
      }
    }
    if (step % 50 == 0) std::cout << step << " " << loss.item<double>() << "\n";
  }
  std::cout << model.forward(torch::tensor({{0.5}, {1.0}}, torch::kDouble)).detach() << "\n";
  std::cout << model.w1 << "\n" << model.b2.grad() << "\n";
}
