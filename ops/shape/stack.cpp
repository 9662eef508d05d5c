// stack(tensors, dim): joined along a new dimension, as cat of the tensors with that dimension.
#include "ops/core/composite.h"
#include "ops/core/wrap_dim.h"
#include "ops/shape.h"
#include "ops/shape/plain_pick.h"
#include "ops/shape/view_op.h"

namespace notape {
namespace {

OpCase draw_stack(Draw& draw) {
  const auto sizes = draw.shape(0, 3);
  const int64_t dim = draw.dimension(static_cast<int64_t>(sizes.size()) + 1);
  const std::size_t place = place_of(dim, sizes.size() + 1);
  const int64_t count = draw.integer(1, 4);
  OpCase one;
  one.label = format_message("dim={}", {dim});
  one.arguments.assign(static_cast<std::size_t>(count), {.sizes = sizes});
  one.call = [=](const variable_list& x) { return stack(x, dim); };
  one.reference = [=]<typename T>(const PlainList<T>& x) {
    std::vector<int64_t> result_sizes = sizes;
    result_sizes.insert(result_sizes.begin() + static_cast<std::ptrdiff_t>(place), count);
    PlainTensor<T> result(result_sizes);
    for_each_index(result_sizes, [&](const IndexTuple& i) {
      IndexTuple rest = i;
      rest.erase(rest.begin() + static_cast<std::ptrdiff_t>(place));
      result.values[flat_index(result_sizes, i)] =
          x[static_cast<std::size_t>(i[place])].values[flat_index(sizes, rest)];
    });
    return result;
  };
  return one;
}

const RegisterOp stack_row(op_row("stack", "shape", draw_stack));

}  // namespace

Tensor stack(const TensorList& tensors, Integer dim, At at) {
  const Operation op("stack", at);
  if (tensors.empty()) op.fail<ShapeError>("stack expects a non-empty TensorList");
  for (std::size_t i = 0; i < tensors.size(); ++i) {
    if (!tensors[i].defined()) op.fail<UndefinedTensor>("tensor {} of the list is undefined", i);
    if (!(tensors[i].sizes() == tensors[0].sizes()))
      op.fail<ShapeError>(
          "stack expects each tensor to be equal size, but got {} at entry 0 and {} at entry {}",
          to_string(tensors[0].sizes()), to_string(tensors[i].sizes()), i);
  }
  const Composite composite(tensors);
  const int64_t place = wrap_dim(op, dim, tensors[0].dim() + 1);
  TensorList layers;
  layers.reserve(tensors.size());
  for (const Tensor& tensor : tensors) layers.push_back(unsqueeze(tensor, place, at));
  return cat(layers, place, at);
}

}  // namespace notape
