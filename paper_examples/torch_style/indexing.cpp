// Python's subscripts in C++: torch::indexing, x[i], and writing through both.
#include <torch/torch.h>

#include <iostream>

using torch::indexing::Ellipsis;
using torch::indexing::None;
using torch::indexing::Slice;

int main() {
  torch::Tensor x = torch::arange(24, torch::kFloat32).view({2, 3, 4});
  std::cout << x[1] << "\n" << x[0][2] << "\n" << x[1][2][3].item<float>() << "\n";
  std::cout << x.index({0}) << "\n" << x.index({Slice(), 1}) << "\n";
  std::cout << x.index({1, Slice(1, None), Slice(None, None, 2)}) << "\n";
  std::cout << x.index({Ellipsis, -1}) << "\n" << x.index({"...", 0}) << "\n";
  std::cout << x.index({None, 0, 0}).sizes() << x.index({Slice(), None, 2}).sizes() << "\n";
  std::cout << x.index({Slice(), Slice(), torch::tensor({3, 0, 0})}) << "\n";
  std::cout << x.index({x > 20}) << "\n";
  std::cout << x.index({torch::tensor({1, 0}), torch::tensor({2, 1})}) << "\n";

  x.index_put_({0, Slice(), 1}, -1);
  x.index_put_({1, 2}, torch::tensor({9.0, 8.0, 7.0, 6.0}));
  x.index_put_({x > 15}, 0);
  std::cout << x << "\n";
  x[0] = x[1] * 10;
  x[1][0] = 5;
  x.select(2, 3).zero_();
  x[1] += 1;
  std::cout << x << "\n";

  torch::Tensor table = torch::tensor({{1.0, 2.0}, {3.0, 4.0}, {5.0, 6.0}}, torch::requires_grad());
  torch::Tensor rows = table.index({torch::tensor({0, 2, 0})});
  (rows * torch::tensor({{1.0}, {10.0}, {100.0}})).sum().backward();
  std::cout << rows << "\n" << table.grad() << "\n";
  table.mutable_grad().reset();
  table.index({Slice(1), 0}).sum().backward();
  std::cout << table.grad() << "\n";
  std::cout << torch::gather(table.detach(), 1, torch::tensor({{0}, {1}, {0}})) << "\n";
  std::cout << table.detach().index_select(0, torch::tensor({2, 1})) << "\n";
  std::cout << table.narrow(0, 1, 2).sizes() << table.slice(0, 0, 3, 2).sizes()
            << table.chunk(2)[1].sizes() << table.split(1)[2].sizes() << table.unbind(1).size()
            << "\n";
}
