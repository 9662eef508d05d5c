// The ideas of the 2017 paper in one file: a graph of functions and no tape, version counters,
// saved variables, writes in place, gradients that can be differentiated. TOUR.md goes through it.
#pragma once
#include <cmath>
#include <functional>
#include <map>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

namespace notape::tiny {
struct Node;
class Variable;
using Values = std::vector<double>;
Variable operator+(const Variable& a, const Variable& b);

/// The numbers, and how often they were written.
struct Storage {
  Values values;
  int version = 0;
};

/// A closure that computes vector-Jacobian products, called with itself. It owns the older ones: a
/// graph dies with the variable that holds its newest function.
using Function = std::shared_ptr<Node>;
struct Node {
  std::string name;
  std::function<std::vector<Variable>(const Variable& grad, const Function& self)> apply;
  std::vector<Function> next = {};     ///< of each input; null: no gradient wanted
  std::unique_ptr<Variable> sum = {};  ///< of a leaf: its gradient
  int number = ++newest;               ///< a result is read by later ones
  static inline thread_local int newest = 0;
};

/// Numbers and the function that made them. Copies are handles to the same variable.
class Variable {
 public:
  Variable(std::shared_ptr<Storage> storage, Function node)
      : impl_(std::make_shared<Impl>(Impl{std::move(storage), std::move(node)})) {}
  explicit Variable(Values values, bool requires_grad = false)
      : Variable(std::make_shared<Storage>(std::move(values)), nullptr) {
    const auto accumulate = [](auto& grad, auto& self) {
      self->sum = std::make_unique<Variable>(self->sum ? *self->sum + grad : grad);
      return std::vector<Variable>();
    };
    if (requires_grad) impl_->node = Function(new Node{"AccumulateGrad", accumulate});
  }

  const Values& values() const { return impl_->storage->values; }
  const std::shared_ptr<Storage>& storage() const { return impl_->storage; }
  const Function& node() const { return impl_->node; }   ///< null: no gradient is wanted
  const Variable& grad() const { return *node()->sum; }  ///< of a leaf, after backward()
  /// Adds the slopes of the sum of the entries to the leaves' gradients, as a graph if so wanted.
  void backward(bool create_graph = false) const;
  Variable& add_(const Variable& other);

 private:
  struct Impl {
    std::shared_ptr<Storage> storage;
    Function node;
  };
  std::shared_ptr<Impl> impl_;
};

/// What a function keeps of a variable: of its own result not the function, which would own itself.
struct SavedVariable {
  explicit SavedVariable(const Variable& saved, bool is_result = false)
      : saved(saved.storage(), is_result ? nullptr : saved.node()), is_result(is_result) {}
  Variable unpack(const Function& self) const {
    const int now = saved.storage()->version;
    if (now != version)
      throw std::runtime_error(self->name + ": a write made what it saved version " +
                               std::to_string(now));
    return {saved.storage(), is_result ? self : saved.node()};
  }
  const Variable saved;
  const bool is_result;
  const int version = saved.storage()->version;
};

/// Whether functions are recorded, until the guard's end.
struct Recording {
  static inline thread_local bool is_on = true;
  const bool before = is_on;
  explicit Recording(bool wanted) { is_on = wanted; }
  ~Recording() { is_on = before; }
};

/// f of the entries of `a` and `b`, and `apply` to differentiate it if that is wanted.
template <typename F>
Variable record(const char* name, const Variable& a, const Variable& b, F f,
                decltype(Node::apply) apply) {
  if (a.values().size() != b.values().size()) throw std::invalid_argument("sizes must match");
  auto result = std::make_shared<Storage>(a.values());
  for (std::size_t i = 0; i < result->values.size(); ++i)
    result->values[i] = f(a.values()[i], b.values()[i]);
  if (!Recording::is_on || (!a.node() && !b.node())) return {result, nullptr};
  return {result, Function(new Node{name, std::move(apply), {a.node(), b.node()}})};
}

// Derivatives are written in differentiable functions: so there is every order.
inline Variable operator+(const Variable& a, const Variable& b) {
  return record("Add", a, b, std::plus(), [](auto& g, auto&) { return std::vector{g, g}; });
}
inline Variable operator*(const Variable& a, const Variable& b) {
  const auto apply = [x = SavedVariable(a), y = SavedVariable(b)](auto& g, auto& self) {
    return std::vector{g * y.unpack(self), g * x.unpack(self)};
  };
  return record("Mul", a, b, std::multiplies(), apply);
}
inline Variable tanh(const Variable& a) {
  const Variable one(Values(a.values().size(), 1)), minus(Values(a.values().size(), -1));
  Variable result = record("Tanh", a, one, [](double x, double) { return std::tanh(x); }, {});
  if (!result.node()) return result;
  result.node()->apply = [=, saved = SavedVariable(result, true)](auto& g, auto& self) {
    const Variable y = saved.unpack(self);
    return std::vector{g * (one + minus * y * y), one};
  };
  return result;
}

inline Variable& Variable::add_(const Variable& other) {
  if (node() && node()->next.empty()) throw std::logic_error("add_: a leaf requires grad");
  const Variable sum = *this + other;
  impl_->storage->values = sum.values();
  ++impl_->storage->version;  // so what saved the old numbers finds out
  impl_->node = sum.node();   // the history is rebased: it begins with the write
  return *this;
}

inline void Variable::backward(bool create_graph) const {
  const Recording recording(create_graph);
  // The newest first: whatever reads its result has run.
  std::map<int, std::pair<Function, Variable>, std::greater<>> ready;
  const auto pass_on = [&](const Function& node, const Variable& grad) {
    if (!node) return;
    const auto [entry, is_first] = ready.try_emplace(node->number, node, grad);
    if (!is_first) entry->second.second = entry->second.second + grad;
  };
  pass_on(node(), Variable(Values(values().size(), 1)));
  while (!ready.empty()) {
    const auto [node, grad] = ready.begin()->second;
    ready.erase(ready.begin());
    const std::vector<Variable> grads = node->apply(grad, node);
    for (std::size_t i = 0; i < grads.size(); ++i) pass_on(node->next[i], grads[i]);
  }
}

}  // namespace notape::tiny
