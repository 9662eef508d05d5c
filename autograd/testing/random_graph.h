// RandomGraph: a graph that a seed determines, with all that may happen in a backward run: views
// and writes through them, sums over broadcast dimensions, hooks, and functions of users.
#pragma once
#include <algorithm>
#include <bit>
#include <thread>

#include "autograd/testing/expect.h"
#include "ops/ops.h"

namespace notape::testing {

struct Cube : autograd::Function<Cube> {
  static Tensor forward(autograd::AutogradContext* ctx, const Tensor& x) {
    ctx->save_for_backward({x});
    return x * x * x;
  }
  static variable_list backward(autograd::AutogradContext* ctx, variable_list g) {
    return {g[0] * ctx->get_saved_variables()[0].square() * 3};
  }
};

/// Its backward runs another backward.
struct Nested : autograd::Function<Nested> {
  static Tensor forward(autograd::AutogradContext*, const Tensor& x) { return x * 2; }
  static variable_list backward(autograd::AutogradContext*, variable_list g) {
    const EnableGradGuard recording;
    const Tensor w = g[0].detach().requires_grad_();
    return {autograd::grad({(w * w).sum() + w.tanh().sum()}, {w})[0]};
  }
};

using Bits = std::vector<uint64_t>;

inline void append_bits(Bits& bits, const Tensor& tensor) {
  for (const int64_t stride : tensor.strides()) bits.push_back(static_cast<uint64_t>(stride));
  for (const double value : values(tensor)) bits.push_back(std::bit_cast<uint64_t>(value));
}

struct RandomGraph {
  std::vector<Tensor> leaves, tensors;
  Bits seen;

  Tensor pick(Generator& random) const {
    // Mostly recent ones, so that the graph is deep, too.
    const uint64_t n = tensors.size(), near = std::min<uint64_t>(n, 5);
    return tensors[random.below(3) == 0 ? random.below(n) : n - 1 - random.below(near)];
  }

  RandomGraph(const RandomGraph&) = delete;  // hooks know where it is
  RandomGraph& operator=(const RandomGraph&) = delete;
  RandomGraph(uint64_t seed, bool with_user_code) {
    Generator random(seed);
    const auto fresh = [&](IntArrayRef sizes) {
      Tensor t = empty(sizes, kFloat64);
      for (int64_t i = 0; i < t.numel(); ++i)
        t.mutable_data_ptr<double>()[i] = 2 * random.uniform() - 1;
      return t.requires_grad_();
    };
    for (int i = 0; i < 4; ++i) leaves.push_back(fresh({4, 4}));
    tensors = leaves;
    leaves.push_back(fresh({4}));
    for (int step = 0; step < 40; ++step) {
      const Tensor a = pick(random), b = pick(random);
      tensors.push_back(combine(random.below(with_user_code ? 14 : 9), a, b));
      if (with_user_code && random.below(6) == 0) watch(tensors.back(), step);
    }
  }

  Tensor combine(uint64_t operation, const Tensor& a, const Tensor& b) {
    switch (operation) {
      case 0:
        return a.tanh() * b;
      case 1:
        return a + b;
      case 2:
        return mm(a, b).tanh();
      case 3:
        return a.t() * 0.5;
      case 4:
        return cat({narrow(a, 0, 0, 2), narrow(b, 0, 2, 2)}, 0);
      case 5: {
        Tensor written = a * 1;
        written.select(1, 2).mul_(b.select(0, 1));
        return written;
      }
      case 6:
        return a * leaves.back();
      case 7:
        return b + a.sum(0);
      case 8:
        return a.t();
      case 9:
        return Cube::apply(a.tanh());
      case 10:
        return Nested::apply(a);
      case 11:
        return autograd::checkpoint([](const Tensor& x) { return (x.tanh() * x).sigmoid(); }, a);
      case 12: {
        const SaveOnCpuGuard packed;
        return a * b;
      }
      default:
        b.register_hook([](const Tensor& g) { return g * 0.75; });
        return a - b;
    }
  }

  void watch(const Tensor& tensor, int number) {
    const auto note = [this, number, caller = std::this_thread::get_id()](const Tensor& g) {
      EXPECT_EQ(std::this_thread::get_id(), caller);
      seen.push_back(static_cast<uint64_t>(number));
      if (g.defined()) append_bits(seen, g);
      for (const Tensor& leaf : leaves)  // how far the run has come
        if (leaf.grad().defined()) append_bits(seen, leaf.grad());
    };
    tensor.register_hook([note](const Tensor& g) { note(g); });
    if (number % 2)
      tensor.grad_fn()->add_post_hook([note](const auto& results, const auto&) {
        note(results[0]);
        return results;
      });
    if (number % 5 == 0) tensor.retain_grad();
  }

  Tensor loss() const {
    Tensor sum;
    for (std::size_t i = tensors.size() - 6; i < tensors.size(); ++i) {
      const Tensor one = (tensors[i].tanh() * tensors[i]).sum();
      sum = sum.defined() ? sum + one : one;
    }
    return sum;
  }

  Bits result() const {
    Bits bits = seen;
    for (const auto* list : {&leaves, &tensors})
      for (const Tensor& t : *list)
        if ((t.is_leaf() || t.retains_grad()) && t.grad().defined()) append_bits(bits, t.grad());
    return bits;
  }
};

}  // namespace notape::testing
