#include "autograd/functional/vmap.h"

#include "autograd/batching/batched_tensor.h"
#include "autograd/graph/batch_moves.h"

namespace notape::autograd::functional {
namespace {

/// Where each input has its batch, counted from the front, and how large that is.
struct Inputs {
  std::vector<std::optional<int64_t>> dims;
  int64_t size = 0;
};

Inputs check_inputs(const variable_list& inputs, const BatchDims& in_dims) {
  Inputs result;
  std::optional<int64_t> size;
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    if (!inputs[i].defined()) throw UndefinedTensor("vmap: input {} is undefined", i);
    std::optional<int64_t> dim = in_dims.of(i, inputs.size(), "in_dims");
    if (dim) {
      if (inputs[i].dim() == 0)
        throw ValueError("vmap: input {} has no dimension that could be the batch", i);
      dim = wrap_dim(*dim, inputs[i].dim());
      const int64_t own = inputs[i].size(*dim);
      if (size && *size != own)
        throw ValueError(
            "vmap: expected all tensors to have the same size in the mapped dimension, got {} and "
            "{} for input {}",
            *size, own, i);
      size = own;
    }
    result.dims.push_back(dim);
  }
  if (!size) throw ValueError("vmap: no input has a batch dimension");
  result.size = *size;
  return result;
}

Tensor as_sample(const Tensor& input, std::optional<int64_t> dim, BatchLevel level) {
  if (!dim) return input;
  Tensor sample = enter_level(input, level, *dim);
  // A copy: writing to it could not be seen in the caller's tensor.
  sample.impl().storage()->set_read_only();
  return sample;
}

Tensor as_batch(const Tensor& output, std::optional<int64_t> dim, BatchLevel level, std::size_t i) {
  if (!output.defined()) throw UndefinedTensor("vmap: output {} is undefined", i);
  const bool own = without({level}, levels_of(output)).empty();
  if (dim) return leave_level(output, level, wrap_dim(*dim, output.dim() + 1));
  if (own)
    throw ValueError("vmap: output {} differs between samples, but has no dimension in out_dims",
                     i);
  return output;
}

}  // namespace

std::optional<int64_t> BatchDims::of(std::size_t tensor, std::size_t count,
                                     const char* what) const {
  if (all_) return all_;
  if (each_.size() != count)
    throw ValueError("vmap: {} has {} entries for {} tensors", what, each_.size(), count);
  return each_[tensor];
}

ListFunction vmap(ListFunction f, BatchDims in_dims, BatchDims out_dims, Randomness randomness) {
  return [f = std::move(f), in_dims = std::move(in_dims), out_dims = std::move(out_dims),
          randomness](const variable_list& inputs) {
    const Inputs checked = check_inputs(inputs, in_dims);
    const VmapScope scope(checked.size, randomness);
    variable_list samples;
    for (std::size_t i = 0; i < inputs.size(); ++i)
      samples.push_back(as_sample(inputs[i], checked.dims[i], scope.level()));
    variable_list results = f(samples);
    for (std::size_t i = 0; i < results.size(); ++i)
      results[i] =
          as_batch(results[i], out_dims.of(i, results.size(), "out_dims"), scope.level(), i);
    return results;
  };
}

TensorFunction vmap(TensorFunction f, Integer in_dim, Integer out_dim, Randomness randomness) {
  const ListFunction of_lists = vmap(
      ListFunction([f = std::move(f)](const variable_list& x) { return variable_list{f(x[0])}; }),
      in_dim, out_dim, randomness);
  return [of_lists](const Tensor& input) { return of_lists({input})[0]; };
}

}  // namespace notape::autograd::functional
