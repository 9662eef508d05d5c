// What every out form does: its checks, the function itself without a graph, and then the writes,
// which no check can stop any more.
#pragma once
#include <array>
#include <span>
#include <tuple>

#include "autograd/modes/grad_mode.h"
#include "autograd/observer.h"
#include "ops/index.h"

namespace notape {

/// Which dtype out may have. LibTorch's rules differ from function to function.
enum class Fit {
  Converted,  ///< as for an in-place result: its category is no lower than the result's
  Exact,      ///< the result's
  Flags,      ///< the result's, bool, or uint8
  Anything,   ///< the result, 0 or 1, is the same in every dtype
  Made,       ///< the result was made like out, as factories do. No warning if out is resized
};

/// LibTorch calls some functions of a 0-d tensor by the form that takes a number, which converts.
inline Fit exact_unless_number(const Tensor& operand) {
  return operand.defined() && operand.dim() == 0 ? Fit::Converted : Fit::Exact;
}

/// Pointers to tensors, from braces or from a list made of them.
class TensorsByAddress {
 public:
  TensorsByAddress(std::initializer_list<const Tensor*> list) : all_(list.begin(), list.size()) {}
  TensorsByAddress(const std::vector<const Tensor*>& list) : all_(list) {}
  const Tensor* const* begin() const { return all_.data(); }
  const Tensor* const* end() const { return all_.data() + all_.size(); }

 private:
  std::span<const Tensor* const> all_;
};
std::vector<const Tensor*> addresses_in(const TensorList& tensors);
std::vector<const Tensor*> addresses_in(const Tensor& self,
                                        const std::vector<indexing::TensorIndex>& indices);

namespace detail {

/// Throws UndefinedTensor, OutRequiresGrad or ForwardNotImplemented. Undefined inputs pass.
void check_out_arguments(const Operation& op, TensorsByAddress outs, TensorsByAddress inputs);
/// Writes each result into its out, or throws before anything has changed.
void write_outs(const Operation& op, std::span<Tensor* const> outs, std::span<Tensor> results,
                Fit fit);

}  // namespace detail

/// compute() into `out`; `inputs` are the tensors it reads.
template <typename Compute>
Tensor& out_of(const char* name, const At& at, Tensor& out, TensorsByAddress inputs, Fit fit,
               const Compute& compute) {
  const Operation op(name, at);
  detail::check_out_arguments(op, {&out}, inputs);
  const NoGradGuard no_grad;
  Tensor result = compute();
  Tensor* const target = &out;
  detail::write_outs(op, {&target, 1}, {&result, 1}, fit);
  return out;
}

/// The same for a function of several results.
template <typename... Outs, typename Compute>
std::tuple<Outs&...> outs_of(const char* name, const At& at, std::tuple<Outs&...> outs,
                             TensorsByAddress inputs, Fit fit, const Compute& compute) {
  const Operation op(name, at);
  const auto targets =
      std::apply([](Outs&... out) { return std::array<Tensor*, sizeof...(Outs)>{&out...}; }, outs);
  for (const Tensor* out : targets) detail::check_out_arguments(op, {out}, inputs);
  const NoGradGuard no_grad;
  std::array<Tensor, sizeof...(Outs)> results = std::apply(
      [](auto&&... one) { return std::array<Tensor, sizeof...(Outs)>{std::move(one)...}; },
      compute());
  detail::write_outs(op, targets, results, fit);
  return outs;
}

}  // namespace notape
