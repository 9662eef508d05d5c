// Max pooling of a plane with the windows of a row in the lanes of a register. Lines of the image
// are copied first, with padding beside them and their pixels sorted by column modulo the stride:
// so what neighbouring windows see at one place of theirs stands side by side.
#pragma once
#include <algorithm>
#include <limits>
#include <vector>

#include "ops/conv/max_pool2d.h"
#include "ops/cpu/lanes.h"

namespace notape {

template <typename T>
constexpr T kSmallest = std::numeric_limits<T>::has_infinity ? -std::numeric_limits<T>::infinity()
                                                             : std::numeric_limits<T>::lowest();

/// The first pixel of a window inside the image, and one past the last.
struct PixelSpan {
  int64_t begin, end;

  bool is_empty() const { return begin >= end; }
};
inline PixelSpan pixels_inside(const MaxPool2dProblem& p, std::size_t d, int64_t window,
                               int64_t size) {
  int64_t begin = window * p.stride[d] - p.padding[d];
  const int64_t end = std::min(begin + p.dilation[d] * (p.kernel[d] - 1) + 1, size);
  if (begin < 0) begin += (-begin + p.dilation[d] - 1) / p.dilation[d] * p.dilation[d];
  return {begin, end};
}

/// How lines of floats or doubles are copied.
template <typename T>
class MaxPool2dLines {
  // Registers of the build: comparisons of wider ones are taken apart before run_512 is compiled.
#ifdef __AVX2__
  static constexpr int64_t kBytes = 32;
#else
  static constexpr int64_t kBytes = 16;
#endif
  static constexpr int64_t kLanes = kBytes / sizeof(T);
  using Position = std::conditional_t<sizeof(T) == 4, int32_t, int64_t>;
  using Values [[gnu::vector_size(kBytes)]] = T;
  using Positions [[gnu::vector_size(kBytes)]] = Position;

 public:
  explicit MaxPool2dLines(const MaxPool2dProblem& problem) : p_(problem) {
    if (p_.stride[1] > 16 || p_.height * p_.width > std::numeric_limits<int32_t>::max()) return;
    const int64_t windows = (p_.columns + kLanes - 1) / kLanes * kLanes;
    const int64_t reach = (p_.kernel[1] - 1) * p_.dilation[1];
    phase_length_ = windows + reach / p_.stride[1];
    length_ = phase_length_ * p_.stride[1];
    if (length_ > 16 * (p_.width + kLanes)) return;
    for (int64_t k = 0; k < p_.kernel[1]; ++k) {
      const int64_t right = k * p_.dilation[1];
      taps_.push_back(right % p_.stride[1] * phase_length_ + right / p_.stride[1]);
    }
    for (int64_t j = 0; j < windows; ++j) {
      const PixelSpan inside = pixels_inside(p_, 1, j, p_.width);
      const int64_t column = j * p_.stride[1] - p_.padding[1];
      columns_.push_back(static_cast<Position>(column));
      first_.push_back(static_cast<Position>(inside.begin - column));
      if (inside.is_empty() && j < p_.columns) see_padding_.push_back(j);
    }
    const int64_t lines = std::max<int64_t>(kCopied / length_, 1);
    rows_ = std::max<int64_t>((lines - (p_.kernel[0] - 1) * p_.dilation[0]) / p_.stride[0], 1);
    is_worth_it_ = true;
  }

  /// Whether the copy is not much larger than the image.
  bool is_worth_it() const { return is_worth_it_; }

  /// Values and indices of all windows of a plane; `copy` is memory to be used again.
  void pick(const T* plane, T* value, int64_t* index, std::vector<T>& copy) const {
    for (int64_t i = 0; i < p_.rows; i += rows_) {
      const int64_t last = std::min(i + rows_, p_.rows) - 1;
      const int64_t first_line = std::max<int64_t>(i * p_.stride[0] - p_.padding[0], 0);
      copy_lines(plane, first_line, pixels_inside(p_, 0, last, p_.height).end, copy);
      for (int64_t row = i; row <= last; ++row) {
        const PixelSpan rows = pixels_inside(p_, 0, row, p_.height);
        pick_row(copy.data(), first_line, rows, value + row * p_.columns, index + row * p_.columns);
      }
    }
  }

