// 2017 paper, 2 "Hooks":
//
//   x.register_hook(lambda grad: print(grad))
//
// "This code registers a hook on x, which prints the gradient of x whenever it is computed. A hook
// callback can also return a new gradient which is used in place of the original gradient."
//
// Such a replacement is gradient reversal: features h = w x feed a label loss and, through a hook
// that turns the gradient around and clips it, a domain loss, so that w learns to please the first
// and to confuse the second.
#include "autograd/autograd.h"
#include "ops/ops.h"
#include "paper_examples/programs.h"
#include "paper_examples/support/report.h"

namespace notape::paper {
namespace {

void observe(std::ostream& out, Report& report) {
  Variable x = tensor({1., 2., 3.}, dtype(kFloat64).requires_grad(true));
  int calls = 0;
  const uint32_t hook = x.register_hook([&](const Tensor& gradient) {
    ++calls;
    fmt::print(out, "    the hook sees {}\n", in_one_line(gradient));
  });
  fmt::print(out, "x = {}, used twice in (x * x).sum() + x.sum()\n", in_one_line(x));
  ((x * x).sum() + x.sum()).backward();
  fmt::print(out, "    x.grad is     {}\n", in_one_line(x.grad()));
  x.remove_hook(hook);
  x.sum().backward();
  report.add("1 call with the summed gradient",
             fmt::format("{} call with the summed gradient", calls));
}

void reverse(std::ostream& out, Report& report) {
  constexpr double lambda = 0.5, limit = 1;
  const TensorOptions data = dtype(kFloat64);
  Variable w = tensor({1., -1.}, data.requires_grad(true));
  const Tensor x = tensor({3., 1.}, data);

  Variable h = w * x;
  Variable reversed = h.view({2});
  reversed.register_hook([&](const Tensor& gradient) {
    fmt::print(out, "    first hook:  {}, returns it times {}\n", in_one_line(gradient), -lambda);
    return -lambda * gradient;
  });
  reversed.register_hook([&](const Tensor& gradient) {
    fmt::print(out, "    second hook: {}, returns it clipped to [{}, {}]\n", in_one_line(gradient),
               -limit, limit);
    return gradient.clamp(-limit, limit);
  });
  const Variable label_loss = h.sum();                                      // d/dh = 1, 1
  const Variable domain_loss = (reversed * tensor({4., -1.}, data)).sum();  // d/dh = 4, -1
  fmt::print(out, "\nh = {}: label loss h1 + h2, domain loss 4 h1 - h2 behind two hooks\n",
             in_one_line(h));
  (label_loss + domain_loss).backward();
  fmt::print(out, "    w.grad = {}\n", in_one_line(w.grad()));
  // h.grad = (1, 1) + clip(-0.5 (4, -1)) = (1, 1) + (-1, 0.5); w.grad = x h.grad
  report.add("w.grad [0, 1.5]", "w.grad " + in_one_line(w.grad()));
}

}  // namespace

int hooks(std::ostream& out) {
  Report report;
  observe(out, report);
  reverse(out, report);
  return report.conclude(out);
}

}  // namespace notape::paper
