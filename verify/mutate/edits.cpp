#include "verify/mutate/edits.h"

#include <algorithm>
#include <cmath>

#include "autograd/autograd.h"
#include "ops/arithmetic.h"
#include "ops/index.h"
#include "ops/shape.h"

namespace notape::verify::mutate {

Tensor constant(const Numbers& values, const std::vector<int64_t>& sizes, const Tensor& like) {
  return make_tensor(values, sizes, like.dtype(), like.device());
}

Tensor picked(const Tensor& t, const std::vector<int64_t>& from,
              const std::vector<int64_t>& sizes) {
  Numbers places, kept;
  for (int64_t i : from) {
    places.push_back(static_cast<double>(std::max<int64_t>(i, 0)));
    kept.push_back(i < 0 ? 0 : 1);
  }
  const std::vector<int64_t> flat = {static_cast<int64_t>(from.size())};
  if (from.empty() || t.numel() == 0) return zeros(sizes, t.dtype());
  const Tensor chosen = index_select(reshape(t, {-1}), 0, make_tensor(places, flat, kInt64));
  if (std::all_of(from.begin(), from.end(), [](int64_t i) { return i >= 0; }))
    return reshape(chosen, sizes);
  return reshape(chosen * constant(kept, flat, t), sizes);
}

Tensor without(const Tensor& t, bool (*is_lost)(int64_t, int64_t)) {
  Numbers kept(at(t.numel()));
  for (int64_t i = 0; i < t.numel(); ++i) kept[at(i)] = is_lost(i, t.numel()) ? 0 : 1;
  if (std::find(kept.begin(), kept.end(), 0) == kept.end()) return t;
  return t * constant(kept, sizes_of(t), t);
}

Tensor reversed(const Tensor& t) {
  std::vector<int64_t> from;
  for (int64_t i = t.numel(); i-- > 0;) from.push_back(i);
  return picked(t, from, sizes_of(t));
}

Tensor rounded(const Tensor& t, int bits) {
  Numbers values = numbers_of(t);
  for (double& value : values) {
    if (value == 0 || !std::isfinite(value)) {
      value = 0;
      continue;
    }
    const double unit = std::ldexp(1, std::ilogb(value) - bits);
    value = std::round(value / unit) * unit - value;
  }
  return t + constant(values, sizes_of(t), t);
}

namespace {

/// `t` read from its storage: entry i lies at `where(i)` counted from the first element of `t`.
template <typename Where>
Tensor misread(const Tensor& t, Where where) {
  Numbers values(at(t.numel()));
  visit_type(t.dtype(), [&]<typename T>() {
    for (int64_t i = 0; i < t.numel(); ++i)
      values[at(i)] = static_cast<double>(t.data_ptr<T>()[where(i)]);
  });
  return constant(values, sizes_of(t), t);
}

/// How far the element of row-major position `i` lies after the first one.
int64_t distance_of(const Tensor& t, int64_t i) {
  int64_t distance = 0;
  for (int64_t d = t.dim(); d-- > 0;) {
    distance += i % t.size(d) * t.strides()[at(d)];
    i /= t.size(d);
  }
  return distance;
}

}  // namespace

Tensor as_if_contiguous(const Tensor& t) {
  if (t.is_contiguous() || t.numel() == 0) return t;
  // Not beyond the last element, where other memory begins.
  const int64_t last = distance_of(t, t.numel() - 1);
  return misread(t, [=](int64_t i) { return std::min(i, last); });
}

Tensor as_if_without_offset(const Tensor& t) {
  if (t.storage_offset() == 0 || t.numel() == 0) return t;
  return misread(t, [&](int64_t i) { return distance_of(t, i) - t.storage_offset(); });
}

std::vector<int64_t> sources(const Site& site) {
  const Tensor& self = site.x[site.argument];
  Numbers numbers(at(self.numel()));
  for (std::size_t i = 0; i < numbers.size(); ++i) numbers[i] = static_cast<double>(i);
  variable_list x = site.x;
  x[site.argument] = constant(numbers, sizes_of(self), self);
  std::vector<int64_t> result;
  for (double number : numbers_of(site.right.value(x)))
    result.push_back(static_cast<int64_t>(number));
  return result;
}

}  // namespace notape::verify::mutate
