// Operators, methods, in-place forms, promotion, reductions, matrices.
#include <torch/torch.h>

#include <iostream>
#include <tuple>

int main() {
  const torch::Tensor a = torch::tensor({{1.0, 2.0}, {3.0, 4.0}});
  const torch::Tensor b = torch::tensor({{0.5, -1.0}, {2.0, 0.25}});
  std::cout << a + b << "\n" << a - b << "\n" << a * b << "\n" << a / b << "\n" << -a << "\n";
  std::cout << 2 * a + 1 << "\n" << 1 - a << "\n" << 1 / a << "\n" << torch::rsub(a, 10) << "\n";
  std::cout << torch::add(a, b, 10) << "\n" << a.sub(b, 2) << "\n" << torch::pow(a, 2) << "\n";
  std::cout << (a > b) << "\n" << (a == 2) << "\n" << torch::le(a, 2.0) << "\n";
  std::cout << a.exp().log1p() << "\n" << torch::tanh(b) << "\n" << torch::sigmoid(b) << "\n";
  std::cout << torch::relu(b) << "\n" << b.abs().sqrt() << "\n" << b.clamp(-0.5, 0.5) << "\n";
  std::cout << torch::where(a > 2, a, b) << "\n" << torch::maximum(a, b * 4) << "\n";

  torch::Tensor c = a.clone();
  c.add_(1).mul_(2);
  c += b;
  c -= 1;
  c *= b;
  c /= 2;
  std::cout << c << "\n" << a << "\n";
  c.zero_();
  c.fill_(3).copy_(torch::tensor({1.0, 2.0}));
  std::cout << c << "\n";

  const torch::Tensor n = torch::arange(6).view({2, 3});
  std::cout << (n + 1).scalar_type() << " " << (n + 1.5).scalar_type() << " "
            << (n / 2).scalar_type() << " " << (n > 2).scalar_type() << "\n";
  std::cout << n.to(torch::kFloat64) << "\n" << n.sum() << "\n" << n.sum(0) << "\n";
  std::cout << n.sum({1}, /*keepdim=*/true) << "\n" << n.to(torch::kFloat).mean() << "\n";
  std::cout << a.mean(1) << "\n" << torch::prod(a) << "\n" << n.t().max() << "\n";
  const std::tuple<torch::Tensor, torch::Tensor> largest = torch::max(b, 1);
  std::cout << std::get<0>(largest) << std::get<1>(largest) << "\n";
  torch::Tensor smallest, where;
  std::tie(smallest, where) = b.min(0);
  std::cout << smallest << where << "\n" << torch::argmax(b, 1) << "\n";
  std::cout << torch::softmax(a, 1) << "\n" << a.log_softmax(0) << "\n" << a.cumsum(1) << "\n";
  std::cout << torch::logsumexp(a, {1}) << "\n" << a.var() << "\n";

  std::cout << torch::mm(a, b) << "\n" << a.matmul(b[0]) << "\n" << torch::dot(a[0], b[1]) << "\n";
  std::cout << torch::outer(a[0], b[0]) << "\n" << torch::addmm(a, a, b) << "\n";
  std::cout << torch::bmm(a.unsqueeze(0), b.unsqueeze(0)) << "\n";
  std::cout << torch::cat({a, b}, 1) << "\n" << torch::stack({a, b}).sizes() << "\n";
  std::cout << torch::allclose(a.exp().log(), a) << torch::allclose(a, b) << a.allclose(a + 1e-9)
            << torch::equal(a, a.clone()) << a.equal(b) << "\n";
  std::cout << torch::nll_loss(torch::log_softmax(a, 1), torch::tensor({0, 1})) << "\n";
  std::cout << torch::mse_loss(a, b) << "\n" << a.sum().item<float>() << "\n";
}
