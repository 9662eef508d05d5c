#include "autograd/functional/functional.h"

#include "autograd/forward/dual.h"
#include "autograd/forward/tangent.h"
#include "autograd/functional/backward.h"
#include "autograd/functional/vmap.h"
#include "autograd/modes/grad_mode.h"
#include "autograd/tensor/core_operators.h"
#include "autograd/tensor/factories.h"

namespace notape::autograd::functional {
namespace {

Tensor zeros_of(const Tensor& value) { return zeros(value.sizes(), value.options()); }

/// Fresh leaves; with create_graph, views that lead on to the caller's tensors.
variable_list fresh(const variable_list& inputs, bool create_graph) {
  variable_list result;
  for (const Tensor& input : inputs)
    result.push_back(create_graph && input.requires_grad()
                         ? core_operators->alias(input)
                         : detach_keeping_tangents(input).requires_grad_());
  return result;
}

variable_list detached(variable_list values, bool create_graph) {
  if (!create_graph)
    for (Tensor& value : values)
      if (value.defined()) value = detach_keeping_tangents(value);
  return values;
}

void check_shapes(const char* name, const variable_list& v, const variable_list& like) {
  if (v.size() != like.size())
    throw GradientCount("{}: v must have {} tensors, but has {}", name, like.size(), v.size());
  for (std::size_t i = 0; i < v.size(); ++i)
    if (!(v[i].sizes() == like[i].sizes()))
      throw ShapeError("{}: v[{}] has size {}, but should have size {}", name, i,
                       to_string(v[i].sizes()), to_string(like[i].sizes()));
}

/// Gradients of outputs that may not depend on anything: then zeros, or UnusedInput if strict.
variable_list gradients(const variable_list& outputs, const variable_list& inputs,
                        const variable_list& v, bool create_graph, bool keep, bool strict) {
  variable_list roots, seeds;
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    if (!outputs[i].requires_grad()) {
      if (strict)
        throw UnusedInput("output {} of the function does not depend on any input; strict mode", i);
      continue;
    }
    roots.push_back(outputs[i]);
    if (!v.empty()) seeds.push_back(v[i]);
  }
  variable_list result(inputs.size());
  if (!roots.empty()) result = grad(roots, inputs, seeds, keep, create_graph, true);
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    if (result[i].defined()) continue;
    if (strict) throw UnusedInput("the output does not depend on input {}; strict mode", i);
    result[i] = zeros_of(inputs[i]);
  }
  return result;
}

Tensor one_hot(const Tensor& like, Integer i) {
  const NoGradGuard no_grad;
  Tensor result = zeros_of(like);
  const Tensor element(Ref<TensorImpl>::adopt(
      new TensorImpl(result.impl().storage(), Geometry({}, {}, i), like.dtype())));
  core_operators->copy_into(element, ones({}, like.options()));
  return result;
}

/// One hots of every element, along a new first dimension.
Tensor one_hots(const Tensor& like) {
  const int64_t n = like.numel();
  DimVector sizes = like.sizes();
  sizes.insert(0, n);
  return core_operators->reshape(eye(n, like.options()), sizes);
}

DimVector joined(IntArrayRef first, IntArrayRef second) {
  DimVector sizes = first;
  for (int64_t size : second) sizes.push_back(size);
  return sizes;
}

/// Rows stacked into a tensor of the given sizes; no rows give an empty one.
Tensor assembled(const variable_list& rows, const Tensor& like, const DimVector& sizes) {
  if (rows.empty()) return zeros(sizes, like.options());
  return core_operators->reshape(core_operators->stack(rows), sizes);
}

std::vector<variable_list> jacobian_by_rows(const ListFunction& f, const variable_list& inputs,
                                            const Options& options) {
  const EnableGradGuard recording;
  const variable_list x = fresh(inputs, options.create_graph);
  const variable_list outputs = f(x);
  std::vector<variable_list> result;
  for (const Tensor& output : outputs) {
    std::vector<variable_list> rows(x.size());
    if (options.vectorize && output.numel() > 0) {
      const ListFunction row = [&](const variable_list& seed) {
        return gradients({output}, x, seed, options.create_graph, true, options.strict);
      };
      variable_list blocks = vmap(row)({one_hots(output)});
      for (std::size_t k = 0; k < x.size(); ++k)
        blocks[k] = core_operators->reshape(blocks[k], joined(output.sizes(), x[k].sizes()));
      result.push_back(detached(std::move(blocks), options.create_graph));
      continue;
    }
    for (int64_t i = 0; i < output.numel(); ++i) {
      const variable_list row =
          gradients({output}, x, {one_hot(output, i)}, options.create_graph, true, options.strict);
      for (std::size_t k = 0; k < x.size(); ++k) rows[k].push_back(row[k]);
    }
    variable_list blocks;
    for (std::size_t k = 0; k < x.size(); ++k)
      blocks.push_back(assembled(rows[k], x[k], joined(output.sizes(), x[k].sizes())));
    result.push_back(detached(std::move(blocks), options.create_graph));
  }
  return result;
}

