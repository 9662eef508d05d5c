// GuardedBuffer: row-major numbers with a margin on both sides that nobody may write.
#pragma once
#include <cstddef>
#include <string>
#include <vector>

#include "autograd/tensor/tensor.h"
#include "verify/plugin/c_abi.h"

namespace notape::verify {

class GuardedBuffer {
 public:
  /// A copy of `values`, a tensor of any layout, to be read only. The margins are NaN, so that a
  /// result depends on them visibly.
  GuardedBuffer(std::string name, const Tensor& values);
  /// For results: NaN everywhere, of a kind that tells an entry that nobody wrote.
  GuardedBuffer(std::string name, const notape_shape& shape, int32_t dtype);

  notape_buffer view();
  /// The numbers as a tensor of their own.
  Tensor tensor() const;
  /// What was done to it that may not be done, as "wrote to ..."; empty if nothing was.
  std::string fault() const;

 private:
  // Aligned as vector instructions like it.
  struct alignas(64) Line {
    unsigned char bytes[64];
  };

  void allocate(unsigned char margin);
  std::size_t entry_bytes() const;
  std::size_t data_bytes() const;
  unsigned char* data();
  const unsigned char* data() const;
  std::string fault_in_margins() const;
  std::string fault_in_entries() const;

  std::string name_;
  bool read_only_;
  notape_shape shape_{};
  int32_t dtype_;
  std::vector<Line> lines_, original_;
};

/// Throws ForeignOperatorError for a rank that no shape has.
notape_shape shape_of(const Tensor& tensor);
std::vector<int64_t> sizes_of(const notape_shape& shape);
std::size_t entries_of(const notape_shape& shape);

}  // namespace notape::verify
