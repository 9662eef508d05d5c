// What a user function keeps besides tensors, and undefined gradients.
#include <torch/torch.h>

#include <iostream>
#include <string>
#include <vector>

using torch::autograd::AutogradContext;
using torch::autograd::Function;
using torch::autograd::variable_list;

struct Scale : Function<Scale> {
  static torch::Tensor forward(AutogradContext* ctx, torch::Tensor x, int64_t power, double factor,
                               bool negate) {
    ctx->saved_data["power"] = power;
    ctx->saved_data["factor"] = factor;
    ctx->saved_data["negate"] = negate;
    ctx->saved_data["three"] = 3;
    ctx->saved_data["name"] = std::string("scale");
    ctx->saved_data["sizes"] = std::vector<int64_t>{4, 5};
    ctx->saved_data["offset"] = torch::ones({2});
    ctx->save_for_backward({x});
    const torch::Tensor y = x.pow(power) * factor;
    return negate ? -y : y;
  }
  static variable_list backward(AutogradContext* ctx, variable_list grads) {
    const int64_t power = ctx->saved_data["power"].toInt();
    const double factor = ctx->saved_data["factor"].toDouble();
    const double sign = ctx->saved_data["negate"].toBool() ? -1 : 1;
    std::cout << ctx->saved_data["name"].toStringRef() << " " << ctx->saved_data["three"].toInt()
              << " " << ctx->saved_data["sizes"].toIntVector()[1] << " "
              << ctx->saved_data["offset"].toTensor().numel() << " "
              << ctx->saved_data["power"].isInt() << ctx->saved_data["factor"].isDouble()
              << ctx->saved_data["power"].isTensor() << ctx->saved_data["nothing"].isNone() << "\n";
    const torch::Tensor x = ctx->get_saved_variables()[0];
    return {grads[0] * (sign * factor * static_cast<double>(power)) * x.pow(power - 1),
            torch::Tensor(), torch::Tensor(), torch::Tensor()};
  }
};

struct TwoOutputs : Function<TwoOutputs> {
  static variable_list forward(AutogradContext* ctx, torch::Tensor x, bool materialize) {
    ctx->set_materialize_grads(materialize);
    return {x * 2, x * 3};
  }
  static variable_list backward(AutogradContext*, variable_list grads) {
    std::cout << "defined: " << grads[0].defined() << grads[1].defined() << "\n";
    return {grads[0] * 2, torch::Tensor()};
  }
};

struct OfList : Function<OfList> {
  static torch::Tensor forward(AutogradContext* ctx, torch::Tensor a, at::TensorList rest) {
    ctx->saved_data["count"] = static_cast<int64_t>(rest.size());
    torch::Tensor sum = a.clone();
    for (const torch::Tensor& each : rest) sum += each;
    return sum;
  }
  static variable_list backward(AutogradContext* ctx, variable_list grads) {
    variable_list result = {grads[0]};
    for (int64_t i = 0; i < ctx->saved_data["count"].toInt(); ++i)
      result.push_back(grads[0] * static_cast<double>(i + 2));
    return result;
  }
};

int main() {
  torch::Tensor x = torch::tensor({1.0, 2.0, 2.5}, torch::requires_grad());
  torch::Tensor y = Scale::apply(x, 3, 0.5, true);
  y.sum().backward();
  std::cout << y << "\n" << x.grad() << "\n";

  for (const bool materialize : {true, false}) {
    x.mutable_grad().reset();
    TwoOutputs::apply(x, materialize)[0].sum().backward();
    std::cout << x.grad() << "\n";
  }

  torch::Tensor a = torch::ones({2}, torch::requires_grad());
  torch::Tensor b = torch::ones({2}, torch::requires_grad());
  torch::Tensor c = torch::ones({2});
  const std::vector<torch::Tensor> rest = {b, c};
  OfList::apply(a, at::TensorList(rest)).sum().backward();
  std::cout << a.grad() << "\n" << b.grad() << "\n" << c.grad().defined() << "\n";
}
