#include "verify/generate/layout.h"

#include <algorithm>
#include <limits>
#include <numeric>

#include "autograd/autograd.h"
#include "ops/shape.h"

namespace notape::verify {
namespace {

/// Row-major index arithmetic: calls `visit(row_major_position, element_position)`.
template <typename Visit>
void for_each_element(IntArrayRef sizes, IntArrayRef strides, int64_t offset, Visit visit) {
  std::vector<int64_t> index(sizes.size(), 0);
  int64_t count = 1, position = offset;
  for (int64_t size : sizes) count *= size;
  for (int64_t i = 0; i < count; ++i) {
    visit(static_cast<std::size_t>(i), position);
    for (std::size_t d = sizes.size(); d-- > 0;) {
      position += strides[d];
      if (++index[d] < sizes[d]) break;
      position -= strides[d] * sizes[d];
      index[d] = 0;
    }
  }
}

/// The order of the dimensions in memory, outermost first.
std::vector<std::size_t> memory_order(const Layout& layout, std::size_t rank) {
  std::vector<std::size_t> order(rank);
  std::iota(order.begin(), order.end(), 0);
  const bool permuted =
      layout.kind == Layout::Kind::Permuted || layout.kind == Layout::Kind::SlicedPermuted;
  if (!permuted || rank < 2) return order;
  if (layout.pick % 2)
    std::reverse(order.begin(), order.end());
  else if (layout.pick == 10 && rank >= 4)  // what others call channels-last, of NCHW and NCDHW
    std::rotate(order.begin() + 1, order.begin() + 2, order.end());
  else
    std::rotate(order.begin(), order.begin() + 1 + layout.pick / 2 % (rank - 1), order.end());
  return order;
}

struct Placed {
  std::vector<int64_t> strides;
  int64_t offset = 0, storage = 0;
};

Placed place(const std::vector<int64_t>& sizes, const Layout& layout) {
  const std::size_t rank = sizes.size();
  const bool slice =
      layout.kind == Layout::Kind::Slice || layout.kind == Layout::Kind::SlicedPermuted;
  const int64_t expanded = expanded_dim(layout, sizes);
  Placed result{std::vector<int64_t>(rank, 0)};
  int64_t step = layout.kind == Layout::Kind::Step ? 2 : 1, last = 0;
  const auto order = memory_order(layout, rank);
  for (std::size_t i = rank; i-- > 0;) {
    const std::size_t d = order[i];
    if (static_cast<int64_t>(d) == expanded) continue;
    result.strides[d] = step;
    last += step * std::max<int64_t>(sizes[d] - 1, 0);
    step *= std::max<int64_t>(sizes[d], 1) + (slice ? 1 : 0);
  }
  const bool exact =
      layout.kind == Layout::Kind::Contiguous || layout.kind == Layout::Kind::Permuted;
  result.offset = exact ? 0 : 1 + layout.pick % 5;
  result.storage = result.offset + last + 1 + (exact ? 0 : 2);
  return result;
}

template <typename T>
T poison() {
  if constexpr (std::is_floating_point_v<T>) return std::numeric_limits<T>::quiet_NaN();
  if constexpr (std::is_same_v<T, Bool>) return true;
  return static_cast<T>(123456789);
}

}  // namespace

Layout draw_layout(ChoiceDraw& draw) {
  Layout layout;
  layout.kind = static_cast<Layout::Kind>(draw.integer(0, 6));
  if (layout.kind != Layout::Kind::Contiguous)
    layout.pick = static_cast<uint32_t>(draw.integer(0, 11));
  return layout;
}

int64_t expanded_dim(const Layout& layout, const std::vector<int64_t>& sizes) {
  if (layout.kind != Layout::Kind::Expanded || sizes.empty()) return -1;
  return layout.pick % static_cast<int64_t>(sizes.size());
}

void repeat_along(Numbers& values, const std::vector<int64_t>& sizes, int64_t dim) {
  if (dim < 0 || values.empty()) return;
  std::size_t inner = 1;
  for (auto d = static_cast<std::size_t>(dim) + 1; d < sizes.size(); ++d)
    inner *= static_cast<std::size_t>(sizes[d]);
  const std::size_t block = inner * static_cast<std::size_t>(sizes[static_cast<std::size_t>(dim)]);
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = values[i / block * block + i % inner];
}

Tensor make_tensor(const Numbers& values, const std::vector<int64_t>& sizes, ScalarType dtype,
                   Device device, const Layout& layout) {
  const NoGradGuard no_grad;
  if (layout.kind == Layout::Kind::Contiguous && device.is_cpu()) {  // most of them, and often
    Tensor result = empty(sizes, dtype);
    visit_type(dtype, [&]<typename T>() {
      std::transform(values.begin(), values.end(), result.data_ptr<T>(),
                     [](double value) { return static_cast<T>(value); });
    });
    return result;
  }
  const Placed where = place(sizes, layout);
  Tensor storage = empty({where.storage}, dtype);
  visit_type(dtype, [&]<typename T>() {
    T* data = storage.data_ptr<T>();
    std::fill_n(data, where.storage, poison<T>());
    for_each_element(sizes, where.strides, where.offset, [&](std::size_t i, int64_t position) {
      data[position] = static_cast<T>(values[i]);
    });
  });
  if (!device.is_cpu()) storage = storage.to(device);
  return storage.as_strided(sizes, where.strides, where.offset).detach();
}

Numbers numbers_of(const Tensor& tensor) {
  const NoGradGuard no_grad;
  const Tensor here = tensor.device().is_cpu() ? tensor : tensor.cpu();
  Numbers values(static_cast<std::size_t>(here.numel()));
  visit_type(here.dtype(), [&]<typename T>() {
    const T* data = here.data_ptr<T>();
    for_each_element(here.sizes(), here.strides(), 0, [&](std::size_t i, int64_t position) {
      values[i] = static_cast<double>(data[position]);
    });
  });
  return values;
}

std::string describe(const Tensor& tensor, const Layout& layout) {
  constexpr const char* names[] = {"contiguous",        "offset",  "permuted", "slice", "step",
                                   "slice of permuted", "expanded"};
  std::string text = names[static_cast<int>(layout.kind)];
  if (layout.kind == Layout::Kind::Contiguous) return text;
  return text + format_message(", strides {}, offset {}",
                               {to_string(tensor.strides()), tensor.storage_offset()});
}

}  // namespace notape::verify
