#include "ops/shape/part.h"

#include <algorithm>

#include "autograd/graph/region.h"
#include "ops/shape.h"
#include "ops/shape/view_op.h"
#include "ops/shape/window.h"

namespace notape {
namespace {

constexpr auto into_zeros = [](const Tensor& grad, const Windows& w) {
  return region_gradient(grad, w.base, w.view);
};
constexpr auto same_part = [](const Tensor& tangent, const Windows& w) {
  return gather_window(tangent, w.base, w.view);
};

/// Sizes and strides under construction.
struct Layout {
  explicit Layout(const Geometry& g) : sizes(g.sizes()), strides(g.strides()), offset(g.offset()) {}
  void erase(std::size_t dim) {
    sizes.erase(dim);
    strides.erase(dim);
  }
  DimVector sizes, strides;
  int64_t offset;
};

}  // namespace

Part::Part(const Tensor& whole)
    : here_(whole.impl().geometry()), whole_is_row_major_(here_.is_contiguous()) {
  if (whole_is_row_major_) {
    whole_offset_ = here_.offset();
  } else {
    row_major_ = Geometry(whole.sizes());
  }
}

Geometry Part::in_row_major() const {
  return whole_is_row_major_ ? here_.at_offset(here_.offset() - whole_offset_) : row_major_;
}

template <typename Step>
void Part::apply(Step step) {
  const auto restrict_to = [&](Geometry& geometry) {
    Layout layout(geometry);
    step(layout);
    // An empty part must not point past the end of the storage.
    const bool empty = std::find(layout.sizes.begin(), layout.sizes.end(), 0) != layout.sizes.end();
    geometry = Geometry(layout.sizes, layout.strides, empty ? geometry.offset() : layout.offset);
  };
  restrict_to(here_);
  if (!whole_is_row_major_) restrict_to(row_major_);
}

void Part::select(int64_t dim, int64_t index) {
  apply([&](Layout& l) {
    const auto d = static_cast<std::size_t>(dim);
    l.offset += index * l.strides[d];
    l.erase(d);
  });
}

void Part::narrow(int64_t dim, int64_t start, int64_t length, int64_t step) {
  apply([&](Layout& l) {
    const auto d = static_cast<std::size_t>(dim);
    l.offset += start * l.strides[d];
    l.sizes[d] = length;
    if (length > 1) l.strides[d] *= step;
  });
}

void Part::slice(int64_t dim, std::optional<int64_t> start, std::optional<int64_t> end,
                 int64_t step) {
  const int64_t size = this->size(dim);
  const auto clamped = [&](int64_t place) {
    return std::clamp<int64_t>(place < 0 ? place + size : place, 0, size);
  };
  const int64_t first = clamped(start.value_or(0)), last = clamped(end.value_or(size));
  const int64_t length = last > first ? (last - first - 1) / step + 1 : 0;
  narrow(dim, first, length, step);
}

void Part::diagonal(int64_t offset, int64_t dim1, int64_t dim2) {
  const int64_t rows = size(dim1) + std::min<int64_t>(offset, 0);
  const int64_t columns = size(dim2) - std::max<int64_t>(offset, 0);
  const int64_t length = std::max<int64_t>(std::min(rows, columns), 0);
  apply([&](Layout& l) {
    const auto first = static_cast<std::size_t>(dim1), second = static_cast<std::size_t>(dim2);
    const int64_t down = l.strides[first], right = l.strides[second];
    if (length > 0) l.offset += offset >= 0 ? offset * right : -offset * down;
    l.erase(std::max(first, second));
    l.erase(std::min(first, second));
    l.sizes.push_back(length);
    l.strides.push_back(length > 1 ? down + right : 1);  // of one entry it may be beyond any number
  });
}

void Part::unsqueeze(int64_t dim) {
  apply([&](Layout& l) {
    const auto d = static_cast<std::size_t>(dim);
    l.strides.insert(d, d < l.sizes.size() ? l.sizes[d] * l.strides[d] : 1);
    l.sizes.insert(d, 1);
  });
}

void Part::unfold(int64_t dim, int64_t size, int64_t step) {
  apply([&](Layout& l) {
    const auto d = static_cast<std::size_t>(dim);
    const int64_t stride = l.strides[d];
    l.sizes[d] = (l.sizes[d] - size) / step + 1;
    if (l.sizes[d] > 1) l.strides[d] = stride * step;
    l.sizes.push_back(size);
    l.strides.push_back(stride);
  });
}

int64_t wrap_index(const Operation& op, int64_t index, int64_t size, int64_t dim) {
  if (index < -size || index >= size)
    op.fail<IndexError>("index {} is out of bounds for dimension {} with size {}", index, dim,
                        size);
  return index < 0 ? index + size : index;
}

Tensor view_part(const char* node_name, const Operation& op, const Tensor& self, const Part& part) {
  if (!((detail::flags_of(self) | thread_state.watched) & detail::kInteresting))
    return make_view(self, part.geometry());
  return view_as(derivative(node_name, selection(into_zeros, same_part)), op, self, part.geometry(),
                 Windows{Geometry(self.sizes()), part.in_row_major()});
}

}  // namespace notape
