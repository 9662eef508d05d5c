// Window: which cells of a storage a tensor shows, in the campaign's own words.
#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

namespace notape::verify::alias {

using CellMask = uint16_t;

inline constexpr int kMaxDims = 3;
inline constexpr int kMaxCells = 12;  ///< elements of any tensor

/// As an index.
constexpr std::size_t at(int i) { return static_cast<std::size_t>(i); }

struct Window {
  int8_t rank = 0;
  std::array<int8_t, kMaxDims> size{}, stride{};
  int8_t offset = 0;

  int numel() const;
  /// The cell of the element at row-major position `i`.
  int cell(int i) const;
  bool same_shape(const Window& other) const;
  bool operator==(const Window&) const = default;
};

/// Row-major, from cell 0.
Window dense_window(std::span<const int8_t> sizes);
/// Puts the shape that two broadcast to into `result`; its strides mean nothing.
bool broadcast(const Window& a, const Window& b, Window& result);
/// Where element `i` of `shape` is read in `operand`, which broadcasts to it.
int broadcast_position(const Window& shape, const Window& operand, int i);
/// The same elements in another shape, if strides exist for that.
bool reshaped(const Window& from, std::span<const int8_t> sizes, Window& result);

}  // namespace notape::verify::alias