std::vector<variable_list> jacobian_by_columns(const ListFunction& f, const variable_list& inputs,
                                               const Options& options) {
  std::vector<std::vector<variable_list>> columns;  // [output][input]
  variable_list outputs;
  for (std::size_t k = 0; k < inputs.size(); ++k) {
    const auto column = [&](const Tensor& direction) {
      variable_list v;
      for (std::size_t j = 0; j < inputs.size(); ++j)
        v.push_back(j == k ? direction : zeros_of(inputs[j]));
      Product all = jvp(f, inputs, v, options);
      columns.resize(all.outputs.size(), std::vector<variable_list>(inputs.size()));
      outputs = std::move(all.outputs);
      return all.product;
    };
    const int64_t in = inputs[k].numel();
    if (options.vectorize && in > 0) {
      const ListFunction batch = [&](const variable_list& seed) { return column(seed[0]); };
      const variable_list products = vmap(batch)({one_hots(inputs[k])});
      for (std::size_t o = 0; o < products.size(); ++o)
        columns[o][k] = {core_operators->reshape(products[o], {in, products[o].numel() / in})};
      continue;
    }
    for (int64_t i = 0; i < in; ++i) {
      const variable_list products = column(one_hot(inputs[k], i));
      for (std::size_t o = 0; o < products.size(); ++o)
        columns[o][k].push_back(core_operators->reshape(products[o], {products[o].numel()}));
    }
  }
  if (columns.empty()) {  // no input has an element, and nothing has called f
    variable_list v;
    for (const Tensor& input : inputs) v.push_back(zeros_of(input));
    outputs = jvp(f, inputs, v, options).outputs;
    columns.resize(outputs.size(), std::vector<variable_list>(inputs.size()));
  }
  std::vector<variable_list> result;
  for (std::size_t o = 0; o < outputs.size(); ++o) {
    variable_list blocks;
    for (std::size_t k = 0; k < inputs.size(); ++k) {
      // [input element][output element], to be turned round.
      const int64_t in = inputs[k].numel(), out = outputs[o].numel();
      const Tensor rows = options.vectorize && in > 0
                              ? columns[o][k][0]
                              : assembled(columns[o][k], outputs[o], DimVector{in, out});
      const Geometry row_major({in, out}, {out, 1}, 0), turned({out, in}, {1, out}, 0);
      blocks.push_back(
          core_operators->reshape(core_operators->gather_window(rows, row_major, turned),
                                  joined(outputs[o].sizes(), inputs[k].sizes())));
    }
    result.push_back(std::move(blocks));
  }
  return result;
}

ListFunction as_list(const TensorFunction& f) {
  return [f](const variable_list& x) { return variable_list{f(x[0])}; };
}

variable_list as_list(const Tensor& v) { return v.defined() ? variable_list{v} : variable_list(); }

TensorProduct single(const Product& product) { return {product.outputs[0], product.product[0]}; }

void check_scalar(const char* name, const variable_list& outputs) {
  if (outputs.size() != 1 || outputs[0].numel() != 1)
    throw ShapeError("{}: the function must return one tensor with one element", name);
}

}  // namespace

Product vjp(const ListFunction& f, const variable_list& inputs, const variable_list& v,
            const Options& options) {
  const EnableGradGuard recording;
  const variable_list x = fresh(inputs, options.create_graph);
  const variable_list outputs = f(x);
  if (!v.empty()) check_shapes("vjp", v, outputs);
  variable_list product =
      gradients(outputs, x, v, options.create_graph, options.create_graph, options.strict);
  return {detached(outputs, options.create_graph),
          detached(std::move(product), options.create_graph)};
}

