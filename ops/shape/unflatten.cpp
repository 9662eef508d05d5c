// unflatten(x, dim, sizes): one dimension as several, a view in another shape.
#include "ops/core/promotion.h"
#include "ops/core/sizes.h"
#include "ops/core/wrap_dim.h"
#include "ops/shape.h"
#include "ops/shape/plain_pick.h"

namespace notape {
namespace {

OpCase draw_unflatten(Draw& draw) {
  auto [sizes, dim, place] = draw_along(draw, 1, 3);
  std::vector<int64_t> parts;
  sizes[place] = 1;
  for (int64_t i = draw.integer(1, 3); i > 0; --i) {
    parts.push_back(draw.integer(1, 3));
    sizes[place] *= parts.back();
  }
  std::vector<int64_t> result_sizes = sizes;
  result_sizes.erase(result_sizes.begin() + static_cast<std::ptrdiff_t>(place));
  result_sizes.insert(result_sizes.begin() + static_cast<std::ptrdiff_t>(place), parts.begin(),
                      parts.end());
  if (draw.boolean()) parts[0] = -1;
  return reshaped_case(format_message("dim={}, sizes={}", {dim, to_string(parts)}), sizes,
                       result_sizes, [=](const Tensor& x) { return unflatten(x, dim, parts); });
}

const RegisterOp unflatten_row(op_row("unflatten", "shape", draw_unflatten));

}  // namespace

Tensor unflatten(const Tensor& self, Integer dim, IntArrayRef sizes, At at) {
  const Operation op("unflatten", at);
  check_operand(op, self);
  if (self.dim() == 0) op.fail<IndexError>("a 0-dim tensor has no dimension to be unflattened");
  const int64_t place = wrap_dim(op, dim, self.dim()), size = self.size(place);
  if (sizes.empty()) op.fail<ShapeError>("sizes must be non-empty");
  std::vector<int64_t> parts = sizes.vec();
  int64_t known = 1, inferred = -1;
  bool fits = true;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    if (parts[i] == -1 && inferred < 0)
      inferred = static_cast<int64_t>(i);
    else
      fits &= parts[i] >= 0 && !__builtin_mul_overflow(known, parts[i], &known);
  }
  if (inferred >= 0) fits &= known > 0 && size % known == 0;
  if (!fits || (inferred < 0 && known != size))
    op.fail<ShapeError>(
        "provided sizes {} don't multiply up to the size of dim {} ({}) in the input tensor",
        to_string(sizes), dim, size);
  if (inferred >= 0) parts[static_cast<std::size_t>(inferred)] = size / known;
  std::vector<int64_t> all = self.sizes().vec();
  all.erase(all.begin() + place);
  all.insert(all.begin() + place, parts.begin(), parts.end());
  geometry_of(op, all);
  return view(self, all, at);
}

Tensor ShapeMembers::unflatten(Integer dim, IntArrayRef sizes, At at) const {
  return notape::unflatten(self(), dim, sizes, at);
}

}  // namespace notape
