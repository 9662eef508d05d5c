// squeeze(x), squeeze(x, dims): without dimensions of size 1; the derivative puts them back.
#include <algorithm>

#include "ops/core/wrap_dim.h"
#include "ops/shape.h"
#include "ops/shape/distinct_dims.h"
#include "ops/shape/view_op.h"
#include "ops/spec/plain.h"
#include "ops/spec/row.h"

namespace notape {
namespace {

constexpr auto put_back = [](const Tensor& grad, const Meta<0>& self) {
  return reshape(grad, self.sizes());
};
constexpr auto take_out = [](const Tensor& tangent, const Sizes& size) {
  return reshape(tangent, size);
};
constexpr auto kSqueeze = derivative("SqueezeBackward0", movement(put_back, take_out));
constexpr auto kSqueezeDim = derivative("SqueezeBackward1", movement(put_back, take_out));
constexpr auto kSqueezeDims = derivative("SqueezeBackward2", movement(put_back, take_out));

/// Without the dimensions of size 1 that `may_go`.
template <typename D, typename MayGo>
Tensor squeezed(const D& derivative, const Operation& op, const Tensor& self, MayGo may_go) {
  const Geometry& from = self.impl().geometry();
  DimVector sizes, strides;
  for (int d = 0; d < from.dim(); ++d) {
    if (from.size(d) == 1 && may_go(d)) continue;
    sizes.push_back(from.size(d));
    strides.push_back(from.stride(d));
  }
  Geometry geometry(sizes, strides, from.offset());
  return view_as(derivative, op, self, std::move(geometry), std::move(sizes));
}

OpCase draw_squeeze(Draw& draw) {
  auto sizes = draw.shape(0, 4);
  for (int64_t& size : sizes)
    if (draw.boolean()) size = 1;
  const auto rank = static_cast<int64_t>(sizes.size());
  const bool all = draw.boolean();
  std::vector<int64_t> dims = {draw.dimension(rank)};
  for (int64_t d = 0; d < rank && draw.boolean(); ++d)
    if (d != dims[0] && d - rank != dims[0]) dims.push_back(d);
  OpCase one;
  one.label =
      all ? to_string(sizes) : format_message("{}, dim={}", {to_string(sizes), to_string(dims)});
  one.arguments = {{.sizes = sizes}};
  one.call = [=](const variable_list& x) {
    if (all) return squeeze(x[0]);
    return squeeze(x[0], dims);
  };
  one.reference = [=]<typename T>(const PlainList<T>& x) {
    PlainTensor<T> result = x[0];
    const auto named = [&](int64_t d) {
      return std::find(dims.begin(), dims.end(), d) != dims.end();
    };
    for (int64_t d = rank; d-- > 0;)
      if (sizes[static_cast<std::size_t>(d)] == 1 && (all || named(d) || named(d - rank)))
        result.sizes.erase(result.sizes.begin() + d);
    return result;
  };
  return one;
}

const RegisterOp squeeze_row(op_row("squeeze", "shape", draw_squeeze));

}  // namespace

Tensor squeeze(const Tensor& self, At at) {
  const Operation op("squeeze", at);
  check_operand(op, self);
  return squeezed(kSqueeze, op, self, [](int) { return true; });
}

Tensor squeeze(const Tensor& self, IntArrayRef dim, At at) {
  const Operation op("squeeze", at);
  check_operand(op, self);
  const DimVector places = distinct_dims(op, dim, self.dim());
  const auto is_named = [&](int d) {
    return std::find(places.begin(), places.end(), d) != places.end();
  };
  return dim.size() == 1 ? squeezed(kSqueezeDim, op, self, is_named)
                         : squeezed(kSqueezeDims, op, self, is_named);
}

Tensor ShapeMembers::squeeze(At at) const { return notape::squeeze(self(), at); }

Tensor& ShapeMembers::squeeze_(At at) const {
  const Operation op("squeeze_", at);
  return become(op, self(), [&] { return notape::squeeze(self(), at); });
}
Tensor& ShapeMembers::squeeze_(IntArrayRef dim, At at) const {
  const Operation op("squeeze_", at);
  return become(op, self(), [&] { return notape::squeeze(self(), dim, at); });
}

Tensor ShapeMembers::squeeze(IntArrayRef dim, At at) const {
  return notape::squeeze(self(), dim, at);
}

}  // namespace notape
