// constant_pad_nd(x, pad): x amid entries of one value, or without its border; the derivative takes
// the border off again, or pads by zeros.
#include "autograd/graph/record.h"
#include "autograd/tensor/factories.h"
#include "ops/core/allocate.h"
#include "ops/core/promotion.h"
#include "ops/shape/part.h"
#include "ops/shape/plain_pick.h"
#include "ops/vision.h"

namespace notape {
namespace {

struct Padding {
  std::vector<int64_t> pad;

  Padding opposite() const {
    Padding result = *this;
    for (int64_t& entries : result.pad) entries = -entries;
    return result;
  }
};

constexpr auto kDerivative = derivative(
    "ConstantPadNdBackward0",
    selection(
        [](const Tensor& grad, const Padding& p) {
          return constant_pad_nd(grad, p.opposite().pad);
        },
        [](const Tensor& tangent, const Padding& p) { return constant_pad_nd(tangent, p.pad); }));

std::vector<int64_t> padded_sizes(const Operation& op, const Tensor& self, IntArrayRef pad) {
  if (pad.size() % 2 != 0)
    op.fail<ShapeError>("Length of pad must be even but instead it equals {}", pad.size());
  std::vector<int64_t> sizes = self.sizes().vec();
  if (pad.size() > 2 * sizes.size())
    op.fail<ShapeError>(
        "Length of pad should be no more than twice the number of dimensions of the input. Pad "
        "length is {} while the input has {} dimensions.",
        pad.size(), sizes.size());
  for (std::size_t i = 0; i < pad.size() / 2; ++i) {
    int64_t& size = sizes[sizes.size() - 1 - i];
    const int64_t before = pad[2 * i], behind = pad[2 * i + 1];
    int64_t first = 0, all = 0;
    if (__builtin_add_overflow(size, before, &first) || __builtin_add_overflow(first, behind, &all))
      op.fail<ShapeError>("padding of {} and {} entries is too much", before, behind);
    if (all < 0 || size + std::min(before, behind) < 0)
      op.fail<ShapeError>(
          "The input size {}, plus negative padding {} and {}, resulted in a negative output size "
          "in dimension {}",
          size, before, behind, sizes.size() - 1 - i);
    size = all;
  }
  return sizes;
}

Tensor compute(const Operation& op, const Tensor& self, IntArrayRef pad, Scalar value) {
  const std::vector<int64_t> sizes = padded_sizes(op, self, pad);
  if (is_batched(self))
    return over_batch([&](int64_t, const Tensor& all) { return compute(op, all, pad, value); },
                      self);
  const Tensor result = allocate(sizes, self.dtype(), self.device());
  Part inside(result), source(self);
  bool grows = false;
  for (std::size_t i = 0; i < pad.size() / 2; ++i) {
    const int64_t before = pad[2 * i], behind = pad[2 * i + 1];
    const int64_t dim = self.dim() - 1 - static_cast<int64_t>(i);
    const int64_t skipped = std::max<int64_t>(-before, 0);
    const int64_t kept =
        std::max<int64_t>(self.size(dim) - skipped - std::max<int64_t>(-behind, 0), 0);
    source.narrow(dim, kept > 0 ? skipped : 0, kept);
    inside.narrow(dim, kept > 0 ? std::max<int64_t>(before, 0) : 0, kept);
    grows |= before > 0 || behind > 0;
  }
  if (grows)
    raw_copy(result,
             core_operators->convert(full({}, value, self.dtype()), self.dtype(), self.device()));
  raw_copy(raw_alias(result, inside.geometry()), raw_alias(self, source.geometry()));
  return result;
}

OpCase draw_constant_pad_nd(Draw& draw) {
  const auto sizes = draw.shape(0, 4);
  const double value = draw.boolean() ? draw.real(-2, 2) : 0;
  std::vector<int64_t> pad;
  for (int64_t i = draw.integer(0, static_cast<int64_t>(sizes.size())); i > 0; --i) {
    const int64_t size = sizes[sizes.size() - 1 - pad.size() / 2];
    const int64_t before = draw.integer(-size, 2);
    pad.push_back(before);
    pad.push_back(draw.integer(-size - std::min<int64_t>(before, 0), 2));
  }
  OpCase one;
  one.label = format_message("pad={}, value={}", {to_string(pad), value});
  one.arguments = {{.sizes = sizes}};
  one.call = [=](const variable_list& x) { return constant_pad_nd(x[0], pad, value); };
  one.reference = [=]<typename T>(const PlainList<T>& x) {
    std::vector<int64_t> padded = sizes;
    for (std::size_t i = 0; i < pad.size(); ++i) padded[sizes.size() - 1 - i / 2] += pad[i];
    PlainTensor<T> result(padded);
    for_each_index(padded, [&](const IndexTuple& at) {
      IndexTuple from = at;
      bool inside = true;
      for (std::size_t d = 0; d < sizes.size(); ++d) {
        const std::size_t back = sizes.size() - 1 - d;
        if (2 * back < pad.size()) from[d] -= pad[2 * back];
        inside = inside && from[d] >= 0 && from[d] < sizes[d];
      }
      result.values[flat_index(padded, at)] =
          inside ? x[0].values[flat_index(sizes, from)] : T(value);
    });
    return result;
  };
  return one;
}

const RegisterOp constant_pad_nd_row(op_row("constant_pad_nd", "vision", draw_constant_pad_nd,
                                            Trait::Pads | Trait::Slices));

}  // namespace

Tensor constant_pad_nd(const Tensor& self, IntArrayRef pad, Scalar value, At at) {
  const Operation op("constant_pad_nd", at);
  check_operand(op, self);
  check_fits(op, value, self.dtype());
  return record(kDerivative, op, compute(op, self, pad, value), Padding{pad.vec()}, self);
}

}  // namespace notape
