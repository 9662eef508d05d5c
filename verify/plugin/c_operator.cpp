#include "verify/plugin/c_operator.h"

#include <algorithm>
#include <cmath>

#include "autograd/function.h"
#include "verify/plugin/foreign_case.h"
#include "verify/plugin/guarded_buffer.h"
#include "verify/plugin/inside.h"

namespace notape::verify {
namespace {

using Buffers = std::vector<GuardedBuffer>;

void add(Buffers& buffers, const std::string& name, const variable_list& tensors) {
  for (std::size_t i = 0; i < tensors.size(); ++i)
    buffers.emplace_back(name + "[" + std::to_string(i) + "]", tensors[i]);
}

std::vector<notape_buffer> views_of(Buffers& buffers) {
  std::vector<notape_buffer> views;
  for (GuardedBuffer& buffer : buffers) views.push_back(buffer.view());
  return views;
}

/// What a call of a C function produced.
void check_call(const notape_operator& foreign, const char* function, int status,
                const Buffers& buffers) {
  if (status != 0)
    throw ForeignOperatorError("{} of {} refused with {}", function, foreign.name, status);
  for (const GuardedBuffer& buffer : buffers)
    if (const std::string fault = buffer.fault(); !fault.empty())
      throw ForeignOperatorError("{} of {} {}", function, foreign.name, fault);
}

int32_t dtype_of(const notape_operator& foreign, const Tensor& tensor) {
  const int32_t dtype = tensor.dtype() == kFloat32 ? NOTAPE_FLOAT32 : NOTAPE_FLOAT64;
  if ((foreign.dtypes & dtype) == 0)
    throw ForeignOperatorError("{} does not take {}", foreign.name, name_of(tensor.dtype()));
  return dtype;
}

struct Shapes {
  std::vector<notape_shape> inputs;
  notape_shape output{};
};

Shapes shapes_of(const notape_operator& foreign, int32_t way) {
  Shapes shapes{std::vector<notape_shape>(static_cast<std::size_t>(foreign.inputs))};
  const int status = foreign.shape(foreign.context, way, shapes.inputs.data(), &shapes.output);
  if (status != 0) throw ForeignOperatorError("shape of {} refused with {}", foreign.name, status);
  for (const notape_shape& shape : shapes.inputs) check_shape(foreign.name, "", shape);
  check_shape(foreign.name, "", shapes.output);
  return shapes;
}

/// The operator and the shape of its result in the present case.
struct Target {
  const notape_operator* foreign;
  notape_shape output;
};

struct ForeignFunction : autograd::Function<ForeignFunction> {
  static Tensor forward(autograd::AutogradContext* ctx, const variable_list& inputs,
                        const Target* target) {
    const InsideForeign inside;
    const notape_operator& foreign = *target->foreign;
    const int32_t dtype = dtype_of(foreign, inputs[0]);
    Buffers buffers;
    add(buffers, "inputs", inputs);
    buffers.emplace_back("output", target->output, dtype);
    auto views = views_of(buffers);
    check_call(foreign, "forward",
               foreign.forward(foreign.context, views.data(), &views[inputs.size()]), buffers);
    Tensor result = buffers.back().tensor();
    variable_list saved = inputs;
    saved.push_back(result);
    ctx->save_for_backward(saved);
    ctx->saved_data["operator"] = reinterpret_cast<int64_t>(&foreign);
    ctx->mark_once_differentiable();
    return result;
  }

  static variable_list backward(autograd::AutogradContext* ctx, variable_list grads) {
    const InsideForeign inside;
    const notape_operator& foreign = foreign_of(ctx);
    const auto count = static_cast<std::size_t>(foreign.inputs);
    Buffers buffers = saved_buffers(ctx, count);
    buffers.emplace_back("grad_output", grads[0]);
    const notape_buffer first = buffers[0].view();
    // Gradients that nobody wants have no buffer.
    std::vector<notape_buffer> gradients;
    std::vector<std::size_t> place(count, 0);
    for (std::size_t i = 0; i < count; ++i) {
      const notape_shape shape = buffers[i].view().shape;
      gradients.push_back({nullptr, shape, first.dtype});
      if (!ctx->needs_input_grad(i)) continue;
      place[i] = buffers.size();
      buffers.emplace_back("grad_inputs[" + std::to_string(i) + "]", shape, first.dtype);
      gradients[i] = buffers.back().view();
    }
    const auto views = views_of(buffers);
    check_call(foreign, "backward",
               foreign.backward(foreign.context, views.data(), &views[count], &views[count + 1],
                                gradients.data()),
               buffers);
    variable_list result(count + 1);  // the last one belongs to `target`
    for (std::size_t i = 0; i < count; ++i)
      if (place[i] != 0) result[i] = buffers[place[i]].tensor();
    return result;
  }

