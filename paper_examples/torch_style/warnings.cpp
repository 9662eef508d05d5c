// Warnings of programs, and handlers for them (since LibTorch 2); inference mode by each of its
// names.
#include <torch/torch.h>

#include <iostream>

struct Print : c10::WarningHandler {
  void process(const c10::Warning& warning) override {
    std::cout << "warned: " << warning.msg() << "\n";
  }
};

void warn_at_one_place(int number) { TORCH_WARN_ONCE("once, at number ", number); }

int main() {
  Print print;
  {
    const c10::WarningUtils::WarningHandlerGuard guard(&print);
    TORCH_WARN("a number: ", 3, ", a list: ", torch::ones({2, 3}).sizes());
    for (int i = 0; i < 3; ++i) warn_at_one_place(i);
    std::cout << c10::WarningUtils::get_warnAlways() << "\n";
    c10::WarningUtils::set_warnAlways(true);
    std::cout << c10::WarningUtils::get_warnAlways() << "\n";
    c10::WarningUtils::set_warnAlways(false);
    std::cout << (c10::WarningUtils::get_warning_handler() == &print) << "\n";
  }
  std::cout << (c10::WarningUtils::get_warning_handler() == &print) << "\n";
  {
    const c10::InferenceMode inference;
    const torch::Tensor x = torch::ones({2});
    std::cout << x.is_inference() << c10::InferenceMode::is_enabled()
              << torch::GradMode::is_enabled() << "\n";
    const torch::InferenceMode ordinary(false);
    std::cout << torch::ones({2}).is_inference() << torch::InferenceMode::is_enabled() << "\n";
  }
  const at::NoGradGuard no_grad;
  std::cout << at::GradMode::is_enabled() << at::InferenceMode::is_enabled() << "\n";
}
