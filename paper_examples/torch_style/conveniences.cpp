// What programs use besides operators: lists, ranges, text, longer forms of conversion, and
// reductions that are kept as numbers.
#include <torch/torch.h>

#include <array>
#include <cstdint>
#include <iostream>
#include <vector>

int64_t product(at::ArrayRef<int64_t> sizes) {
  int64_t result = 1;
  for (const auto size : sizes) result *= size;
  return result;
}

double total(at::ArrayRef<torch::Tensor> tensors) {
  double result = 0;
  for (const auto& tensor : tensors) result += tensor.sum().item<double>();
  return result;
}

void lists() {
  const torch::Tensor x = torch::ones({2, 3, 4});
  std::cout << product(x.sizes()) << " " << product({5, 6}) << " " << product(x.sizes().slice(1))
            << " " << product(std::vector<int64_t>{7}) << "\n";
  std::cout << total({x, x}) << " " << total(x) << " " << total(std::vector<torch::Tensor>{})
            << "\n";
  const std::array<double, 2> numbers = {1.5, 2.5};
  const c10::ArrayRef<double> borrowed = numbers;
  std::cout << borrowed.size() << borrowed.front() << borrowed.back() << borrowed.empty() << "\n";
  std::cout << x.sizes().equals({2, 3, 4}) << x.sizes().slice(0, 2).vec().size() << "\n";
  const at::IntArrayRef sizes = x.sizes();
  std::cout << sizes << c10::str(" has ", sizes.size(), " sizes, ", 2.5, " ", true) << c10::str()
            << "\n";
}

void ranges() {
  for (const auto i : c10::irange(3)) std::cout << i << " ";
  for (const auto i : c10::irange(-2, 2)) std::cout << i << " ";
  for (const auto i : c10::irange(5, 2)) std::cout << i << " never";
  for (const auto i : c10::irange(torch::ones({2, 2}).dim())) std::cout << i << " ";
  std::cout << "\n";
}

void conversions() {
  const torch::Tensor x = torch::arange(6, torch::kFloat32);
  const auto is_same_memory = [&](const torch::Tensor& y) { return y.is_alias_of(x); };
  std::cout << is_same_memory(x.to(torch::kFloat32)) << is_same_memory(x.to(x))
            << is_same_memory(x.to(torch::kFloat32, false, true))
            << is_same_memory(x.to(torch::kCPU, torch::kFloat32, false, true))
            << is_same_memory(x.to(x, false, true))
            << is_same_memory(x.to(torch::TensorOptions().dtype(torch::kFloat32)))
            << is_same_memory(x.tensor_data()) << "\n";
  std::cout << x.to(torch::TensorOptions().dtype(torch::kInt64)).scalar_type() << " "
            << x.toType(torch::kDouble).scalar_type() << " "
            << x.view_as(torch::ones({2, 3})).sizes() << " " << x.ndimension() << x.nbytes()
            << x.is_cpu() << x.is_signed() << "\n";
  const torch::Tensor table = x.view({2, 3});
  auto elements = table.accessor<float, 2>();
  float sum = 0;
  for (const auto i : c10::irange(elements.size(0)))
    for (const auto j : c10::irange(elements.size(1))) sum += elements[i][j];
  std::cout << sum << "\n";
  const torch::Tensor positive = table > 0;
  std::cout << positive.all().item<bool>() << positive.any().item<bool>() << " "
            << torch::all(positive, 0).sum().item<int64_t>() << at::any(positive, 1, true).sizes()
            << "\n";
  std::cout << torch::zeros_like(x, torch::kInt64).scalar_type() << " "
            << torch::ones_like(x, torch::requires_grad()).requires_grad() << "\n";
}

void reductions() {
  const torch::Tensor x = torch::arange(4, torch::kFloat64), y = torch::zeros_like(x);
  for (const int64_t reduction : {at::Reduction::None, at::Reduction::Mean, at::Reduction::Sum})
    std::cout << torch::mse_loss(x, y, reduction).sum().item<double>() << " ";
  std::cout << at::l1_loss(x, y, at::Reduction::Sum).item<double>() << " "
            << at::huber_loss(x, y, torch::Reduction::Mean, 0.5).item<double>() << " "
            << at::smooth_l1_loss(x, y, at::Reduction::Sum).item<double>() << "\n";
  const torch::Tensor scores = torch::zeros({2, 4}), labels = torch::tensor({1, 3});
  std::cout << at::cross_entropy_loss(scores, labels, {}, at::Reduction::Sum).item<float>() << "\n";
}

int main() {
  lists();
  ranges();
  conversions();
  reductions();
}
