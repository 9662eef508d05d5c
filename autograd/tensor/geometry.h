// Geometry: sizes, strides and offset (in elements) of a strided window onto a storage.
// Up to four dimensions live inline; more go to the heap.
#pragma once
#include <cstdint>
#include <cstring>

#include "autograd/tensor/dim_vector.h"

namespace notape {

class Geometry {
 public:
  static constexpr int kInline = 4;
  static constexpr int kMaxDims = 64;

  Geometry() = default;
  /// Row-major. Throws ShapeError for negative sizes, more than 64 dimensions, or overflow.
  explicit Geometry(IntArrayRef sizes) { set_contiguous(sizes); }
  Geometry(IntArrayRef sizes, IntArrayRef strides, int64_t offset);
  Geometry(const Geometry& other) {
    if (other.ndim_ <= kInline) [[likely]]
      copy_bytes(other);
    else
      copy_heap(other);
  }
  Geometry(Geometry&& other) noexcept {
    copy_bytes(other);
    other.ndim_ = 0;
  }
  Geometry& operator=(const Geometry& other) {
    if (this == &other) return *this;
    if (ndim_ <= kInline && other.ndim_ <= kInline) [[likely]]
      copy_bytes(other);
    else
      *this = Geometry(other);
    return *this;
  }
  Geometry& operator=(Geometry&& other) noexcept;
  ~Geometry() {
    if (ndim_ > kInline) [[unlikely]]
      delete[] heap_;
  }

  int dim() const { return ndim_; }
  int64_t numel() const { return numel_; }
  int64_t offset() const { return offset_; }
  bool is_contiguous() const { return contiguous_; }
  const int64_t* size_data() const { return ndim_ <= kInline ? inline_ : heap_; }
  const int64_t* stride_data() const {
    return ndim_ <= kInline ? inline_ + kInline : heap_ + ndim_;
  }
  IntArrayRef sizes() const { return {size_data(), ndim_}; }
  IntArrayRef strides() const { return {stride_data(), ndim_}; }
  int64_t size(int i) const { return size_data()[i]; }
  int64_t stride(int i) const { return stride_data()[i]; }

  /// Becomes row-major; throws as the constructor does, changing nothing.
  void set_contiguous(IntArrayRef sizes, int64_t offset = 0);

  /// The same sizes and strides, starting elsewhere.
  Geometry at_offset(int64_t offset) const {
    Geometry moved(*this);
    moved.offset_ = offset;
    return moved;
  }

  /// Becomes the elements of a row-major window in another shape of at most four dimensions; false
  /// if `from` or `sizes` are not of that simple kind.
  bool set_reshaped(const Geometry& from, IntArrayRef sizes) {
    if (!from.contiguous_ || sizes.size() > kInline || ndim_ > kInline || from.numel_ == 0)
      return false;
    int64_t step = 1;
    for (std::size_t i = sizes.size(); i-- > 0;) {
      if (sizes[i] <= 0 || sizes[i] > from.numel_) return false;
      inline_[i] = sizes[i];
      inline_[kInline + i] = step;
      step *= sizes[i];
      if (step > from.numel_) return false;
    }
    if (step != from.numel_) return false;
    ndim_ = static_cast<uint8_t>(sizes.size());
    numel_ = step;
    offset_ = from.offset_;
    contiguous_ = true;
    return true;
  }

  /// No two index tuples reach the same element (false if undecided).
  bool is_non_overlapping() const { return contiguous_ || reaches_no_element_twice(); }
  /// Non-overlapping and covering a gapless range: a permutation of row-major.
  bool is_dense() const;
  /// One past the largest element reached, counted from the storage's start (0 if empty).
  int64_t storage_end() const;

  friend bool operator==(const Geometry& a, const Geometry& b) {
    return a.offset_ == b.offset_ && a.sizes() == b.sizes() && a.strides() == b.strides();
  }
  friend bool same_shape(const Geometry& a, const Geometry& b) {
    if (a.ndim_ != b.ndim_) return false;
    const int64_t *left = a.size_data(), *right = b.size_data();
    for (int i = 0; i < a.ndim_; ++i)
      if (left[i] != right[i]) return false;
    return true;
  }

 private:
  bool reaches_no_element_twice() const;
  void copy_bytes(const Geometry& other) {
    std::memcpy(static_cast<void*>(this), &other, sizeof(*this));
  }
  void copy_heap(const Geometry& other);
  void set_dims(IntArrayRef sizes);
  void update_contiguous();

  union {
    int64_t inline_[2 * kInline];  // sizes, then strides
    int64_t* heap_;
  };
  int64_t offset_ = 0;
  int64_t numel_ = 1;
  uint8_t ndim_ = 0;
  bool contiguous_ = true;
};

/// Row-major strides of `sizes`.
DimVector contiguous_strides(IntArrayRef sizes);
/// Strides of a dense tensor of `sizes` whose dimensions are ordered in memory as in `like`.
DimVector dense_strides_like(IntArrayRef sizes, IntArrayRef like);

/// Whether two windows with elements of `a_item` and `b_item` bytes, over the same bytes, share
/// one. Exact for solid windows and for strided ones within a work limit; undecided counts as
/// overlap.
bool overlaps(const Geometry& a, int64_t a_item, const Geometry& b, int64_t b_item);

}  // namespace notape
