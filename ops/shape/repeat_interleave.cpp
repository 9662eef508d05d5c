// repeat_interleave(x, r, d): each slice of x along d r times in a row, for one number an expanded
// view, copied; for several index_select of the slices' numbers. Both carry the derivative.
#include "autograd/tensor/factories.h"
#include "ops/core/allocate.h"
#include "ops/core/composite.h"
#include "ops/core/promotion.h"
#include "ops/core/sizes.h"
#include "ops/core/wrap_dim.h"
#include "ops/index.h"
#include "ops/shape.h"
#include "ops/shape/plain_pick.h"

namespace notape {
namespace {

/// `repeats`, int32 or int64, in int64 on the CPU.
std::vector<int64_t> counts_of(const Operation& op, const Tensor& repeats) {
  if (repeats.dtype() != kInt32 && repeats.dtype() != kInt64)
    op.fail<DtypeError>("repeats has to be Long or Int tensor, got {}", name_of(repeats.dtype()));
  if (repeats.dim() > 1)
    op.fail<ShapeError>("repeats must be 0-dim or 1-dim tensor, got size {}",
                        to_string(repeats.sizes()));
  if (is_batched(repeats))
    op.fail<BatchingNotImplemented>("the size of the result would differ between samples");
  const Tensor values = raw_contiguous(to(to(repeats, Device(kCPU), op.at), kInt64, op.at));
  const int64_t* data = values.impl().data_as<int64_t>();
  std::vector<int64_t> counts(data, data + values.numel());
  for (const int64_t count : counts)
    if (count < 0) op.fail<ValueError>("repeats can not be negative, got {}", count);
  return counts;
}

/// i counts[i] times.
Tensor numbered(const Operation& op, const std::vector<int64_t>& counts,
                std::optional<int64_t> output_size, ScalarType type, Device device) {
  int64_t all = 0;
  for (const int64_t count : counts) all = size_sum(op, all, count);
  if (output_size && *output_size != all)
    op.fail<ValueError>(
        "allocated size does not match required size: output_size={}, sum of "
        "repeats {}",
        *output_size, all);
  const Tensor result = allocate(IntArrayRef(all), kInt64, kCPU);
  int64_t* next = result.impl().data_as<int64_t>();
  for (std::size_t i = 0; i < counts.size(); ++i)
    next = std::fill_n(next, counts[i], static_cast<int64_t>(i));
  return to(to(result, type, op.at), device, op.at);
}

/// Along dimension `place` of `self`, which is there.
Tensor repeated_evenly(const Tensor& self, int64_t repeats, int64_t place, At at) {
  DimVector seen = self.sizes(), joined = self.sizes();
  const auto d = static_cast<std::size_t>(place);
  seen.insert(d + 1, repeats);
  joined[d] *= repeats;
  const Tensor result = reshape(expand(unsqueeze(self, place + 1, at), seen, at), joined, at);
  return result.is_alias_of(self) ? clone(result, at) : result;
}

OpCase draw_repeat_interleave(Draw& draw) {
  const auto sizes = draw.shape(0, 3, 0, 3);
  const auto rank = static_cast<int64_t>(sizes.size());
  const bool flat = rank == 0 || draw.integer(0, 3) == 0;
  const int64_t dim = draw.dimension(rank);
  const std::size_t place = flat ? 0 : place_of(dim, sizes.size());
  const std::vector<int64_t> shape = flat ? std::vector<int64_t>{WideTensor(sizes).numel()} : sizes;
  const bool evenly = draw.boolean();
  std::vector<int64_t> counts, from;
  const int64_t times = draw.integer(1, 3) - 1;
  for (int64_t i = 0; i < shape[place]; ++i) {
    counts.push_back(evenly ? times : draw.integer(1, 3) - 1);
    from.insert(from.end(), static_cast<std::size_t>(counts.back()), i);
  }
  OpCase one;
  one.label = "repeats=" + (evenly ? std::to_string(times) : to_string(counts)) +
              (flat ? "" : format_message(", dim={}", {dim}));
  one.arguments = {{.sizes = sizes}};
  one.call = [=](const variable_list& x) {
    const std::optional<int64_t> along = flat ? std::nullopt : std::optional(dim);
    if (evenly) return repeat_interleave(x[0], times, along);
    return repeat_interleave(x[0], tensor(counts).to(x[0].device().of_samples()), along);
  };
  one.reference = [=]<typename T>(const PlainList<T>& x) {
    PlainTensor<T> source = x[0];
    source.sizes = shape;
    std::vector<int64_t> result_sizes = shape;
    result_sizes[place] = static_cast<int64_t>(from.size());
    return plain_pick(result_sizes, source, [&](IndexTuple i) {
      i[place] = from[static_cast<std::size_t>(i[place])];
      return i;
    });
  };
  return one;
}

const RegisterOp repeat_interleave_row(op_row("repeat_interleave", "shape", draw_repeat_interleave,
                                              Trait::Gathers | Trait::Locates |
                                                  Trait::Accumulates));

}  // namespace

Tensor repeat_interleave(const Tensor& repeats, std::optional<Integer> output_size, At at) {
  const Operation op("repeat_interleave", at);
  check_operand(op, repeats);
  if (repeats.dim() != 1)
    op.fail<ShapeError>("repeat_interleave only accept 1D vector as repeat, got size {}",
                        to_string(repeats.sizes()));
  return numbered(op, counts_of(op, repeats), output_size, repeats.dtype(), repeats.device());
}

Tensor repeat_interleave(const Tensor& self, const Tensor& repeats, std::optional<Integer> dim,
                         std::optional<Integer> output_size, At at) {
  const Operation op("repeat_interleave", at);
  check_operands(op, {&self, &repeats});
  std::vector<int64_t> counts = counts_of(op, repeats);
  const Composite composite({&self});
  const Tensor whole =
      dim ? self.dim() == 0 ? reshape(self, {1}, at) : self : reshape(self, {self.numel()}, at);
  const int64_t place = dim ? wrap_dim(op, *dim, self.dim()) : 0, size = whole.size(place);
  if (repeats.dim() == 0 || counts.size() == 1)
    counts.assign(static_cast<std::size_t>(size), counts[0]);
  if (counts.size() != static_cast<std::size_t>(size))
    op.fail<ShapeError>(
        "repeats must have the same size as input along dim, but got "
        "repeats.size(0) = {} and input.size({}) = {}",
        counts.size(), dim.value_or(0), size);
  const Device device = self.device().of_samples();
  return index_select(whole, place, numbered(op, counts, output_size, kInt64, device), at);
}

Tensor detail::repeat_evenly(const Tensor& self, Integer repeats, std::optional<Integer> dim,
                             std::optional<Integer> output_size, At at) {
  const Operation op("repeat_interleave", at);
  check_operand(op, self);
  if (repeats < 0) op.fail<ValueError>("repeats can not be negative, got {}", repeats);
  const Composite composite({&self});
  const Tensor whole =
      dim ? self.dim() == 0 ? reshape(self, {1}, at) : self : reshape(self, {self.numel()}, at);
  const int64_t place = dim ? wrap_dim(op, *dim, self.dim()) : 0;
  const int64_t all = size_product(op, {whole.size(place), repeats});
  DimVector seen = whole.sizes();
  seen.insert(static_cast<std::size_t>(place + 1), repeats);
  geometry_of(op, seen);
  if (output_size && *output_size != all)
    op.fail<ValueError>(
        "allocated size does not match required size: output_size={}, but the result has {}",
        *output_size, all);
  return repeated_evenly(whole, repeats, place, at);
}

Tensor ShapeMembers::repeat_interleave(const Tensor& repeats, std::optional<Integer> dim,
                                       std::optional<Integer> output_size, At at) const {
  return notape::repeat_interleave(self(), repeats, dim, output_size, at);
}

}  // namespace notape
