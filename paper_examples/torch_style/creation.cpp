// Factories and options.
#include <torch/torch.h>

#include <iostream>
#include <vector>

int main() {
  torch::manual_seed(7);
  std::cout << torch::tensor({1.5, -2.0, 3.25}) << "\n";
  std::cout << torch::tensor({{1, 2}, {3, 4}}) << "\n";
  std::cout << torch::tensor({1, 2, 3}, torch::kFloat64) << "\n";
  std::cout << torch::tensor({true, false}) << "\n";
  std::cout << torch::tensor(3.5, torch::dtype(torch::kDouble)) << "\n";
  std::cout << torch::ones({2, 3}) << "\n" << torch::zeros({2}, torch::kLong) << "\n";
  std::cout << torch::full({2, 2}, 7.5, torch::kFloat32) << "\n";
  std::cout << torch::arange(5) << "\n" << torch::arange(1, 10, 3) << "\n";
  std::cout << torch::arange(0, 1, 0.25, torch::kDouble) << "\n";
  std::cout << torch::linspace(0, 1, 5) << "\n" << torch::eye(3) << "\n";

  torch::TensorOptions options =
      torch::TensorOptions().dtype(torch::kFloat64).device(torch::kCPU).requires_grad(true);
  torch::Tensor x = torch::ones({2, 2}, options);
  std::cout << x.requires_grad() << " " << x.is_leaf() << " " << (x.dtype() == torch::kFloat64)
            << " " << x.scalar_type() << " " << x.device() << "\n";
  std::cout << torch::zeros_like(x) << torch::ones_like(x).sizes() << "\n";
  std::cout << torch::full_like(x, 2.5) << torch::zeros({1}, x.options()).requires_grad() << "\n";

  const at::Tensor uniform = torch::rand({1000});
  std::cout << (uniform.min().item<float>() >= 0) << (uniform.max().item<float>() < 1) << " "
            << torch::randn({4, 5}).sizes() << "\n";
  const auto dice = torch::randint(1, 7, {100});
  std::cout << dice.min().item<int64_t>() << " " << dice.max().item<int64_t>() << " "
            << torch::randn_like(x).sizes() << "\n";

  std::vector<float> memory = {1, 2, 3, 4, 5, 6};
  torch::Tensor borrowed = torch::from_blob(memory.data(), {2, 3});
  memory[4] = 50;
  borrowed.mul_(2);
  std::cout << borrowed << "\n" << memory[0] << " " << memory[4] << "\n";
  const float* values = borrowed.data_ptr<float>();
  std::cout << values[5] << " " << borrowed.numel() << " " << borrowed.dim() << "\n";

  torch::Tensor nothing;
  std::cout << nothing.defined() << " " << borrowed.defined() << "\n";
  std::cout << torch::empty({0, 3}).sizes() << " " << torch::empty({0, 3}).numel() << "\n";
  const c10::IntArrayRef sizes = borrowed.sizes();
  std::cout << sizes << " " << sizes.size() << " " << sizes[1] << " "
            << (sizes == torch::IntArrayRef({2, 3})) << " " << sizes.vec().back() << "\n";
}
