// One source, compiled twice: with LibTorch (SIDE_TORCH) and with notape. Reads lines "CASE CALLS"
// and answers with the nanoseconds that many calls took; compare.py alternates between the two.
#ifdef SIDE_TORCH
#include <torch/torch.h>
namespace library = torch;
#else
#include <notape/notape.h>
namespace library = notape;
#endif

#include <chrono>
#include <cstdint>
#include <functional>
#include <iostream>
#include <string>
#include <vector>

using library::Tensor;

namespace {

struct Case {
  std::string name;
  std::function<void()> call;
};

Tensor leaf(std::vector<int64_t> sizes) {
  return library::rand(sizes, library::dtype(library::kFloat32).requires_grad(true));
}

Tensor figure1(const Tensor& w_x, const Tensor& w_h, const Tensor& x, const Tensor& h) {
  return (library::matmul(w_x, x.t()) + library::matmul(w_h, h.t())).tanh().sum();
}

/// `forward` alone, and with backward, on fresh leaves of one shape.
void add_pair(std::vector<Case>& cases, const std::string& name, std::vector<int64_t> sizes,
              std::function<Tensor(const Tensor&, const Tensor&)> forward) {
  const Tensor a = leaf(sizes), b = leaf(sizes);
  cases.push_back({name + ", forward", [=] { forward(a, b); }});
  const Tensor seed = library::ones_like(forward(a, b));
  cases.push_back({name + ", forward and backward", [=] { forward(a, b).backward(seed); }});
}

std::vector<Case> small_cases() {
  std::vector<Case> cases;
  const Tensor a = library::rand({8}), b = library::rand({8});
  cases.push_back({"empty of 1", [] { library::empty({1}); }});
  cases.push_back({"view of 8", [=] { a.view({2, 4}); }});
  cases.push_back({"narrow of 8", [=] { a.narrow(0, 2, 4); }});
  cases.push_back({"add 8, no graph", [=] { a + b; }});
  cases.push_back({"add in place 8, no graph", [=] { Tensor(a).add_(b); }});
  cases.push_back({"mul by number 8, no graph", [=] { a * 2.0; }});
  add_pair(cases, "add 8", {8}, [](const Tensor& x, const Tensor& y) { return x + y; });
  add_pair(cases, "mul 8", {8}, [](const Tensor& x, const Tensor& y) { return x * y; });
  add_pair(cases, "mul by number 8", {8}, [](const Tensor& x, const Tensor&) { return x * 2.0; });
  add_pair(cases, "tanh 8", {8}, [](const Tensor& x, const Tensor&) { return x.tanh(); });
  add_pair(cases, "sum 64", {64}, [](const Tensor& x, const Tensor&) { return x.sum(); });
  add_pair(cases, "mm 8x8", {8, 8}, [](const Tensor& x, const Tensor& y) { return x.mm(y); });
  add_pair(cases, "softmax 8x8", {8, 8},
           [](const Tensor& x, const Tensor&) { return x.softmax(1); });
  add_pair(cases, "chain of 100 adds", {8}, [](const Tensor& x, const Tensor& y) {
    Tensor t = x;
    for (int i = 0; i < 100; ++i) t = t + y;
    return t;
  });
  add_pair(cases, "chain of 100 muls", {8}, [](const Tensor& x, const Tensor& y) {
    Tensor t = x;
    for (int i = 0; i < 100; ++i) t = t * y;
    return t;
  });
  const Tensor w_x = leaf({20, 10}), w_h = leaf({20, 20});
  const Tensor x = library::rand({1, 10}), h = library::rand({1, 20});
  cases.push_back({"2017 Figure 1, forward", [=] { figure1(w_x, w_h, x, h); }});
  cases.push_back(
      {"2017 Figure 1, forward and backward", [=] { figure1(w_x, w_h, x, h).backward(); }});
  return cases;
}

void add_large_cases(std::vector<Case>& cases) {
  const std::vector<int64_t> million = {1 << 20};
  add_pair(cases, "add 1M", million, [](const Tensor& x, const Tensor& y) { return x + y; });
  add_pair(cases, "mul 1M", million, [](const Tensor& x, const Tensor& y) { return x * y; });
  add_pair(cases, "tanh 1M", million, [](const Tensor& x, const Tensor&) { return x.tanh(); });
  add_pair(cases, "exp 1M", million, [](const Tensor& x, const Tensor&) { return x.exp(); });
  add_pair(cases, "sum 1M", million, [](const Tensor& x, const Tensor&) { return x.sum(); });
  add_pair(cases, "mm 512", {512, 512}, [](const Tensor& x, const Tensor& y) { return x.mm(y); });
}

}  // namespace

int main() {
  library::set_num_threads(1);
  std::vector<Case> cases = small_cases();
  add_large_cases(cases);
  std::string line;
  while (std::getline(std::cin, line)) {
    if (line == "list") {
      for (const Case& one : cases) std::cout << one.name << '\n';
      std::cout << "." << std::endl;
      continue;
    }
    const auto tab = line.find('\t');
    const int calls = std::stoi(line.substr(tab + 1));
    for (const Case& one : cases) {
      if (one.name != line.substr(0, tab)) continue;
      const auto start = std::chrono::steady_clock::now();
      for (int i = 0; i < calls; ++i) one.call();
      const auto took = std::chrono::steady_clock::now() - start;
      std::cout << std::chrono::duration<double, std::nano>(took).count() << std::endl;
    }
  }
}
