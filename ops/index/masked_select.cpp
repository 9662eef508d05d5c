// masked_select(x, mask) = x[mask], both broadcast: the elements where it holds, in one dimension.
#include "autograd/batching/batched_tensor.h"
#include "ops/core/batching.h"
#include "ops/core/composite.h"
#include "ops/core/promotion.h"
#include "ops/index.h"
#include "ops/shape.h"
#include "ops/shape/plain_pick.h"

namespace notape {
namespace {

OpCase draw_masked_select(Draw& draw) {
  const auto full = draw.shape(0, 4);
  OpCase one;
  one.arguments = {{.sizes = draw.broadcast_of(full)}, Argument::boolean(draw.broadcast_of(full))};
  one.call = [](const variable_list& x) { return masked_select(x[0], x[1]); };
  one.reference = []<typename T>(const PlainList<T>& x) {
    const std::vector<int64_t> sizes = plain_broadcast({&x[0].sizes, &x[1].sizes});
    PlainTensor<T> result;
    for (int64_t i = 0; i < WideTensor(sizes).numel(); ++i)
      if (x[1].values[static_cast<std::size_t>(plain_position(x[1], sizes, i))] != T(0))
        result.values.push_back(
            x[0].values[static_cast<std::size_t>(plain_position(x[0], sizes, i))]);
    result.sizes = {result.numel()};
    return result;
  };
  return one;
}

const RegisterOp masked_select_row(op_row("masked_select", "index", draw_masked_select,
                                          Trait::Locates | Trait::Broadcasts | Trait::Accumulates));

}  // namespace

Tensor masked_select(const Tensor& self, const Tensor& mask, At at) {
  const Operation op("masked_select", at);
  check_operands(op, {&self, &mask});
  if (mask.dtype() != kBool)
    op.fail<DtypeError>("expected BoolTensor for mask, but got {}", name_of(mask.dtype()));
  if (is_batched(mask)) refuse_batched(op);  // each sample's result has a size of its own
  const Composite composite({&self});
  const std::vector<int64_t> sizes = broadcast_sizes(op, self.sizes(), mask.sizes());
  const int64_t count = Geometry(sizes).numel();
  return index(reshape(expand(self, sizes, at), {count}, at),
               {reshape(expand(mask, sizes, at), {count}, at)}, at);
}

Tensor IndexMembers::masked_select(const Tensor& mask, At at) const {
  return notape::masked_select(self(), mask, at);
}

}  // namespace notape
