#include "ops/out/detail/write_out.h"

#include "autograd/forward/tangent.h"
#include "autograd/graph/in_place.h"
#include "autograd/warning.h"
#include "ops/elementwise/compute.h"
#include "ops/shape.h"
#include "ops/shape/check_resize.h"

namespace notape {
namespace {

void check_dtype(const Operation& op, const Tensor& out, const Tensor& result, Fit fit) {
  const ScalarType wanted = result.dtype(), given = out.dtype();
  if (wanted == given || fit == Fit::Anything) return;
  if (fit == Fit::Converted) return check_result_fits(op, out, wanted, {});
  if (fit == Fit::Flags && (given == kBool || given == kUInt8)) return;
  op.fail<DtypeError>("Expected out tensor to have dtype {}, but got {} instead", name_of(wanted),
                      name_of(given));
}

/// What it will look like once it has the result's shape.
Geometry geometry_after(const Tensor& out, const Tensor& result) {
  if (out.sizes() == result.sizes()) return out.impl().geometry();
  return Geometry(result.sizes()).at_offset(out.storage_offset());
}

void check_out(const Operation& op, const Tensor& out, const Tensor& result, Fit fit) {
  check_dtype(op, out, result, fit);
  if (out.device() != result.device() && !is_batched(out) && !is_batched(result))
    op.fail<DeviceError>("Expected out tensor to be on {}, but it is on {}",
                         to_string(result.device()), to_string(out.device()));
  check_write(op, out, {&result});
  if (!(out.sizes() == result.sizes())) check_resize(op, out, result.sizes());
}

void check_apart(const Operation& op, std::span<Tensor* const> outs, std::span<Tensor> results) {
  for (std::size_t i = 0; i < outs.size(); ++i)
    for (std::size_t k = 0; k < i; ++k) {
      const TensorImpl &a = outs[i]->impl(), &b = outs[k]->impl();
      if (a.storage() != b.storage()) continue;
      if (overlaps(
              geometry_after(*outs[i], results[i]), static_cast<int64_t>(outs[i]->element_size()),
              geometry_after(*outs[k], results[k]), static_cast<int64_t>(outs[k]->element_size())))
        op.fail<MemoryOverlap>(
            "unsupported operation: two of the out= tensors share memory, and each would write "
            "over "
            "the other's result. Please clone() one of them before performing the operation.");
    }
}

/// A function may return what it was given, and that may be an out.
void separate(std::span<Tensor* const> outs, std::span<Tensor> results) {
  for (Tensor& result : results)
    for (const Tensor* out : outs)
      if (result.impl().storage() == out->impl().storage()) {
        result = clone(result);
        break;
      }
}

void warn_of_resize(const Tensor& out, const Tensor& result, const At& at) {
  if (out.numel() == 0 || out.sizes() == result.sizes()) return;
  warn_once("resized output",
            format_message("An output with one or more elements was resized since it had shape {}, "
                           "which does not match the required output shape {}. Resize it to no "
                           "elements first if that is what you want.",
                           {to_string(out.sizes()), to_string(result.sizes())}),
            at);
}

}  // namespace

void detail::ArgumentCheck::out(const Tensor& out) {
  if (!out.defined()) op_.fail<UndefinedTensor>("the out= tensor is undefined");
  input(out);
}

void detail::ArgumentCheck::input(const Tensor& one) {
  if (!one.defined()) return;
  needs_gradient_ |= GradMode::is_enabled() && one.requires_grad();
  if (thread_state.forward_levels != 0 && !active_levels({&one}).empty())
    op_.fail<ForwardNotImplemented>(
        "Trying to use forward AD with {} that does not support it because it is an out= "
        "function",
        op_.name);
}

void detail::ArgumentCheck::input(const TensorList& list) {
  for (const Tensor& one : list) input(one);
}

void detail::ArgumentCheck::input(const std::vector<indexing::TensorIndex>& indices) {
  for (const indexing::TensorIndex& index : indices)
    if (const auto* tensor = std::get_if<Tensor>(&index.value)) input(*tensor);
}

void detail::ArgumentCheck::after_all() const {
  if (needs_gradient_)
    op_.fail<OutRequiresGrad>(
        "functions with out=... arguments don't support automatic differentiation, but one of the "
        "arguments requires grad.");
}

void detail::write_outs(const Operation& op, std::span<Tensor* const> outs,
                        std::span<Tensor> results, Fit fit) {
  separate(outs, results);
  for (std::size_t i = 0; i < outs.size(); ++i) check_out(op, *outs[i], results[i], fit);
  check_apart(op, outs, results);
  if (fit != Fit::Made)
    for (std::size_t i = 0; i < outs.size(); ++i) warn_of_resize(*outs[i], results[i], op.at);
  for (std::size_t i = 0; i < outs.size(); ++i) {
    if (!(outs[i]->sizes() == results[i].sizes())) outs[i]->resize_(results[i].sizes(), op.at);
    outs[i]->copy_(results[i], op.at);
  }
}

}  // namespace notape
