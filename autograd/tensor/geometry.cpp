#include "autograd/tensor/geometry.h"

#include <algorithm>
#include <numeric>

#include "autograd/error.h"

namespace notape {

Geometry& Geometry::operator=(Geometry&& other) noexcept {
  if (this == &other) return *this;
  this->~Geometry();
  return *new (this) Geometry(std::move(other));
}

void Geometry::copy_heap(const Geometry& other) {
  auto* heap = new int64_t[2 * other.ndim_];
  std::copy_n(other.heap_, 2 * other.ndim_, heap);
  copy_bytes(other);
  heap_ = heap;
}

namespace {

[[noreturn, gnu::cold]] void refuse_sizes(IntArrayRef sizes) {
  if (sizes.size() > Geometry::kMaxDims)
    throw ShapeError("a tensor has at most 64 dimensions, but {} were given", sizes.size());
  for (int64_t size : sizes)
    if (size < 0) throw ShapeError("negative dimension {} in size {}", size, to_string(sizes));
  throw ShapeError("the number of elements of size {} is too large", to_string(sizes));
}

/// The number of elements; throws for sizes no tensor can have. Zero sizes count as one for the
/// limit, so that strides cannot overflow either.
int64_t checked_numel(IntArrayRef sizes) {
  int64_t count = 1;
  bool empty = false;
  if (sizes.size() > Geometry::kMaxDims) refuse_sizes(sizes);
  for (int64_t size : sizes) {
    empty |= size == 0;
    if (size < 0 || __builtin_mul_overflow(count, size + (size == 0), &count) ||
        count > (int64_t{1} << 59)) [[unlikely]]
      refuse_sizes(sizes);
  }
  return empty ? 0 : count;
}

/// Of the bits of all `size - 1`: no size is 0, negative or above 2^14, so that the product of four
/// is a number of elements.
bool is_usual(uint64_t most) { return most < (1 << 14); }

/// Throws if the last element of the window cannot be addressed, in bytes, by 64 bits.
void check_extent(IntArrayRef sizes, IntArrayRef strides, int64_t offset) {
  int64_t last = offset;
  bool overflow = false;
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    int64_t span = 0;
    overflow |= sizes[i] > 1 && (__builtin_mul_overflow(sizes[i] - 1, strides[i], &span) ||
                                 __builtin_add_overflow(last, span, &last));
  }
  if (overflow || last > (int64_t{1} << 59)) [[unlikely]]
    throw ShapeError("a window of size {} with strides {} from offset {} is too large",
                     to_string(sizes), to_string(strides), offset);
}

}  // namespace

void Geometry::set_dims(IntArrayRef sizes) {
  const int64_t count = checked_numel(sizes);
  int64_t* heap = sizes.size() > kInline ? new int64_t[2 * sizes.size()] : nullptr;
  if (ndim_ > kInline) delete[] heap_;
  if (heap) heap_ = heap;
  ndim_ = static_cast<uint8_t>(sizes.size());
  numel_ = count;
  auto* target = const_cast<int64_t*>(size_data());
  for (std::size_t i = 0; i < sizes.size(); ++i) target[i] = sizes[i];
}

void Geometry::set_contiguous(IntArrayRef sizes, int64_t offset) {
  if (sizes.size() <= kInline && ndim_ <= kInline) [[likely]] {
    uint64_t most = 0;
    int64_t count = 1;
    for (const int64_t size : sizes) most |= static_cast<uint64_t>(size) - 1;
    if (is_usual(most)) [[likely]] {
      for (std::size_t i = sizes.size(); i-- > 0; count *= sizes[i]) {
        inline_[i] = sizes[i];
        inline_[kInline + i] = count;
      }
      numel_ = count;
      ndim_ = static_cast<uint8_t>(sizes.size());
      offset_ = offset;
      contiguous_ = true;
      return;
    }
  }
  set_dims(sizes);
  auto* strides = const_cast<int64_t*>(stride_data());
  int64_t step = 1;
  for (int i = ndim_; i-- > 0;) {
    strides[i] = step;
    step *= std::max<int64_t>(sizes[static_cast<std::size_t>(i)], 1);
  }
  offset_ = offset;
  contiguous_ = true;
}

