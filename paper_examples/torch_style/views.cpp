// Views, in-place writes through them, versions, detach().
#include <torch/torch.h>

#include <iostream>

int main() {
  const auto options = torch::dtype(torch::kFloat64);
  torch::Tensor leaf = torch::arange(6, options).view({2, 3}).requires_grad_(false).clone();
  leaf.requires_grad_();
  torch::Tensor base = leaf * 1;
  torch::Tensor row = base[1], column = base.select(1, 0);
  std::cout << row.is_view() << base.is_view() << row._base().is_same(base) << "\n";
  row.mul_(10);
  column.add_(100);
  std::cout << base << "\n" << column << "\n" << base._version() << row._version() << "\n";
  (base * torch::arange(1, 7, options).view({2, 3})).sum().backward();
  std::cout << leaf.grad() << "\n";

  torch::Tensor flat = torch::zeros({4}, options);
  torch::Tensor square = flat.view({2, 2});
  square.t()[0].copy_(torch::tensor({5.0, 6.0}, options));
  std::cout << flat << "\n"
            << flat._version() << " " << square.t().strides() << " " << square.t().is_contiguous()
            << square.t().contiguous().is_contiguous() << "\n";
  std::cout << square.diagonal() << "\n" << flat.as_strided({2, 2}, {1, 1}) << "\n";
  std::cout << square.permute({1, 0}).sizes() << square.flatten().sizes()
            << square.unsqueeze(1).sizes() << square.unsqueeze(1).squeeze().sizes()
            << square.expand({3, 2, 2}).strides() << square[1].storage_offset() << "\n";

  torch::Tensor written = torch::zeros({3}, options);
  torch::Tensor source = torch::tensor({1.0, 2.0}, options).requires_grad_();
  torch::Tensor part = written.narrow(0, 1, 2);
  part.copy_(source * source);
  std::cout << written.requires_grad() << written.is_leaf() << written << "\n";
  (written * 3).sum().backward();
  std::cout << source.grad() << "\n";

  torch::Tensor detached = base.detach();
  detached.zero_();
  std::cout << base.detach() << "\n" << detached.requires_grad() << detached.is_leaf() << "\n";
  torch::Tensor cut = leaf * 2;
  cut.detach_();
  std::cout << cut.requires_grad() << cut.is_leaf() << "\n";
  leaf.set_data(torch::ones({2, 2}, options));
  std::cout << leaf.sizes() << leaf.requires_grad() << "\n";
  torch::Tensor resized = torch::arange(6).t();
  resized.resize_({2, 2});
  std::cout << resized << "\n";
  torch::Tensor turned = torch::arange(6).view({2, 3}).clone();
  turned.t_().unsqueeze_(0);
  std::cout << turned.sizes() << turned.strides() << "\n";
}
