// Grad mode, inference mode, anomaly mode.
#include <torch/torch.h>

#include <iostream>

int main() {
  torch::Tensor x = torch::ones({2}, torch::requires_grad());
  std::cout << torch::GradMode::is_enabled() << (x * 2).requires_grad() << "\n";
  {
    torch::NoGradGuard no_grad;
    std::cout << at::GradMode::is_enabled() << (x * 2).requires_grad() << "\n";
    x.mul_(3);
    {
      torch::AutoGradMode enable(true);
      std::cout << torch::GradMode::is_enabled() << (x * 2).requires_grad() << "\n";
    }
    std::cout << torch::GradMode::is_enabled() << x.requires_grad() << x.is_leaf() << "\n";
  }
  std::cout << x << "\n";
  torch::GradMode::set_enabled(false);
  const torch::Tensor constant = x * 5;
  torch::GradMode::set_enabled(true);
  std::cout << constant.requires_grad() << constant.is_leaf() << "\n";
  {
    c10::InferenceMode guard;
    const torch::Tensor inside = torch::ones({2}) + x;
    std::cout << c10::InferenceMode::is_enabled() << inside.is_inference() << inside.requires_grad()
              << torch::GradMode::is_enabled() << "\n";
    {
      torch::InferenceMode normal(false);
      std::cout << torch::ones({2}).is_inference() << (x * 2).requires_grad() << "\n";
    }
  }
  torch::Tensor made_inside;
  {
    torch::InferenceMode guard(true);
    made_inside = torch::ones({2});
  }
  std::cout << (made_inside + x).requires_grad() << made_inside.clone().is_inference() << "\n";
  try {
    std::cout << (made_inside * x).sizes() << "\n";
  } catch (const c10::Error& error) {
    const std::string text = error.what();
    std::cout << (text.find("Inference tensors cannot be saved for backward.") == 0) << "\n";
  }

  std::cout << torch::autograd::AnomalyMode::is_enabled();
  {
    torch::autograd::DetectAnomalyGuard detect;
    std::cout << torch::autograd::AnomalyMode::is_enabled();
    torch::Tensor zero = torch::zeros({1}, torch::requires_grad());
    try {
      (zero.sqrt() * 0).backward();
    } catch (const std::exception& error) {
      const std::string text = error.what();
      std::cout << (text.find("Function 'SqrtBackward0' returned nan values in its 0th output.") ==
                    0);
    }
  }
  torch::autograd::AnomalyMode::set_enabled(true);
  std::cout << torch::autograd::AnomalyMode::is_enabled();
  torch::autograd::AnomalyMode::set_enabled(false);
  std::cout << torch::autograd::AnomalyMode::is_enabled() << "\n";
}
