#include <torch/torch.h>

#include <iostream>

int main() {
  torch::Tensor x = torch::ones({2}, torch::requires_grad());
  (x * 3).sum().backward();
  TORCH_CHECK(torch::equal(x.grad(), torch::full({2}, 3.0)), "wrong gradient: ", x.grad());
}