Geometry::Geometry(IntArrayRef sizes, IntArrayRef strides, int64_t offset) {
  if (sizes.size() == strides.size() && sizes.size() <= kInline) [[likely]] {
    uint64_t count = 1, most = static_cast<uint64_t>(offset) >> 44;
    bool is_row_major = true;
    for (std::size_t i = sizes.size(); i-- > 0;) {
      const auto size = static_cast<uint64_t>(sizes[i]), stride = static_cast<uint64_t>(strides[i]);
      inline_[i] = sizes[i];
      inline_[kInline + i] = strides[i];
      is_row_major &= size == 1 || stride == count;
      most |= (size - 1) | (stride >> 26);
      count *= size;
    }
    if (is_usual(most)) [[likely]] {
      offset_ = offset;
      numel_ = static_cast<int64_t>(count);
      ndim_ = static_cast<uint8_t>(sizes.size());
      contiguous_ = is_row_major;
      return;
    }
  }
  if (sizes.size() != strides.size())
    throw ShapeError("{} sizes but {} strides", sizes.size(), strides.size());
  if (offset < 0) throw ShapeError("negative storage offset {}", offset);
  for (int64_t stride : strides)
    if (stride < 0)
      throw ShapeError("negative strides are not supported, got {}", to_string(strides));
  check_extent(sizes, strides, offset);
  set_dims(sizes);
  offset_ = offset;
  std::copy(strides.begin(), strides.end(), const_cast<int64_t*>(stride_data()));
  update_contiguous();
}

void Geometry::update_contiguous() {
  contiguous_ = true;
  if (numel_ == 0) return;
  int64_t expected = 1;
  for (int i = ndim_; i-- > 0;) {
    if (size(i) != 1 && stride(i) != expected) contiguous_ = false;
    expected *= size(i);
  }
}

namespace {

struct Axis {
  int64_t stride, size;
};

/// Dimensions that matter, largest stride first.
std::vector<Axis> axes_of(const Geometry& g, int64_t scale = 1) {
  std::vector<Axis> axes;
  for (int i = 0; i < g.dim(); ++i)
    if (g.size(i) > 1) axes.push_back({g.stride(i) * scale, g.size(i)});
  std::sort(axes.begin(), axes.end(), [](Axis a, Axis b) { return a.stride > b.stride; });
  return axes;
}

/// By looking at every element: for interleaved axes, which no simple rule decides.
bool reaches_each_element_once(const std::vector<Axis>& axes) {
  std::vector<int64_t> reached{0};
  for (const Axis& axis : axes) {
    const std::size_t before = reached.size();
    for (int64_t i = 1; i < axis.size; ++i)
      for (std::size_t k = 0; k < before; ++k) reached.push_back(reached[k] + i * axis.stride);
  }
  std::sort(reached.begin(), reached.end());
  return std::adjacent_find(reached.begin(), reached.end()) == reached.end();
}

}  // namespace

bool Geometry::reaches_no_element_twice() const {
  if (numel_ <= 1) return true;
  constexpr int64_t kWorkLimit = 4096;
  const auto axes = axes_of(*this);
  int64_t reach = 1;  // elements spanned by all faster axes
  for (std::size_t i = axes.size(); i-- > 0;) {
    if (axes[i].stride < reach)
      return axes[i].stride != 0 && numel_ <= kWorkLimit && reaches_each_element_once(axes);
    reach = axes[i].stride * (axes[i].size - 1) + reach;
  }
  return true;
}

namespace {

/// Apart from is_dense(), which mostly says yes before this.
[[gnu::noinline]] bool has_no_gaps(const Geometry& g) {
  if (g.storage_end() - g.offset() != g.numel()) return false;
  const auto axes = axes_of(g);
  int64_t expected = 1;
  for (std::size_t i = axes.size(); i-- > 0;) {
    if (axes[i].stride != expected) return false;
    expected *= axes[i].size;
  }
  return true;
}

}  // namespace

bool Geometry::is_dense() const { return contiguous_ || numel_ <= 1 || has_no_gaps(*this); }

int64_t Geometry::storage_end() const {
  if (numel_ == 0) return 0;
  int64_t last = offset_;
  for (int i = 0; i < ndim_; ++i) last += (size(i) - 1) * stride(i);
  return last + 1;
}