 private:
  static constexpr int64_t kCopied = 1 << 15;  // numbers, which caches of the second level hold

  void copy_lines(const T* plane, int64_t begin, int64_t end, std::vector<T>& copy) const {
    if (begin >= end) return;
    copy.resize(static_cast<std::size_t>((end - begin) * length_));
    T* line = copy.data();
    for (int64_t h = begin; h < end; ++h)
      for (int64_t phase = 0; phase < p_.stride[1]; ++phase, line += phase_length_) {
        // The copy's pixel m of this phase is that of column m * stride + phase - padding.
        const int64_t shift = phase - p_.padding[1], stride = p_.stride[1];
        const int64_t first =
            std::min(shift < 0 ? (-shift + stride - 1) / stride : 0, phase_length_);
        const int64_t inside =
            shift < p_.width ? (p_.width - shift + stride - 1) / stride : int64_t{0};
        const int64_t last = std::max(first, std::min(inside, phase_length_));
        std::fill(line, line + first, kSmallest<T>);
        const T* from = plane + h * p_.width;
        if (stride == 1)
          std::copy(from + shift + first, from + shift + last, line + first);
        else if (stride == 2)  // a loop that becomes vector instructions
          for (int64_t m = first; m < last; ++m) line[m] = from[shift + m * 2];
        else
          for (int64_t m = first; m < last; ++m) line[m] = from[shift + m * stride];
        std::fill(line + last, line + phase_length_, kSmallest<T>);
      }
  }

  [[gnu::always_inline]] void pick_row(const T* lines, int64_t first_line, PixelSpan rows, T* value,
                                       int64_t* index) const {
    if (rows.is_empty()) {
      std::fill_n(value, p_.columns, kSmallest<T>);
      std::fill_n(index, p_.columns, -1);
      return;
    }
    const auto kernel = static_cast<int64_t>(taps_.size());
    for (int64_t j = 0; j < p_.columns; j += kLanes) {
      // Padding is never larger, so a window of nothing else stays at its first pixel inside.
      Values largest = kSmallest<T> - Values{};
      Positions best;
      load(best, first_.data() + j);
      best += static_cast<Position>(rows.begin * p_.width);
      for (int64_t h = rows.begin; h < rows.end; h += p_.dilation[0]) {
        const T* line = lines + (h - first_line) * length_ + j;
        auto at = static_cast<Position>(h * p_.width);
        for (int64_t k = 0; k < kernel; ++k, at += static_cast<Position>(p_.dilation[1])) {
          Values here;
          load(here, line + taps_[static_cast<std::size_t>(k)]);
          const Positions larger = ~(here <= largest) & (largest == largest);  // or the first NaN
          largest = larger ? here : largest;
          best = larger ? at - Positions{} : best;
        }
      }
      Positions column;
      load(column, columns_.data() + j);
      write(largest, best + column, std::min<int64_t>(kLanes, p_.columns - j), value + j,
            index + j);
    }
    for (const int64_t j : see_padding_) {
      value[j] = kSmallest<T>;
      index[j] = -1;
    }
  }

  [[gnu::always_inline]] static void write(const Values& values, const Positions& positions,
                                           int64_t count, T* value, int64_t* index) {
    if (count == kLanes) {
      store(value, values);
      for (int64_t l = 0; l < kLanes; ++l) index[l] = positions[l];
    } else {
      for (int64_t l = 0; l < count; ++l) {
        value[l] = values[l];
        index[l] = positions[l];
      }
    }
  }

  const MaxPool2dProblem& p_;
  int64_t phase_length_ = 0, length_ = 0;  // of a copied line
  int64_t rows_ = 1;                       // of windows that one copy serves
  bool is_worth_it_ = false;
  std::vector<int64_t> taps_;              // from a window's first pixel, by place in the kernel
  std::vector<Position> columns_, first_;  // by window: column, first pixel inside from there
  std::vector<int64_t> see_padding_;       // windows that no pixel is in
};

}  // namespace notape
