// torch::autograd::Function: a linear layer, several outputs, non-tensor arguments, in-place.
#include <torch/torch.h>

#include <iostream>

using torch::autograd::AutogradContext;
using torch::autograd::Function;
using torch::autograd::tensor_list;
using torch::autograd::Variable;
using torch::autograd::variable_list;

class Linear : public Function<Linear> {
 public:
  static torch::Tensor forward(AutogradContext* ctx, torch::Tensor input, torch::Tensor weight,
                               torch::Tensor bias) {
    ctx->save_for_backward({input, weight});
    torch::Tensor output = input.mm(weight.t());
    output += bias.unsqueeze(0).expand({output.size(0), bias.size(0)});
    return output;
  }
  static tensor_list backward(AutogradContext* ctx, tensor_list grad_outputs) {
    auto saved = ctx->get_saved_variables();
    auto input = saved[0], weight = saved[1];
    auto grad_output = grad_outputs[0];
    return {grad_output.mm(weight), grad_output.t().mm(input), grad_output.sum(0)};
  }
};

struct Cube : public Function<Cube> {
  static Variable forward(AutogradContext* ctx, Variable x) {
    ctx->save_for_backward({x});
    return x * x * x;
  }
  static variable_list backward(AutogradContext* ctx, variable_list grads) {
    const Variable x = ctx->get_saved_variables()[0];
    return {grads[0] * 3 * x * x};
  }
};

struct SplitSign : public Function<SplitSign> {
  static variable_list forward(AutogradContext* ctx, const Variable& x) {
    Variable positive = x.clamp_min(0), mask = x > 0;
    ctx->save_for_backward({mask});
    ctx->mark_non_differentiable({mask});
    return {positive, x - positive, mask};
  }
  static variable_list backward(AutogradContext* ctx, variable_list grads) {
    const Variable mask = ctx->get_saved_variables()[0];
    return {torch::where(mask, grads[0], grads[1])};
  }
};

struct DoubleInPlace : public Function<DoubleInPlace> {
  static Variable forward(AutogradContext* ctx, Variable x) {
    x.mul_(2);
    ctx->mark_dirty({x});
    return x;
  }
  static variable_list backward(AutogradContext*, variable_list grads) { return {grads[0] * 2}; }
};

int main() {
  const auto options = torch::dtype(torch::kFloat64).requires_grad(true);
  torch::Tensor input = torch::tensor({{1.0, 2.0}, {3.0, 4.0}, {5.0, 6.0}}, options);
  torch::Tensor weight = torch::tensor({{1.0, -1.0}, {0.5, 2.0}}, options);
  torch::Tensor bias = torch::tensor({10.0, 20.0}, options);
  torch::Tensor y = Linear::apply(input, weight, bias);
  y.pow(2).sum().backward();
  std::cout << y << "\n" << input.grad() << "\n" << weight.grad() << "\n" << bias.grad() << "\n";

  torch::Tensor x = torch::tensor({-1.0, 2.0, 0.5}, options);
  torch::Tensor slope =
      torch::autograd::grad({Cube::apply(x).sum()}, {x}, {}, c10::nullopt, true)[0];
  slope.sum().backward();
  std::cout << slope << "\n" << x.grad() << "\n";
  x.mutable_grad().reset();

  variable_list parts = SplitSign::apply(x);
  std::cout << parts[0].requires_grad() << parts[2].requires_grad() << parts[2] << "\n";
  (parts[0] * 10 + parts[1] * 100).sum().backward();
  std::cout << x.grad() << "\n";
  x.mutable_grad().reset();

  torch::Tensor twice = x * 1;
  torch::Tensor same = DoubleInPlace::apply(twice);
  std::cout << same.data_ptr<double>() - twice.data_ptr<double>() << " " << twice << "\n";
  same.sum().backward();
  std::cout << x.grad() << "\n";
  {
    torch::NoGradGuard guard;
    std::cout << Cube::apply(x).requires_grad() << "\n";
  }
}
