// The function of a ForeignCall: tensors become guarded buffers, and buffers tensors.
#include "autograd/autograd.h"
#include "autograd/function.h"
#include "autograd/tensor/factories.h"
#include "ops/spec/joined_results.h"
#include "verify/plugin/invocation.h"

namespace notape::verify {
namespace {

using CasePointer = std::shared_ptr<const ForeignCase>;

/// The first real one, by which a call goes.
const Tensor& real_input(const ForeignCase& one, const variable_list& inputs) {
  std::size_t i = 0;
  while (!one.declaration->inputs[i].is_real()) ++i;  // a declaration has one
  return inputs[i];
}

/// Whether it takes no float64, and its reference stands in for it.
bool is_stood_in_for(const ForeignCase& one, const variable_list& inputs) {
  return real_input(one, inputs).dtype() == kFloat64 && !one.declaration->takes(NOTAPE_FLOAT64);
}

Invocation call_of(const ForeignCase& one, const variable_list& inputs) {
  const Tensor& real = real_input(one, inputs);
  const Declaration& declaration = *one.declaration;
  if (!declaration.takes(code_of_real(real.dtype())))
    throw ForeignOperatorError("{} does not take {}", declaration.foreign.name,
                               name_of(real.dtype()));
  const int32_t devices = declaration.foreign.devices ? declaration.foreign.devices : NOTAPE_ON_CPU;
  if ((devices & (real.device().is_cpu() ? NOTAPE_ON_CPU : NOTAPE_ON_CUDA)) == 0)
    throw ForeignOperatorError("{} does not run on {}", declaration.foreign.name,
                               to_string(real.device()));
  return {one, code_of_real(real.dtype()), real.device()};
}

GuardedBuffer read_only(const Invocation& call, const std::string& name, const Tensor& tensor,
                        int32_t declared = NOTAPE_REAL) {
  return {name, tensor, call.type_of(declared),
          call.one.declaration->takes_strided() ? GuardedBuffer::Strides::AsTheyAre
                                                : GuardedBuffer::Strides::RowMajor};
}

std::string nth(const char* list, std::size_t i) { return format_message("{}[{}]", {list, i}); }

void add_inputs(Invocation& call, const variable_list& inputs) {
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    const Declaration::Input& input = call.one.declaration->inputs[i];
    call.inputs.add(read_only(call, input.name, inputs[i], input.dtype));
  }
}

struct ForeignFunction2 : autograd::Function<ForeignFunction2> {
  static variable_list reference_outputs(const ForeignCase& one, const variable_list& inputs);

  static variable_list forward(autograd::AutogradContext* ctx, const variable_list& inputs,
                               const CasePointer& one) {
    const Declaration& declaration = *one->declaration;
    if (is_stood_in_for(*one, inputs)) return stand_in(ctx, inputs, one);
    Invocation call = call_of(*one, inputs);
    add_inputs(call, inputs);
    for (std::size_t k = 0; k < one->outputs.size(); ++k)
      call.outputs.add({nth("outputs", k), one->outputs[k], call.type_of_output(k)});
    for (std::size_t k = 0; k < one->saved.size(); ++k)
      call.saved.add(
          {declaration.saved[k].name, one->saved[k], call.type_of(declaration.saved[k].dtype)});
    call.run("forward", declaration.foreign.forward);
    variable_list outputs, kept = inputs;
    for (std::size_t k = 0; k < call.outputs.size(); ++k)
      outputs.push_back(call.outputs[k].tensor());
    kept.insert(kept.end(), outputs.begin(), outputs.end());
    for (std::size_t k = 0; k < call.saved.size(); ++k) kept.push_back(call.saved[k].tensor());
    ctx->save_for_backward(kept);
    ctx->saved_data["case"] = one;
    ctx->mark_once_differentiable();
    ctx->set_materialize_grads(false);
    mark_whole(ctx, *one, outputs);
    return outputs;
  }

