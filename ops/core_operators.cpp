// The operators that the core itself needs, given to it: see autograd/tensor/core_operators.h.
#include "autograd/tensor/core_operators.h"

#include <algorithm>

#include "autograd/graph/history.h"
#include "autograd/tensor/factories.h"
#include "ops/arithmetic.h"
#include "ops/core/allocate.h"
#include "ops/random/draw_elements.h"
#include "ops/reduce.h"
#include "ops/reduce/row.h"
#include "ops/selection.h"
#include "ops/shape.h"
#include "ops/shape/clone.h"
#include "ops/shape/view_op.h"
#include "ops/shape/window.h"

namespace notape {

void add_raw(const Tensor& target, const Tensor& value);

namespace {

constexpr auto pass_on = [](const Tensor& value) { return value; };
constexpr auto kAlias = derivative("AliasBackward0", elementwise(pass_on));

Tensor alias(const Tensor& value) {
  const Operation op("alias", SourceLocation::current());
  return view_as(kAlias, op, value, value.impl().geometry());
}

void draw(const char* name, const Tensor& result, const RandomStream& stream,
          const RandomElements& elements) {
  if (result.device().is_cpu()) return draw_on_cpu(result, stream, elements);
  draw_kernel({name, SourceLocation::current()}, result.dtype(), result.device(), result, stream,
              elements);
}

bool has_nan(const Tensor& value) {
  if (!value.is_floating_point()) return false;
  const Tensor all = with_batch_dims(value, levels_of(value), value.dim());
  const Tensor here = raw_contiguous(all.device().is_cpu() ? all : all.cpu());
  return visit_type(value.dtype(), [&]<typename T>() {
    constexpr int64_t kBlock = 1024;
    const T* data = here.impl().data_as<T>();
    for (int64_t left = here.numel(); left > 0; left -= kBlock, data += kBlock)
      if (sum_lanes<int32_t>(std::min(left, kBlock),
                             [data](int64_t i) { return data[i] != data[i]; }) > 0)
        return true;
    return false;
  });
}

constexpr CoreOperators kOperators = {
    .add = [](const Tensor& a, const Tensor& b) { return add(a, b); },
    .add_into = add_raw,
    .sum_to = [](const Tensor& value, IntArrayRef sizes) { return sum_to_size(value, sizes); },
    .expand_to = [](const Tensor& value, IntArrayRef sizes) { return expand(value, sizes); },
    .convert = [](const Tensor& value, ScalarType dtype,
                  Device device) { return to(to(value, device), dtype); },
    .clone = [](const Tensor& value,
                IntArrayRef strides) { return clone_with_strides(value, strides); },
    .copy_into = raw_copy,
    .alias = alias,
    .gather_window = [](const Tensor& base_value, const Geometry& base,
                        const Geometry& view) { return gather_window(base_value, base, view); },
    .scatter_window = [](const Tensor& value, const Geometry& base,
                         const Geometry& view) { return scatter_window(value, base, view); },
    .replace_window =
        [](Tensor base_value, const Geometry& base, const Geometry& view, const Tensor& value) {
          return replace_window(std::move(base_value), base, view, value);
        },
    .add_window =
        [](Tensor base_value, const Geometry& base, const Geometry& view, const Tensor& value) {
          return add_window(std::move(base_value), base, view, value);
        },
    .stack = [](const variable_list& values) { return stack(values, 0); },
    .reshape = [](const Tensor& value, IntArrayRef sizes) { return reshape(value, sizes); },
    .select = [](const Tensor& mask, const Tensor& value) { return where(mask, value, 0); },
    .draw = draw,
    .has_nan = has_nan,
};

}  // namespace

constinit const CoreOperators* core_operators = &kOperators;

}  // namespace notape