Product jvp(const ListFunction& f, const variable_list& inputs, const variable_list& v,
            const Options& options) {
  check_shapes("jvp", v, inputs);
  const AutoGradMode recording(options.create_graph);
  const forward_ad::DualLevelGuard level;
  variable_list x;
  for (std::size_t i = 0; i < inputs.size(); ++i)
    x.push_back(forward_ad::make_dual(
        options.create_graph ? inputs[i] : detach_keeping_tangents(inputs[i]), v[i]));
  Product result;
  for (const Tensor& output : f(x)) {
    auto [primal, tangent] = forward_ad::unpack_dual(output);
    if (!tangent.defined()) {
      if (options.strict)
        throw UnusedInput("an output of the function does not depend on any input; strict mode");
      tangent = zeros_of(primal);
    }
    result.outputs.push_back(std::move(primal));
    result.product.push_back(std::move(tangent));
  }
  return result;
}

std::vector<variable_list> jacobian(const ListFunction& f, const variable_list& inputs,
                                    const Options& options) {
  return options.strategy == Strategy::Forward ? jacobian_by_columns(f, inputs, options)
                                               : jacobian_by_rows(f, inputs, options);
}

std::vector<variable_list> hessian(const ListFunction& f, const variable_list& inputs,
                                   const Options& options) {
  const ListFunction gradient = [&](variable_list x) {
    const EnableGradGuard recording;
    for (Tensor& one : x)
      if (!one.requires_grad()) one = core_operators->alias(one).requires_grad_();
    const variable_list outputs = f(x);
    check_scalar("hessian", outputs);
    return gradients(outputs, x, {}, true, true, options.strict);
  };
  return jacobian(gradient, inputs, options);
}

Product hvp(const ListFunction& f, const variable_list& inputs, const variable_list& v,
            const Options& options) {
  check_shapes("hvp", v, inputs);
  const EnableGradGuard recording;
  variable_list outputs;
  const variable_list x = fresh(inputs, options.create_graph);
  const forward_ad::DualLevelGuard level;
  variable_list dual;
  for (std::size_t i = 0; i < x.size(); ++i) dual.push_back(forward_ad::make_dual(x[i], v[i]));
  outputs = f(dual);
  check_scalar("hvp", outputs);
  const variable_list first =
      gradients(outputs, dual, {}, options.create_graph, options.create_graph, options.strict);
  variable_list product;
  for (const Tensor& g : first) {
    Tensor tangent = forward_ad::unpack_dual(g).tangent;
    product.push_back(tangent.defined() ? tangent : zeros_of(g));
  }
  outputs[0] = forward_ad::unpack_dual(outputs[0]).primal;
  return {detached(std::move(outputs), options.create_graph),
          detached(std::move(product), options.create_graph)};
}

Product vhp(const ListFunction& f, const variable_list& inputs, const variable_list& v,
            const Options& options) {
  check_shapes("vhp", v, inputs);
  const EnableGradGuard recording;
  const variable_list x = fresh(inputs, options.create_graph);
  const variable_list outputs = f(x);
  check_scalar("vhp", outputs);
  const variable_list first = gradients(outputs, x, {}, true, true, options.strict);
  variable_list product = gradients(first, x, v, options.create_graph, options.create_graph, false);
  return {detached(outputs, options.create_graph),
          detached(std::move(product), options.create_graph)};
}

TensorProduct vjp(const TensorFunction& f, const Tensor& input, const Tensor& v,
                  const Options& options) {
  return single(vjp(as_list(f), {input}, as_list(v), options));
}
TensorProduct jvp(const TensorFunction& f, const Tensor& input, const Tensor& v,
                  const Options& options) {
  return single(jvp(as_list(f), {input}, as_list(v), options));
}
Tensor jacobian(const TensorFunction& f, const Tensor& input, const Options& options) {
  return jacobian(as_list(f), {input}, options)[0][0];
}
Tensor hessian(const TensorFunction& f, const Tensor& input, const Options& options) {
  return hessian(as_list(f), {input}, options)[0][0];
}
TensorProduct hvp(const TensorFunction& f, const Tensor& input, const Tensor& v,
                  const Options& options) {
  return single(hvp(as_list(f), {input}, as_list(v), options));
}
TensorProduct vhp(const TensorFunction& f, const Tensor& input, const Tensor& v,
                  const Options& options) {
  return single(vhp(as_list(f), {input}, as_list(v), options));
}

}  // namespace notape::autograd::functional
