// roll(x, shifts, dims)[.., i, ..] = x[.., (i - shift) mod n, ..]: the end joined in front of the
// start, which carries the derivative.
#include "ops/core/composite.h"
#include "ops/core/promotion.h"
#include "ops/core/wrap_dim.h"
#include "ops/shape.h"
#include "ops/shape/plain_pick.h"

namespace notape {
namespace {

/// shift mod size, in [0, size).
int64_t wrapped(int64_t shift, int64_t size) {
  const int64_t rest = shift % size;
  return rest < 0 ? rest + size : rest;
}

Tensor rolled(const Tensor& self, int64_t shift, int64_t dim, At at) {
  const int64_t size = self.size(dim), moved = wrapped(shift, size);
  if (moved == 0) return self;
  return cat({narrow(self, dim, size - moved, moved, at), narrow(self, dim, 0, size - moved, at)},
             dim, at);
}

OpCase draw_roll(Draw& draw) {
  const auto sizes = draw.shape(0, 4);
  const auto rank = static_cast<int64_t>(sizes.size());
  std::vector<int64_t> shifts = {draw.integer(-5, 5)}, dims;
  const bool flat = rank == 0 || draw.integer(0, 3) == 0;
  if (!flat) {
    dims.push_back(draw.dimension(rank));
    for (int64_t i = draw.integer(0, 2); i > 0; --i) {
      shifts.push_back(draw.integer(-5, 5));
      dims.push_back(draw.dimension(rank));
    }
  }
  OpCase one;
  one.label = format_message("shifts={}, dims={}", {to_string(shifts), to_string(dims)});
  one.arguments = {{.sizes = sizes}};
  one.call = [=](const variable_list& x) { return roll(x[0], shifts, dims); };
  one.reference = [=]<typename T>(const PlainList<T>& x) {
    PlainTensor<T> source = x[0];
    if (flat) source.sizes = {x[0].numel()};
    const std::vector<int64_t> shape = source.sizes;
    PlainTensor<T> result = plain_pick(shape, source, [&](IndexTuple i) {
      for (std::size_t k = 0; k < shifts.size(); ++k) {
        const std::size_t d = flat ? 0 : place_of(dims[k], sizes.size());
        i[d] = wrapped(i[d] - shifts[k], shape[d]);
      }
      return i;
    });
    result.sizes = sizes;
    return result;
  };
  return one;
}

const RegisterOp roll_row(op_row("roll", "shape", draw_roll, Trait::Permutes));

}  // namespace

Tensor roll(const Tensor& self, IntArrayRef shifts, IntArrayRef dims, At at) {
  const Operation op("roll", at);
  check_operand(op, self);
  if (shifts.empty()) op.fail<ShapeError>("`shifts` required");
  if (dims.empty() ? shifts.size() != 1 : shifts.size() != dims.size())
    op.fail<ShapeError>("shifts and dimensions must align. shifts: {}, dims: {}", shifts.size(),
                        dims.size());
  DimVector places = dims;
  for (int64_t& dim : places) {
    if (self.dim() == 0) op.fail<IndexError>("a 0-dim tensor has no dimension {}", dim);
    dim = wrap_dim(op, dim, self.dim());
  }
  const Composite composite({&self});
  if (self.numel() == 0) return clone(self, at);
  Tensor result = dims.empty() ? rolled(reshape(self, {self.numel()}, at), shifts[0], 0, at) : self;
  for (std::size_t i = 0; i < places.size(); ++i) result = rolled(result, shifts[i], places[i], at);
  if (dims.empty()) result = reshape(result, self.sizes(), at);
  return result.is_alias_of(self) ? clone(result, at) : result;
}

Tensor ShapeMembers::roll(IntArrayRef shifts, IntArrayRef dims, At at) const {
  return notape::roll(self(), shifts, dims, at);
}

}  // namespace notape
