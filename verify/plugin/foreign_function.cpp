// The function of a ForeignCall: tensors become guarded buffers, and buffers tensors.
#include "autograd/function.h"
#include "autograd/tensor/factories.h"
#include "ops/spec/joined_results.h"
#include "verify/plugin/invocation.h"

namespace notape::verify {
namespace {

using CasePointer = std::shared_ptr<const ForeignCase>;

int32_t real_type(const ForeignCase& one, const variable_list& inputs) {
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    if (!one.declaration->inputs[i].is_real()) continue;
    const int32_t dtype = inputs[i].dtype() == kFloat32 ? NOTAPE_FLOAT32 : NOTAPE_FLOAT64;
    if ((one.declaration->foreign.dtypes & dtype) == 0)
      throw ForeignOperatorError("{} does not take {}", one.declaration->foreign.name,
                                 name_of(inputs[i].dtype()));
    return dtype;
  }
  return NOTAPE_FLOAT64;
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
  static variable_list forward(autograd::AutogradContext* ctx, const variable_list& inputs,
                               const CasePointer& one) {
    const Declaration& declaration = *one->declaration;
    Invocation call(*one, real_type(*one, inputs));
    add_inputs(call, inputs);
    for (std::size_t k = 0; k < one->outputs.size(); ++k)
      call.outputs.add({nth("outputs", k), one->outputs[k], call.dtype});
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
    return outputs;
  }

  static variable_list backward(autograd::AutogradContext* ctx, variable_list grads) {
    const ForeignCase& one = case_of(ctx);
    Invocation call = with_saved(ctx, one);
    for (std::size_t k = 0; k < grads.size(); ++k) {
      if (grads[k].defined())
        call.grad_outputs.add(read_only(call, nth("grad_outputs", k), grads[k]));
      else if (one.declaration->takes_missing())
        call.grad_outputs.add_missing(one.outputs[k], call.dtype);
      else
        call.grad_outputs.add(read_only(call, nth("grad_outputs", k), zeros_of(call, k)));
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
    if (!foreign.jvp)
      throw DerivativeNotImplemented("{} has no jvp, which forward mode needs", foreign.name);
    Invocation call = with_saved(ctx, one);
    for (std::size_t i = 0; i < one.inputs.size(); ++i) {
      if (one.declaration->inputs[i].is_real() && tangents[i].defined())
        call.tangents.add(read_only(call, nth("tangents", i), tangents[i]));
      else
        call.tangents.add_missing(one.inputs[i], call.dtype);
    }
    for (std::size_t k = 0; k < one.outputs.size(); ++k)
      call.output_tangents.add({nth("output_tangents", k), one.outputs[k], call.dtype});
    call.run("jvp", foreign.jvp);
    variable_list result;
    for (std::size_t k = 0; k < one.outputs.size(); ++k)
      result.push_back(call.output_tangents[k].tensor());
    return result;
  }

 private:
  static const ForeignCase& case_of(autograd::AutogradContext* ctx) {
    return **std::any_cast<CasePointer>(static_cast<std::any*>(&ctx->saved_data["case"]));
  }

  static Tensor zeros_of(const Invocation& call, std::size_t output) {
    return zeros(sizes_of(call.one.outputs[output]),
                 dtype(call.dtype == NOTAPE_FLOAT32 ? kFloat32 : kFloat64));
  }

  /// Inputs, outputs and what forward left.
  static Invocation with_saved(autograd::AutogradContext* ctx, const ForeignCase& one) {
    const variable_list kept = ctx->get_saved_variables();
    const std::size_t inputs = one.inputs.size(), outputs = one.outputs.size();
    const auto part = [&](std::size_t from, std::size_t count) {
      const auto begin = kept.begin() + static_cast<std::ptrdiff_t>(from);
      return variable_list(begin, begin + static_cast<std::ptrdiff_t>(count));
    };
    Invocation call(one, real_type(one, part(0, inputs)));
    add_inputs(call, part(0, inputs));
    for (std::size_t k = 0; k < outputs; ++k)
      call.outputs.add(read_only(call, nth("outputs", k), kept[inputs + k]));
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
    if (!one.is_used(k)) continue;
    const std::vector<long double> values = outputs[k].long_doubles();
    result.insert(result.end(), values.begin(), values.end());
  }
  return result;
}

/// A call in long double, at x. What is saved leads nowhere.
Invocation wide_call(const ForeignCase& one, const WideList& x) {
  Invocation call(one, NOTAPE_LONG_DOUBLE);
  for (std::size_t i = 0; i < x.size(); ++i) {
    const Declaration::Input& input = one.declaration->inputs[i];
    if (input.is_real()) {
      call.inputs.add({input.name, x[i].sizes, {x[i].values.begin(), x[i].values.end()}});
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

}  // namespace

Tensor ForeignCall::operator()(const variable_list& x) const {
  variable_list outputs = ForeignFunction2::apply(x, one);
  if (one->unused >= 0) outputs.erase(outputs.begin() + one->unused);
  return joined_results(outputs);
}

std::vector<long double> foreign_reference(const ForeignCase& one, const WideList& x) {
  Invocation call = wide_call(one, x);
  for (std::size_t k = 0; k < one.outputs.size(); ++k)
    call.outputs.add({nth("outputs", k), one.outputs[k], NOTAPE_LONG_DOUBLE});
  call.run("reference", one.declaration->foreign.reference);
  return used_outputs(one, call.outputs);
}

std::vector<long double> foreign_reference_slope(const ForeignCase& one, const WideList& x,
                                                 const Direction& u) {
  Invocation call = wide_call(one, x);
  for (std::size_t i = 0; i < x.size(); ++i) {
    if (u.parts[i].empty())
      call.tangents.add_missing(one.inputs[i], NOTAPE_LONG_DOUBLE);
    else
      call.tangents.add({nth("tangents", i), x[i].sizes, {u.parts[i].begin(), u.parts[i].end()}});
  }
  for (std::size_t k = 0; k < one.outputs.size(); ++k)
    call.output_tangents.add({nth("output_tangents", k), one.outputs[k], NOTAPE_LONG_DOUBLE});
  call.run("reference_jvp", one.declaration->foreign.reference_jvp);
  return used_outputs(one, call.output_tangents);
}

}  // namespace notape::verify
