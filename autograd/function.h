// Function<T>: differentiable operations written by users (2017 paper, 2 "Extensions").
//
//   struct Cube : autograd::Function<Cube> {
//     static Tensor forward(AutogradContext* ctx, const Tensor& x) {
//       ctx->save_for_backward({x});
//       return x * x * x;
//     }
//     static variable_list backward(AutogradContext* ctx, variable_list grads) {
//       return {grads[0] * ctx->get_saved_variables()[0].square() * 3};
//     }
//   };
//   Tensor y = Cube::apply(x);
//
// forward runs in no-grad mode and may take tensors, lists and optionals of tensors, and any other
// arguments; it returns a Tensor or a variable_list. backward returns one gradient per argument
// (one per element of a list), undefined for arguments that are no tensors. An optional
//   static variable_list jvp(AutogradContext* ctx, variable_list tangents)
// gives forward mode: one tangent per output from one per tensor argument (undefined: zero).
#pragma once
#include <map>
#include <memory>
#include <optional>
#include <set>

#include "autograd/forward/tangent.h"
#include "autograd/graph/saved_variable.h"
#include "autograd/ivalue.h"
#include "autograd/modes/grad_mode.h"

namespace notape::autograd {

/// What forward leaves for backward.
class AutogradContext {
 public:
  AutogradContext() = default;
  AutogradContext(const AutogradContext&) = delete;
  AutogradContext& operator=(const AutogradContext&) = delete;

  /// Inputs, outputs or intermediates; undefined ones are allowed. Their versions are checked when
  /// backward reads them.
  void save_for_backward(variable_list to_save) { to_save_ = std::move(to_save); }
  /// Throws GraphFreed after release, SavedTensorModified if a value was overwritten since.
  variable_list get_saved_variables() const;
  /// These inputs were written in place; each must be returned as an output.
  void mark_dirty(const variable_list& inputs);
  /// These outputs never require grad.
  void mark_non_differentiable(const variable_list& outputs);
  /// Whether undefined incoming gradients arrive as zeros (the default) or as they are.
  void set_materialize_grads(bool wanted) { materialize_grads_ = wanted; }
  /// Declares that `output` shows `input`'s memory as a view operator would, so that it may be
  /// written later; from then on the derivative of a plain view applies. Throws FunctionError from
  /// apply() if they share no storage.
  void view_of(const Tensor& output, const Tensor& input);
  /// backward is not written in differentiable operators: differentiating what it returns raises
  /// DerivativeNotImplemented instead of being silently wrong.
  void mark_once_differentiable() { once_differentiable_ = true; }
  /// Whether a gradient for tensor argument `i` is wanted: in backward by this run, in forward at
  /// all. Throws IndexError.
  bool needs_input_grad(std::size_t i) const;
  /// From the first argument to before the second.
  using IndexRange = std::pair<std::size_t, std::size_t>;
  /// Whether one for any tensor argument of the ranges is wanted. Throws IndexError.
  bool needs_input_grad(std::initializer_list<IndexRange> ranges) const;

  /// Anything else, by name: `saved_data["p"] = 3`, then `saved_data["p"].toInt()`.
  std::map<std::string, IValue> saved_data;

 private:
  friend class FunctionNode;
  friend class FunctionCall;

  struct Saved {
    SavedVariable value;
    Edge edge;
    int output = -1;  // saved output: its position; its edge would be a cycle
  };

  variable_list to_save_;
  std::vector<Saved> saved_;
  std::set<TensorImpl*> dirty_, non_differentiable_;
  std::map<TensorImpl*, Tensor> view_of_;  // output to input
  bool materialize_grads_ = true, once_differentiable_ = false;
  std::vector<bool> needs_input_grad_;
  const Node* node_ = nullptr;  // the node that owns this context
  uint32_t call_ = 0;           // what it computed is marked by, see graph/unrecorded.h
  bool has_duals_ = false;      // arguments had tangents
};

/// The user's static functions, with types erased.
struct FunctionVTable {
  const char* name;
  variable_list (*backward)(AutogradContext*, variable_list);
  variable_list (*jvp)(AutogradContext*, variable_list);  // null if T has none
};

/// One argument of apply(): a tensor, or something else that takes up a gradient slot.
struct FunctionArgument {
  Tensor tensor;
  bool is_tensor = false;
};

/// Runs one apply(): collects arguments, wraps outputs, records the node.
class FunctionCall {
 public:
  FunctionCall(const FunctionVTable& vtable, const SourceLocation& at) : vtable_(vtable), at_(at) {}

  template <typename T>
  void add_argument(const T& argument) {
    if constexpr (std::is_convertible_v<const T&, const Tensor&>) {
      arguments_.push_back({argument, true});
    } else if constexpr (std::is_same_v<T, std::optional<Tensor>>) {
      arguments_.push_back({argument.value_or(Tensor()), true});
    } else if constexpr (std::is_same_v<T, variable_list>) {
      for (const Tensor& tensor : argument) arguments_.push_back({tensor, true});
    } else {
      arguments_.push_back({});
    }
  }
  FunctionCall(const FunctionCall&) = delete;
  FunctionCall& operator=(const FunctionCall&) = delete;
  AutogradContext* begin();
  /// Of the outermost forward under way that has a derivative, this one included; 0 if none has.
  uint32_t number() const { return context_->call_; }
  /// Throws FunctionError if T breaks its contract, LeafInPlace for a dirty leaf.
  variable_list finish(const variable_list& outputs);