  static variable_list backward(autograd::AutogradContext* ctx, variable_list grads) {
    const ForeignCase& one = case_of(ctx);
    if (ctx->saved_data.contains("stand-in")) return gradients_of_stand_in(ctx, one, grads);
    Invocation call = with_saved(ctx, one);
    for (std::size_t k = 0; k < grads.size(); ++k) {
      if (grads[k].defined())
        call.grad_outputs.add(
            read_only(call, nth("grad_outputs", k), grads[k], call.type_of_output(k)));
      else if (one.declaration->takes_missing() || !one.declaration->is_real_output(k))
        call.grad_outputs.add_missing(one.outputs[k], call.type_of_output(k));
      else
        call.grad_outputs.add(read_only(call, nth("grad_outputs", k),
                                        zeros(sizes_of(one.outputs[k])), call.type_of_output(k)));
    }
    for (std::size_t i = 0; i < one.inputs.size(); ++i) {
      if (one.declaration->inputs[i].is_real() && ctx->needs_input_grad(i))
        call.grad_inputs.add({nth("grad_inputs", i), one.inputs[i], call.dtype});
      else
        call.grad_inputs.add_missing(one.inputs[i], call.dtype);
    }
    call.run("backward", one.declaration->foreign.backward);
    variable_list result(one.inputs.size() + 1);  // the last one belongs to the case
    for (std::size_t i = 0; i < one.inputs.size(); ++i)
      if (call.grad_inputs.has(i)) result[i] = call.grad_inputs[i].tensor();
    return result;
  }

  static variable_list jvp(autograd::AutogradContext* ctx, variable_list tangents) {
    const ForeignCase& one = case_of(ctx);
    const notape_operator2& foreign = one.declaration->foreign;
    if (!foreign.jvp || ctx->saved_data.contains("stand-in"))
      throw DerivativeNotImplemented("{} has no jvp, which forward mode needs", foreign.name);
    Invocation call = with_saved(ctx, one);
    for (std::size_t i = 0; i < one.inputs.size(); ++i) {
      if (one.declaration->inputs[i].is_real() && tangents[i].defined())
        call.tangents.add(read_only(call, nth("tangents", i), tangents[i]));
      else
        call.tangents.add_missing(one.inputs[i], call.dtype);
    }
    for (std::size_t k = 0; k < one.outputs.size(); ++k) {
      if (one.declaration->is_real_output(k))
        call.output_tangents.add(
            {nth("output_tangents", k), one.outputs[k], call.type_of_output(k)});
      else
        call.output_tangents.add_missing(one.outputs[k], call.type_of_output(k));
    }
    call.run("jvp", foreign.jvp);
    variable_list result(one.outputs.size());
    for (std::size_t k = 0; k < one.outputs.size(); ++k)
      if (call.output_tangents.has(k)) result[k] = call.output_tangents[k].tensor();
    return result;
  }

 private:
  static const ForeignCase& case_of(autograd::AutogradContext* ctx) {
    return **std::any_cast<CasePointer>(static_cast<std::any*>(&ctx->saved_data["case"]));
  }

  static void mark_whole(autograd::AutogradContext* ctx, const ForeignCase& one,
                         const variable_list& outputs) {
    variable_list whole;
    for (std::size_t k = 0; k < outputs.size(); ++k)
      if (!one.declaration->is_real_output(k)) whole.push_back(outputs[k]);
    ctx->mark_non_differentiable(whole);
  }

  /// The reference's values, rounded to float64, to be differenced.
  static variable_list stand_in(autograd::AutogradContext* ctx, const variable_list& inputs,
                                const CasePointer& one) {
    const variable_list outputs = reference_outputs(*one, inputs);
    ctx->save_for_backward(inputs);
    ctx->saved_data["case"] = one;
    ctx->saved_data["stand-in"] = true;
    ctx->mark_once_differentiable();
    ctx->set_materialize_grads(false);
    mark_whole(ctx, *one, outputs);
    return outputs;
  }