  static variable_list jvp(autograd::AutogradContext* ctx, variable_list tangents) {
    const InsideForeign inside;
    const notape_operator& foreign = foreign_of(ctx);
    const auto count = static_cast<std::size_t>(foreign.inputs);
    if (!foreign.jvp)
      throw DerivativeNotImplemented("{} has no jvp, which forward mode needs", foreign.name);
    Buffers buffers = saved_buffers(ctx, count);
    const notape_buffer output = buffers[count].view();
    std::vector<notape_buffer> given;
    for (std::size_t i = 0; i < count; ++i) {
      given.push_back({nullptr, buffers[i].view().shape, output.dtype});
      if (!tangents[i].defined()) continue;
      buffers.emplace_back("tangents[" + std::to_string(i) + "]", tangents[i]);
      given[i] = buffers.back().view();
    }
    buffers.emplace_back("output_tangent", output.shape, output.dtype);
    auto views = views_of(buffers);
    check_call(
        foreign, "jvp",
        foreign.jvp(foreign.context, views.data(), &views[count], given.data(), &views.back()),
        buffers);
    return {buffers.back().tensor()};
  }

 private:
  static const notape_operator& foreign_of(autograd::AutogradContext* ctx) {
    return *reinterpret_cast<const notape_operator*>(ctx->saved_data["operator"].toInt());
  }
  /// The inputs and the output.
  static Buffers saved_buffers(autograd::AutogradContext* ctx, std::size_t count) {
    variable_list saved = ctx->get_saved_variables();
    Buffers buffers;
    add(buffers, "inputs", {saved.begin(), saved.begin() + static_cast<std::ptrdiff_t>(count)});
    buffers.emplace_back("output", saved[count]);
    return buffers;
  }
};

void check_declaration(const notape_operator& foreign) {
  if (!is_name(foreign.name))
    throw ForeignOperatorError("an operator's name is not 1 to 100 letters, digits and _ . -");
  const auto require = [&](bool condition, const char* what) {
    if (!condition) throw ForeignOperatorError("operator '{}' {}", foreign.name, what);
  };
  require(foreign.shape && foreign.forward && foreign.backward,
          "lacks one of its functions shape, forward and backward");
  require(foreign.inputs >= 1 && foreign.inputs <= 32, "must have 1 to 32 inputs");
  require(foreign.shapes >= 1, "offers no shapes");
  require(std::isfinite(foreign.low) && std::isfinite(foreign.high) && foreign.low < foreign.high,
          "has an empty or infinite domain");
  require(foreign.kink_count >= 0 && (foreign.kink_count == 0 || foreign.kinks),
          "has kinks that are nowhere");
  for (int32_t i = 0; i < foreign.kink_count; ++i)
    require(std::isfinite(foreign.kinks[i]), "has a kink that is no number");
  require((foreign.dtypes & NOTAPE_FLOAT64) != 0,
          "does not take float64, which its numeric derivative needs");
}

}  // namespace

int32_t ways_of(const OpSpec& row) {
  const auto* draw = row.draw.target<DrawOfWays>();
  return draw ? draw->ways : 0;
}

std::optional<std::vector<ScalarType>> declared_dtypes(const OpSpec& row) {
  const auto* draw = row.draw.target<DrawOfWays>();
  if (!draw) return {};
  std::vector<ScalarType> result;
  for (const ScalarType one : {kFloat64, kFloat32, kBFloat16, kFloat16})
    if ((draw->dtypes & code_of_real(one)) != 0) result.push_back(one);
  return result;
}

bool runs_on(const OpSpec& row, Device device) {
  const auto* draw = row.draw.target<DrawOfWays>();
  if (!draw) return true;
  const int32_t devices = draw->devices ? draw->devices : NOTAPE_ON_CPU;
  return (devices & (device.is_cpu() ? NOTAPE_ON_CPU : NOTAPE_ON_CUDA)) != 0;
}

OpSpec row_of(const notape_operator& foreign) {
  check_declaration(foreign);
  const auto draw_case = [&foreign](Draw& draw) {
    const auto way = static_cast<int32_t>(draw.integer(0, foreign.shapes - 1));
    const Shapes shapes = shapes_of(foreign, way);
    OpCase one;
    one.label = format_message("shape {}", {way});
    Domain domain{.low = foreign.low, .high = foreign.high};
    if (foreign.kinks) domain.kinks.assign(foreign.kinks, foreign.kinks + foreign.kink_count);
    for (const notape_shape& shape : shapes.inputs)
      one.arguments.push_back({.sizes = sizes_of(shape), .domain = domain});
    const auto target = std::make_shared<Target>(Target{&foreign, shapes.output});
    one.call = [target, said = shapes.inputs](const variable_list& x) {
      const auto by = stretch_of(said, x);
      if (!by) return ForeignFunction::apply(x, target.get());
      const auto longer = std::make_shared<Target>(*target);
      stretch(longer->output, *by);
      return ForeignFunction::apply(x, longer.get());
    };
    return one;
  };
  OpSpec spec{.name = foreign.name,
              .family = "plugin",
              .draw = DrawOfWays{foreign.shapes, foreign.dtypes, NOTAPE_ON_CPU, draw_case}};
  spec.order = 1;
  spec.forward_mode = foreign.jvp != nullptr;
  spec.float32 = (foreign.dtypes & NOTAPE_FLOAT32) != 0;
  return spec;
}

}  // namespace notape::verify
