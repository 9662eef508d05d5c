// Misuse is an exception with LibTorch's words.
#include <torch/torch.h>

#include <functional>
#include <iostream>
#include <string>

namespace {

/// LibTorch throws c10::Error for most of these and std::runtime_error for some.
void expect(const std::string& fragment, const std::function<void()>& f) {
  const auto report = [&](const std::string& text) {
    std::cout << (text.find(fragment) != std::string::npos ? "as expected: " : "other words than: ")
              << fragment << "\n";
  };
  try {
    f();
    std::cout << "no error: " << fragment << "\n";
  } catch (const c10::Error& error) {
    report(error.what_without_backtrace());
  } catch (const std::exception& error) {
    report(error.what());
  }
}

}  // namespace

int main() {
  torch::Tensor x = torch::ones({3}, torch::requires_grad());
  expect("does not require grad and does not have a grad_fn", [] { torch::ones({1}).backward(); });
  expect("grad can be implicitly created only for scalar outputs", [&] { (x * 2).backward(); });
  expect("Trying to backward through the graph a second time", [&] {
    torch::Tensor y = x.exp().sum();
    y.backward();
    y.backward();
  });
  expect("one of the variables needed for gradient computation has been modified by an inplace",
         [&] {
           torch::Tensor y = x.exp();
           y.mul_(2);
           y.sum().backward();
         });
  expect("a leaf Variable that requires grad is being used in an in-place operation",
         [&] { x.add_(1); });
  expect("a view of a leaf Variable that requires grad is being used in an in-place operation",
         [&] { x[0].add_(1); });
  expect("appears to not have been used in the graph", [&] {
    torch::Tensor other = torch::ones({1}, torch::requires_grad());
    torch::autograd::grad({x.sum()}, {other});
  });
  expect("Only Tensors of floating point and complex dtype can require gradients",
         [] { torch::ones({2}, torch::kLong).requires_grad_(); });
  expect("you can only change requires_grad flags of leaf variables",
         [&] { (x * 2).requires_grad_(false); });
  expect("cannot register a hook on a variable that doesn't require gradient",
         [] { torch::ones({1}).register_hook([](torch::Tensor) {}); });
  expect("Can't detach views in-place", [&] { (x * 1)[0].detach_(); });
  expect("The size of tensor a (2) must match the size of tensor b (3)",
         [] { torch::ones({2}) + torch::ones({3}); });
  expect("mat1 and mat2 shapes cannot be multiplied (2x3 and 2x3)", [] {
    torch::mm(torch::ones({2, 3}), torch::ones({2, 3}));
  });
  expect("shape '[4]' is invalid for input of size 3", [&] { x.view({4}); });
  expect("Dimension out of range", [&] { x.sum(2); });
  expect("more than one element of the written-to tensor refers to a single memory location",
         [] { torch::ones({1}).expand({3}).add_(1); });
  expect("sizes 2 and 3 differ",
         [] { TORCH_CHECK(1 + 1 == 3, "sizes ", 2, " and ", 3, " differ"); });
  expect("Expected 1 > 2 to be true, but got false.", [] { TORCH_CHECK(1 > 2); });
  TORCH_CHECK(x.defined(), "never evaluated");
  try {
    torch::mm(x, x);
  } catch (const c10::Error& error) {
    const std::string text = error.what_without_backtrace();
    std::cout << "a c10::Error: " << (text.find("self must be a matrix") != std::string::npos)
              << "\n";
  }
  try {
    x.view({4});
  } catch (const std::exception&) {
    std::cout << "a std::exception, too\n";
  }
}