  /// Its gradients are the operator's own, in the widest type that it takes.
  static variable_list gradients_of_stand_in(autograd::AutogradContext* ctx, const ForeignCase& one,
                                             const variable_list& grads) {
    const EnableGradGuard recording;
    const ScalarType type = one.declaration->takes(NOTAPE_FLOAT32)    ? kFloat32
                            : one.declaration->takes(NOTAPE_BFLOAT16) ? kBFloat16
                                                                      : kFloat16;
    variable_list inputs = ctx->get_saved_variables(), wanted, used, incoming;
    std::vector<std::size_t> places;
    for (std::size_t i = 0; i < inputs.size(); ++i) {
      if (!one.declaration->inputs[i].is_real()) continue;
      inputs[i] = inputs[i].detach().to(type);
      if (!ctx->needs_input_grad(i)) continue;
      wanted.push_back(inputs[i].requires_grad_(true));
      places.push_back(i);
    }
    const variable_list outputs = apply(inputs, CasePointer(std::make_shared<ForeignCase>(one)));
    for (std::size_t k = 0; k < grads.size(); ++k) {
      if (!grads[k].defined()) continue;
      used.push_back(outputs[k]);
      incoming.push_back(grads[k].to(outputs[k].dtype()));
    }
    variable_list result(one.inputs.size() + 1);
    if (used.empty()) return result;
    const auto found = autograd::grad(used, wanted, incoming, false, false, true);
    for (std::size_t i = 0; i < found.size(); ++i)
      if (found[i].defined()) result[places[i]] = found[i].to(kFloat64);
    return result;
  }

  /// Inputs, outputs and what forward left.
  static Invocation with_saved(autograd::AutogradContext* ctx, const ForeignCase& one) {
    const variable_list kept = ctx->get_saved_variables();
    const std::size_t inputs = one.inputs.size(), outputs = one.outputs.size();
    const auto part = [&](std::size_t from, std::size_t count) {
      const auto begin = kept.begin() + static_cast<std::ptrdiff_t>(from);
      return variable_list(begin, begin + static_cast<std::ptrdiff_t>(count));
    };
    Invocation call = call_of(one, part(0, inputs));
    add_inputs(call, part(0, inputs));
    for (std::size_t k = 0; k < outputs; ++k)
      call.outputs.add(
          read_only(call, nth("outputs", k), kept[inputs + k], call.type_of_output(k)));
    for (std::size_t k = 0; k < one.saved.size(); ++k) {
      const Declaration::Saved& saved = one.declaration->saved[k];
      call.saved.add({saved.name, kept[inputs + outputs + k], call.type_of(saved.dtype),
                      GuardedBuffer::Strides::RowMajor});
    }
    return call;
  }
};

std::vector<long double> used_outputs(const ForeignCase& one, BufferList& outputs) {
  std::vector<long double> result;
  for (std::size_t k = 0; k < outputs.size(); ++k) {
    if (!one.is_used(k) || !one.declaration->is_real_output(k)) continue;
    const std::vector<long double> values = outputs[k].long_doubles();
    result.insert(result.end(), values.begin(), values.end());
  }
  return result;
}

/// A call of a reference at x. What is saved leads nowhere.
Invocation wide_call(const ForeignCase& one, const WideList& x) {
  Invocation call(one, one.declaration->reference_dtype());
  for (std::size_t i = 0; i < x.size(); ++i) {
    const Declaration::Input& input = one.declaration->inputs[i];
    if (input.is_real()) {
      call.inputs.add(
          {input.name, x[i].sizes, {x[i].values.begin(), x[i].values.end()}, call.dtype});
    } else {
      const Tensor whole =
          make_tensor({x[i].values.begin(), x[i].values.end()}, x[i].sizes, kInt64);
      call.inputs.add({input.name, whole, input.dtype, GuardedBuffer::Strides::RowMajor});
    }
  }
  for (std::size_t k = 0; k < one.saved.size(); ++k) {
    const Declaration::Saved& saved = one.declaration->saved[k];
    call.saved.add({saved.name, one.saved[k], call.type_of(saved.dtype)}).allow_gaps();
  }
  return call;
}

void run_reference(Invocation& call) {
  const ForeignCase& one = call.one;
  for (std::size_t k = 0; k < one.outputs.size(); ++k)
    call.outputs.add({nth("outputs", k), one.outputs[k], call.type_of_output(k)});
  call.run("reference", one.declaration->foreign.reference);
}

variable_list ForeignFunction2::reference_outputs(const ForeignCase& one,
                                                  const variable_list& inputs) {
  WideList x;
  for (const Tensor& input : inputs) {
    const std::vector<double> values = numbers_of(input);
    WideTensor& wide = x.emplace_back();
    wide.sizes = input.sizes().vec();
    wide.values.assign(values.begin(), values.end());
  }
  Invocation call = wide_call(one, x);
  run_reference(call);
  variable_list outputs;
  for (std::size_t k = 0; k < one.outputs.size(); ++k) {
    const Tensor output = call.outputs[k].tensor();
    outputs.push_back(
        (output.is_floating_point() ? output.to(kFloat64) : output).to(inputs[0].device()));
  }
  return outputs;
}

}  // namespace