 private:
  int argument_of(const TensorImpl* tensor) const;  // -1: none
  bool is_differentiable(const Tensor& output) const;
  void check_dirty(TensorImpl& dirty, const variable_list& outputs) const;
  void check_all_dirty(const variable_list& outputs);
  void log_dirty(bool recorded) const;
  Tensor wrap_output(const Tensor& output) const;
  void set_history(const Tensor& output, const NodeRef& node, uint32_t output_nr) const;
  Edge edge_of_saved(const Tensor& value) const;
  Tensor wrap_declared_view(const Tensor& output, const Tensor& input) const;
  void save(const variable_list& raw, const variable_list& outputs);
  variable_list run_jvp(variable_list tangents, bool has_lower_levels);
  void compute_tangents(const variable_list& outputs);

  const FunctionVTable& vtable_;
  SourceLocation at_;
  std::vector<FunctionArgument> arguments_;
  std::shared_ptr<AutogradContext> context_;
  bool records_ = false, volatile_ = false;
};

/// The name a user function shows in errors and traces: its unqualified type name.
std::string function_name(const char* type_name);

/// In its scope a user's forward runs: nothing is recorded, and tangents are left to its jvp.
struct CustomForward {
  explicit CustomForward(uint32_t call)
      : call_before_(std::exchange(thread_state.forward_call, call)),
        watched_before_(std::exchange(thread_state.watched,
                                      call ? uint16_t{TensorImpl::kUnrecorded} : uint16_t{0})) {}
  ~CustomForward() {
    thread_state.forward_call = call_before_;
    thread_state.watched = watched_before_;
  }
  CustomForward(const CustomForward&) = delete;
  CustomForward& operator=(const CustomForward&) = delete;

 private:
  uint32_t call_before_;
  uint16_t watched_before_;
  const NoGradGuard no_grad_;
  const ForwardLevelFloor no_tangents_;
};

template <typename T>
class Function {
  using At = SourceLocation;

 public:
  /// Calls T::forward and, if an argument requires grad, records one node. Returns what forward
  /// returns. The overloads differ only in the number of arguments: a pack cannot be followed by a
  /// defaulted source location, so with more than six errors do not know the caller's line.
  static auto apply(At at = At::current()) { return run(at); }
  template <typename A>
  static auto apply(A&& a, At at = At::current()) {
    return run(at, std::forward<A>(a));
  }
  template <typename A, typename B>
  static auto apply(A&& a, B&& b, At at = At::current()) {
    return run(at, std::forward<A>(a), std::forward<B>(b));
  }
  template <typename A, typename B, typename C>
  static auto apply(A&& a, B&& b, C&& c, At at = At::current()) {
    return run(at, std::forward<A>(a), std::forward<B>(b), std::forward<C>(c));
  }
  template <typename A, typename B, typename C, typename D>
  static auto apply(A&& a, B&& b, C&& c, D&& d, At at = At::current()) {
    return run(at, std::forward<A>(a), std::forward<B>(b), std::forward<C>(c), std::forward<D>(d));
  }
  template <typename A, typename B, typename C, typename D, typename E>
  static auto apply(A&& a, B&& b, C&& c, D&& d, E&& e, At at = At::current()) {
    return run(at, std::forward<A>(a), std::forward<B>(b), std::forward<C>(c), std::forward<D>(d),
               std::forward<E>(e));
  }
  template <typename A, typename B, typename C, typename D, typename E, typename F>
  static auto apply(A&& a, B&& b, C&& c, D&& d, E&& e, F&& f, At at = At::current()) {
    return run(at, std::forward<A>(a), std::forward<B>(b), std::forward<C>(c), std::forward<D>(d),
               std::forward<E>(e), std::forward<F>(f));
  }
  template <typename A, typename B, typename C, typename D, typename E, typename F, typename G,
            typename... More>
  static auto apply(A&& a, B&& b, C&& c, D&& d, E&& e, F&& f, G&& g, More&&... more) {
    return run(At::current(), std::forward<A>(a), std::forward<B>(b), std::forward<C>(c),
               std::forward<D>(d), std::forward<E>(e), std::forward<F>(f), std::forward<G>(g),
               std::forward<More>(more)...);
  }

 private:
  template <typename... Arguments>
  static auto run(const At& at, Arguments&&... arguments);
  static const FunctionVTable& vtable();
};

template <typename T>
const FunctionVTable& Function<T>::vtable() {
  static const std::string name = function_name(__PRETTY_FUNCTION__);
  static const FunctionVTable table = [] {
    FunctionVTable result{name.c_str(), &T::backward, nullptr};
    if constexpr (requires { &T::jvp; }) result.jvp = &T::jvp;
    return result;
  }();
  return table;
}

template <typename T>
template <typename... Arguments>
auto Function<T>::run(const At& at, Arguments&&... arguments) {
  FunctionCall call(vtable(), at);
  (call.add_argument(std::as_const(arguments)), ...);
  AutogradContext* context = call.begin();
  using Result = decltype(T::forward(context, std::forward<Arguments>(arguments)...));
  variable_list outputs;
  {
    const CustomForward scope(call.number());
    if constexpr (std::is_same_v<Result, Tensor>)
      outputs = {T::forward(context, std::forward<Arguments>(arguments)...)};
    else
      outputs = T::forward(context, std::forward<Arguments>(arguments)...);
  }
  outputs = call.finish(outputs);
  if constexpr (std::is_same_v<Result, Tensor>)
    return outputs[0];
  else
    return outputs;
}

}  // namespace notape::autograd
