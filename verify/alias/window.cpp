#include "verify/alias/window.h"

#include <algorithm>

namespace notape::verify::alias {
namespace {

int product(std::span<const int8_t> sizes) {
  int result = 1;
  for (int size : sizes) result *= size;
  return result;
}

/// The coordinate along dimension `d` of position `i`, given the product of later sizes.
int coordinate(int i, int later, int size) { return i / later % size; }

}  // namespace

int Window::numel() const {
  int result = 1;
  for (int d = 0; d < rank; ++d) result *= size[at(d)];
  return result;
}

int Window::cell(int i) const {
  int result = offset;
  for (int d = rank; d-- > 0;) {
    result += i % size[at(d)] * stride[at(d)];
    i /= size[at(d)];
  }
  return result;
}

bool Window::same_shape(const Window& other) const {
  return rank == other.rank && std::equal(size.begin(), size.begin() + rank, other.size.begin());
}

Window dense_window(std::span<const int8_t> sizes) {
  Window result;
  result.rank = static_cast<int8_t>(sizes.size());
  int stride = 1;
  for (std::size_t d = sizes.size(); d-- > 0;) {
    result.size[d] = sizes[d];
    result.stride[d] = static_cast<int8_t>(stride);
    stride *= sizes[d];
  }
  return result;
}

bool broadcast(const Window& a, const Window& b, Window& result) {
  result = a.rank >= b.rank ? a : b;
  for (int d = 1; d <= std::min(a.rank, b.rank); ++d) {
    const int left = a.size[at(a.rank - d)];
    const int right = b.size[at(b.rank - d)];
    if (left != right && left != 1 && right != 1) return false;
    result.size[at(result.rank - d)] = static_cast<int8_t>(left == 1 ? right : left);
  }
  return result.numel() <= kMaxCells;
}

int broadcast_position(const Window& shape, const Window& operand, int i) {
  int result = 0, scale = 1, later = 1;
  for (int d = 1; d <= operand.rank; ++d) {
    const int full = shape.size[at(shape.rank - d)];
    const int own = operand.size[at(operand.rank - d)];
    if (own != 1) result += coordinate(i, later, full) * scale;
    later *= full;
    scale *= own;
  }
  return result;
}

bool reshaped(const Window& from, std::span<const int8_t> sizes, Window& result) {
  if (product(sizes) != from.numel()) return false;
  result = dense_window(sizes);
  result.offset = from.offset;
  for (std::size_t d = 0, later = 1; d < sizes.size(); ++d) {
    later = static_cast<std::size_t>(product(sizes.subspan(d + 1)));
    if (sizes[d] > 1)
      result.stride[d] = static_cast<int8_t>(from.cell(static_cast<int>(later)) - from.cell(0));
  }
  for (int i = 0; i < from.numel(); ++i)
    if (result.cell(i) != from.cell(i)) return false;
  return true;
}

}  // namespace notape::verify::alias
