// At most 64 elements: what an operation costs beside its arithmetic.
#include "bench/side_by_side/cases.h"

namespace side {
namespace {

Tensor figure1(const Tensor& w_x, const Tensor& w_h, const Tensor& x, const Tensor& h) {
  return (library::matmul(w_x, x.t()) + library::matmul(w_h, h.t())).tanh().sum();
}

void add_without_graph(std::vector<Case>& cases) {
  const Tensor a = library::rand({8}), b = library::rand({8});
  cases.push_back({"empty of 1", [] { library::empty({1}); }});
  cases.push_back({"view of 8", [=] { a.view({2, 4}); }});
  cases.push_back({"narrow of 8", [=] { a.narrow(0, 2, 4); }});
  cases.push_back({"add 8, no graph", [=] { a + b; }});
  cases.push_back({"add in place 8, no graph", [=] { Tensor(a).add_(b); }});
  cases.push_back({"mul by number 8, no graph", [=] { a * 2.0; }});
}

void add_with_graph(std::vector<Case>& cases) {
  const Tensor x = leaf({8}), y = leaf({8}), m = leaf({8, 8}), n = leaf({8, 8}), l = leaf({64});
  add_pair(cases, "add 8", [=] { return x + y; });
  add_pair(cases, "mul 8", [=] { return x * y; });
  add_pair(cases, "mul by number 8", [=] { return x * 2.0; });
  add_pair(cases, "tanh 8", [=] { return x.tanh(); });
  add_pair(cases, "sum 64", [=] { return l.sum(); });
  add_pair(cases, "mm 8x8", [=] { return m.mm(n); });
  add_pair(cases, "softmax 8x8", [=] { return m.softmax(1); });
  add_pair(cases, "layer_norm 8x8", [=] { return library::layer_norm(m, {8}, x, y); });
  add_pair(cases, "cat 8 and 8", [=] { return library::cat({x, y}); });
  add_pair(cases, "linear 8x8", [=] { return library::linear(m, n, x); });
  add_pair(cases, "chain of 100 adds", [=] {
    Tensor t = x;
    for (int i = 0; i < 100; ++i) t = t + y;
    return t;
  });
  add_pair(cases, "chain of 100 muls", [=] {
    Tensor t = x;
    for (int i = 0; i < 100; ++i) t = t * y;
    return t;
  });
}

}  // namespace

void add_small(std::vector<Case>& cases) {
  add_without_graph(cases);
  add_with_graph(cases);
  const Tensor w_x = leaf({20, 10}), w_h = leaf({20, 20});
  const Tensor x = library::rand({1, 10}), h = library::rand({1, 20});
  cases.push_back({"2017 Figure 1, forward", [=] { figure1(w_x, w_h, x, h); }});
  cases.push_back(
      {"2017 Figure 1, forward and backward", [=] { figure1(w_x, w_h, x, h).backward(); }});
}

}  // namespace side
