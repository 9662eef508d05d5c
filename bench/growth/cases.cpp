#include "bench/growth/cases.h"

#include "autograd/autograd.h"
#include "ops/ops.h"

namespace notape::bench {
namespace {

Tensor leaf(int64_t elements = 1) { return ones({elements}, requires_grad()); }

/// `result.backward()` and the end of the graph.
void back_and_end(Tensor& result, const Part& part) {
  part("backward", [&] { result.sum().backward({}, /*retain_graph=*/true); });
  part("destruction", [&] { result = Tensor(); });
}

template <typename Step>
void chain(int64_t nodes, const Part& part, const Step& step) {
  const Tensor x = leaf();
  Tensor y = x * 1.0;
  part("forward", [&] {
    for (int64_t i = 0; i < nodes; ++i) step(y, x);
  });
  back_and_end(y, part);
}

void adds(int64_t nodes, const Part& part) {
  chain(nodes, part, [](Tensor& y, const Tensor&) { y = y + 1.0; });
}
void products(int64_t nodes, const Part& part) {
  chain(nodes, part, [](Tensor& y, const Tensor& x) { y = y * x; });
}
void in_place(int64_t nodes, const Part& part) {
  chain(nodes, part, [](Tensor& y, const Tensor& x) { y.add_(x); });
}
void node_hooks(int64_t nodes, const Part& part) {
  chain(nodes, part, [](Tensor& y, const Tensor&) {
    y = y + 1.0;
    y.register_hook([](const Tensor& gradient) { return gradient * 1.0; });
  });
}
void hooks_of_one(int64_t nodes, const Part& part) {
  const Tensor y = leaf() * 1.0;
  std::vector<uint32_t> numbers;
  part("forward", [&] {
    for (int64_t i = 0; i < nodes; ++i)
      numbers.push_back(y.register_hook([](const Tensor& gradient) { return gradient * 1.0; }));
  });
  part("backward", [&] { y.backward({}, true); });
  part("destruction", [&] {
    for (const uint32_t number : numbers) y.remove_hook(number);
  });
}

void one_to_many(int64_t nodes, const Part& part) {
  const Tensor x = leaf();
  variable_list results;
  part("forward", [&] {
    for (int64_t i = 0; i < nodes; ++i) results.push_back(x * 2.0);
  });
  part("backward", [&] { autograd::backward(results, {}, true); });
  part("destruction", [&] { variable_list().swap(results); });
}

void many_to_one(int64_t nodes, const Part& part) {
  variable_list leaves;
  for (int64_t i = 0; i < nodes; ++i) leaves.push_back(leaf());
  Tensor all;
  part("forward", [&] {
    variable_list joined = leaves;
    while (joined.size() > 1) {
      variable_list fewer;
      for (std::size_t i = 0; i < joined.size(); i += 100)
        fewer.push_back(cat(
            variable_list(joined.begin() + i, joined.begin() + std::min(i + 100, joined.size()))));
      joined.swap(fewer);
    }
    all = joined[0];
  });
  back_and_end(all, part);
}

/// A result of each view, and their sum.
void views(int64_t nodes, const Part& part) {
  const Tensor base = leaf(nodes) * 1.0;
  Tensor total;
  part("forward", [&] {
    total = base.select(0, 0);
    for (int64_t i = 1; i < nodes; ++i) total = total + base.select(0, i);
  });
  back_and_end(total, part);
}

/// Each element of a base written through a view of its own.
void writes_through_views(int64_t nodes, const Part& part) {
  const Tensor x = leaf();
  Tensor base = zeros({nodes});
  part("forward", [&] {
    for (int64_t i = 0; i < nodes; ++i) base.narrow(0, i, 1).copy_(x);
  });
  back_and_end(base, part);
}

/// Results of nodes with many, each of which keeps its gradient.
void retained_pieces(int64_t nodes, const Part& part) {
  constexpr int64_t kMost = 1 << 10;
  const Tensor base = leaf(nodes) * 1.0;
  variable_list results;
  part("forward", [&] {
    for (int64_t i = 0; i < nodes; i += kMost)
      for (Tensor& one : base.narrow(0, i, std::min(kMost, nodes - i)).unbind()) {
        one.retain_grad();
        results.push_back(std::move(one));
      }
  });
  part("backward", [&] { autograd::backward(results, {}, true); });
  part("destruction", [&] { variable_list().swap(results); });
}

void gradients_of_gradients(int64_t nodes, const Part& part) {
  const Tensor x = leaf();
  Tensor y = x;
  part("forward", [&] {
    for (int64_t i = 0; i < nodes; ++i) y = y * x;
  });
  Tensor slope;
  part("backward", [&] { slope = autograd::grad({y}, {x}, {}, {}, /*create_graph=*/true)[0]; });
  part("second backward", [&] { slope.backward({}, true); });
  part("destruction", [&] { y = slope = Tensor(); });
}

void gradients_of_many(int64_t nodes, const Part& part) {
  variable_list inputs;
  Tensor y = zeros({1});
  part("forward", [&] {
    for (int64_t i = 0; i < nodes; ++i) {
      inputs.push_back(leaf());
      y = y + inputs.back();
    }
  });
  part("backward", [&] { autograd::grad({y}, inputs, {}, true); });
  part("destruction", [&] { y = Tensor(), variable_list().swap(inputs); });
}

}  // namespace

const std::vector<GrowthCase>& growth_cases() {
  static const std::vector<GrowthCase> cases = {
      {"chain of adds", adds},
      {"chain of products, whose operands are saved", products},
      {"in-place versions of one tensor", in_place},
      {"hooks, one of each result", node_hooks},
      {"hooks of one tensor, and their removal", hooks_of_one},
      {"one input, many results", one_to_many},
      {"many inputs, one result", many_to_one},
      {"inputs of grad()", gradients_of_many},
      {"views of one base", views},
      {"views of one base, by unbind, with retain_grad", retained_pieces},
      {"writes through views of one base", writes_through_views},
      {"gradients of gradients", gradients_of_gradients},
  };
  return cases;
}

}  // namespace notape::bench