Tensor ForeignCall::operator()(const variable_list& x) const {
  CasePointer called = one;
  if (const auto by = stretch_of(one->inputs, x)) {
    ForeignCase longer = *one;
    for (std::size_t i = 0; i < x.size(); ++i) longer.inputs[i] = shape_of(x[i]);
    for (notape_shape& shape : longer.outputs) stretch(shape, *by);
    for (notape_shape& shape : longer.saved) stretch(shape, *by);
    called = std::make_shared<const ForeignCase>(std::move(longer));
  }
  variable_list outputs = ForeignFunction2::apply(x, called);
  if (one->unused >= 0) outputs.erase(outputs.begin() + one->unused);
  const ScalarType type = real_input(*one, x).dtype();
  for (Tensor& output : outputs)
    if (output.is_floating_point() && output.dtype() != type) output = output.to(type);
  return joined_results(outputs);
}

std::vector<long double> foreign_reference(const ForeignCase& one, const WideList& x) {
  Invocation call = wide_call(one, x);
  run_reference(call);
  return used_outputs(one, call.outputs);
}

std::vector<long double> foreign_surrogate(const ForeignCase& one, const WideList& x,
                                           const Numbers& v) {
  Invocation call = wide_call(one, x);
  std::size_t from = 0;
  for (std::size_t k = 0; k < one.outputs.size(); ++k) {
    const std::size_t count = entries_of(one.outputs[k]);
    if (!one.declaration->is_real_output(k)) {
      call.grad_outputs.add_missing(one.outputs[k], call.type_of_output(k));
      continue;
    }
    std::vector<long double> grad(count, 0);
    if (one.is_used(k))
      std::copy_n(v.begin() + static_cast<std::ptrdiff_t>(std::exchange(from, from + count)), count,
                  grad.begin());
    call.grad_outputs.add({nth("grad_outputs", k), sizes_of(one.outputs[k]), grad, call.dtype});
  }
  for (std::size_t i = 0; i < one.inputs.size(); ++i) {
    if (one.declaration->inputs[i].is_real())
      call.grad_inputs.add({nth("grad_inputs", i), one.inputs[i], call.dtype});
    else
      call.grad_inputs.add_missing(one.inputs[i], call.dtype);
  }
  call.run("surrogate", one.declaration->foreign.surrogate);
  std::vector<long double> all;
  for (std::size_t i = 0; i < one.inputs.size(); ++i) {
    if (!call.grad_inputs.has(i)) continue;
    const auto values = call.grad_inputs[i].long_doubles();
    all.insert(all.end(), values.begin(), values.end());
  }
  return all;
}

std::vector<long double> foreign_reference_slope(const ForeignCase& one, const WideList& x,
                                                 const Direction& u) {
  Invocation call = wide_call(one, x);
  for (std::size_t i = 0; i < x.size(); ++i) {
    if (u.parts[i].empty())
      call.tangents.add_missing(one.inputs[i], call.dtype);
    else
      call.tangents.add(
          {nth("tangents", i), x[i].sizes, {u.parts[i].begin(), u.parts[i].end()}, call.dtype});
  }
  for (std::size_t k = 0; k < one.outputs.size(); ++k) {
    if (one.declaration->is_real_output(k))
      call.output_tangents.add({nth("output_tangents", k), one.outputs[k], call.dtype});
    else
      call.output_tangents.add_missing(one.outputs[k], call.type_of_output(k));
  }
  call.run("reference_jvp", one.declaration->foreign.reference_jvp);
  return used_outputs(one, call.output_tangents);
}

}  // namespace notape::verify
