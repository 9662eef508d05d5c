// GuardedBuffer: numbers with a margin on both sides, and in the gaps of strides, that nobody may
// write.
#pragma once
#include <cstddef>
#include <string>
#include <vector>

#include "autograd/tensor/tensor.h"
#include "verify/plugin/c_abi.h"

namespace notape::verify {

class GuardedBuffer {
 public:
  /// A row-major copy of `values`, a tensor of any layout, to be read only. The margins are NaN, so
  /// that a result depends on them visibly.
  GuardedBuffer(std::string name, const Tensor& values);
  /// The same with entries of a type of the C interface, with the strides of the tensor if wanted.
  enum class Strides : uint8_t { RowMajor, AsTheyAre };
  GuardedBuffer(std::string name, const Tensor& values, int32_t dtype, Strides strides);
  /// Row-major and to be read only.
  GuardedBuffer(std::string name, const std::vector<int64_t>& sizes,
                const std::vector<long double>& values, int32_t dtype);
  /// For results: NaN everywhere, of a kind that marks an entry as not written.
  GuardedBuffer(std::string name, const notape_shape& shape, int32_t dtype);

  /// Every entry may be written, and none must be.
  void allow_gaps() { may_stay_unwritten_ = true; }

  /// The call is to find it on this device, with its margins; fetch() brings back, through the
  /// device's stream, what was made of it there.
  void put_on(Device device);
  void fetch();

  notape_buffer view();
  notape_tensor tensor_view();
  /// The numbers as a tensor of their own; whole ones as int64.
  Tensor tensor() const;
  std::vector<long double> long_doubles() const;
  /// Only the first entries were needed: those of a row-major tensor of these sizes. Throws
  /// ForeignOperatorError unless it has the same rank and is nowhere larger.
  void lower_sizes(const int64_t* sizes);
  /// What was done to it that may not be done, as "wrote to ..."; empty if nothing was.
  std::string fault() const;

 private:
  // Aligned as vector instructions like it.
  struct alignas(64) Line {
    unsigned char bytes[64];
  };

  void allocate(unsigned char margin);
  std::size_t entry_bytes() const;
  std::size_t extent_bytes() const;
  /// Of the entry at this row-major position, from the start of the data on.
  std::size_t offset_of(std::size_t entry) const;
  unsigned char* data();
  const unsigned char* data() const;
  bool is_untouched(std::size_t byte) const;
  std::string fault_in_margins() const;
  std::string fault_in_entries() const;

  std::string name_;
  bool read_only_, may_stay_unwritten_ = false;
  notape_shape shape_{};
  std::vector<int64_t> strides_;
  std::size_t extent_ = 0;  // from the first entry to past the last, in entries
  int32_t dtype_;
  std::vector<Line> lines_, original_;
  Tensor device_memory_ = {};  // undefined: none
};

/// Throws ForeignOperatorError for a rank that no shape has.
notape_shape shape_of(const Tensor& tensor);
notape_shape shape_of(const std::vector<int64_t>& sizes);
std::vector<int64_t> sizes_of(const notape_shape& shape);
std::size_t entries_of(const notape_shape& shape);

}  // namespace notape::verify