DimVector contiguous_strides(IntArrayRef sizes) {
  DimVector strides(sizes.size());
  int64_t step = 1;
  for (std::size_t i = sizes.size(); i-- > 0;) {
    strides[i] = step;
    step *= std::max<int64_t>(sizes[i], 1);
  }
  return strides;
}

DimVector dense_strides_like(IntArrayRef sizes, IntArrayRef like) {
  std::vector<std::size_t> order(sizes.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return like[a] > like[b]; });
  DimVector strides(sizes.size());
  int64_t step = 1;
  for (std::size_t i = order.size(); i-- > 0;) {
    strides[order[i]] = step;
    step *= std::max<int64_t>(sizes[order[i]], 1);
  }
  return strides;
}

namespace {

/// Searches a value of start + sum(i_k * stride_k) in [low, high], by axes of decreasing stride;
/// gives up (true) after 4096 steps.
class ValueSearch {
 public:
  ValueSearch(std::vector<Axis> axes, int64_t low, int64_t high)
      : axes_(std::move(axes)), low_(low), high_(high), reach_(axes_.size() + 1, 0) {
    for (std::size_t i = axes_.size(); i-- > 0;)
      reach_[i] = reach_[i + 1] + axes_[i].stride * (axes_[i].size - 1);
  }

  bool finds(int64_t start) { return step(0, start); }

 private:
  bool step(std::size_t axis, int64_t at) {
    if (at > high_ || at + reach_[axis] < low_) return false;
    if (axis == axes_.size()) return true;
    const Axis a = axes_[axis];
    const int64_t missing = low_ - at - reach_[axis + 1];  // this axis has to add as much
    const int64_t first = missing > 0 ? (missing + a.stride - 1) / a.stride : 0;
    const int64_t last = std::min(a.size - 1, (high_ - at) / a.stride);
    for (int64_t i = first; i <= last; ++i) {
      if (--work_ < 0) return true;
      if (step(axis + 1, at + i * a.stride)) return true;
    }
    return false;
  }

  std::vector<Axis> axes_;
  int64_t low_, high_;
  std::vector<int64_t> reach_;
  int work_ = 4096;
};

/// Fuses axes that continue one another and moves element bytes into the item size.
std::vector<Axis> coalesced(std::vector<Axis> axes, int64_t& item) {
  while (!axes.empty() && axes.back().stride <= item) {
    item = std::max(item, axes.back().stride * (axes.back().size - 1) + item);
    axes.pop_back();
  }
  for (std::size_t i = axes.size(); i-- > 1;) {
    if (axes[i - 1].stride != axes[i].stride * axes[i].size) continue;
    axes[i - 1] = {axes[i].stride, axes[i].size * axes[i - 1].size};
    axes.erase(axes.begin() + static_cast<std::ptrdiff_t>(i));
  }
  return axes;
}

}  // namespace

bool overlaps(const Geometry& a, int64_t a_item, const Geometry& b, int64_t b_item) {
  if (a.numel() == 0 || b.numel() == 0) return false;
  const int64_t a_begin = a.offset() * a_item, b_begin = b.offset() * b_item;
  const int64_t a_end = a.storage_end() * a_item, b_end = b.storage_end() * b_item;
  if (a_end <= b_begin || b_end <= a_begin) return false;
  auto axes_a = coalesced(axes_of(a, a_item), a_item);
  auto axes_b = coalesced(axes_of(b, b_item), b_item);
  if (axes_a.empty() && axes_b.empty()) return true;
  // a_begin + i < b_begin + j + b_item and b_begin + j < a_begin + i + a_item, over all i, j; an
  // axis of b counted from its far end adds to the difference as an axis of a does.
  int64_t start = a_begin - b_begin;
  for (Axis axis : axes_b) {
    start -= axis.stride * (axis.size - 1);
    axes_a.push_back(axis);
  }
  std::sort(axes_a.begin(), axes_a.end(), [](Axis x, Axis y) { return x.stride > y.stride; });
  for (std::size_t i = axes_a.size(); i-- > 1;) {  // equal strides make one longer axis
    if (axes_a[i - 1].stride != axes_a[i].stride) continue;
    axes_a[i - 1].size += axes_a[i].size - 1;
    axes_a.erase(axes_a.begin() + static_cast<std::ptrdiff_t>(i));
  }
  return ValueSearch(std::move(axes_a), -(a_item - 1), b_item - 1).finds(start);
}

}  // namespace notape
