// 2017 paper, Figure 1:
//
//   from torch.autograd import Variable
//   x, prev_h = Variable(torch.randn(1, 10)), Variable(torch.randn(1, 20))
//   W_h, W_x = Variable(torch.randn(20, 20)), Variable(torch.randn(20, 10))
//   i2h = torch.matmul(W_x, x.t())
//   h2h = torch.matmul(W_h, prev_h.t())
//   (i2h + h2h).tanh().sum().backward()
//
// As printed no Variable requires grad, so backward() has nothing to do and says so. With
// requires_grad on W_h and W_x, and d = 1 - tanh^2(W_x x^T + W_h prev_h^T), the gradients are
// dW_x = d x and dW_h = d prev_h.
#include "autograd/autograd.h"
#include "ops/ops.h"
#include "paper_examples/programs.h"
#include "paper_examples/support/report.h"

namespace notape::paper {
namespace {

void as_printed() {
  Variable x = randn({1, 10}), prev_h = randn({1, 20});
  Variable W_h = randn({20, 20}), W_x = randn({20, 10});
  Variable i2h = matmul(W_x, x.t());
  Variable h2h = matmul(W_h, prev_h.t());
  (i2h + h2h).tanh().sum().backward();
}

/// df/dw by central differences, (f(w + h) - f(w - h)) / 2h for one element of w after the other.
Tensor finite_differences(const std::function<Tensor()>& f, const Tensor& w) {
  constexpr double h = 1e-5;
  const NoGradGuard no_grad;
  Tensor gradient = zeros_like(w);
  for (int64_t i = 0; i < w.size(0); ++i) {
    for (int64_t j = 0; j < w.size(1); ++j) {
      Tensor element = w[i][j];
      const double value = element.item();
      element.fill_(value + h);
      const double above = f().item();
      element.fill_(value - h);
      const double below = f().item();
      element.fill_(value);
      gradient.index_put_({i, j}, (above - below) / (2 * h));
    }
  }
  return gradient;
}

double largest_difference(const Tensor& a, const Tensor& b) { return (a - b).abs().max().item(); }

}  // namespace

int fig1(std::ostream& out) {
  manual_seed(2017);
  Report report;

  fmt::print(out, "As printed, no Variable requires grad, and backward() raises\n");
  const std::string kind = kind_of_error(out, as_printed);
  report.add("NothingRequiresGrad as printed", kind + " as printed");

  const TensorOptions data = kFloat64;
  Variable x = randn({1, 10}, data), prev_h = randn({1, 20}, data);
  Variable W_h = randn({20, 20}, data.requires_grad(true));
  Variable W_x = randn({20, 10}, data.requires_grad(true));
  const auto hidden = [&] {
    Variable i2h = matmul(W_x, x.t());
    Variable h2h = matmul(W_h, prev_h.t());
    return (i2h + h2h).tanh();
  };
  const auto y = [&] { return hidden().sum(); };
  y().backward();

  const Unobserved check;
  const Tensor d = 1 - hidden().detach().square();  // (20, 1)
  struct Row {
    const char* name;
    const Variable& weight;
    Tensor formula;
    const char* formula_in_words;
  };
  fmt::print(out, "\nWith requires_grad on W_h and W_x, in float64:\n");
  fmt::print(out,
             "    gradient       shape       formula       off by    finite differences off by\n");
  double from_formula = 0, from_differences = 0;
  for (const Row& row : {Row{"W_x.grad", W_x, matmul(d, x), "d x"},
                         Row{"W_h.grad", W_h, matmul(d, prev_h), "d prev_h"}}) {
    const Tensor& gradient = row.weight.grad();
    const double formula = largest_difference(gradient, row.formula);
    const double differences = largest_difference(gradient, finite_differences(y, row.weight));
    fmt::print(out, "    {:<14} {:<11} {:<13} {:<9.2g} {:.2g}\n", row.name,
               to_string(gradient.sizes()), row.formula_in_words, formula, differences);
    from_formula = std::max(from_formula, formula);
    from_differences = std::max(from_differences, differences);
  }
  fmt::print(out, "    {:<14} {}\n", "x.grad", in_one_line(x.grad()));
  fmt::print(out, "    {:<14} {}\n", "prev_h.grad", in_one_line(prev_h.grad()));

  report.add("formula to 1e-12", fmt::format("formula to {:.2g}", from_formula),
             from_formula <= 1e-12);
  report.add("finite differences to 1e-6",
             fmt::format("finite differences to {:.2g}", from_differences),
             from_differences <= 1e-6);
  report.add_fact("x.grad undefined", !x.grad().defined());
  report.add_fact("prev_h.grad undefined", !prev_h.grad().defined());
  return report.conclude(out);
}

}  // namespace notape::paper
