// IDX: arrays of bytes as MNIST and its relatives come. Two zero bytes, 0x08 (unsigned 8-bit), the
// number of dimensions, a big-endian 32-bit size of each, then the values, row by row. (LeCun,
// Cortes and Burges, http://yann.lecun.com/exdb/mnist/)
#pragma once
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "autograd/autograd.h"

namespace notape::data {

/// An IDX file with items, one per first index, that are read on request: it may be larger than
/// memory. A gzip file, in which one cannot seek, is inflated into memory once; copies share that
/// memory, and the open file. Threads may share one.
class IdxFile {
 public:
  /// Reads the sizes. Throws FileError, naming file and byte, for a wrong magic number, truncation,
  /// sizes that overflow or do not multiply to the bytes that follow, and types other than uint8.
  explicit IdxFile(const std::filesystem::path& path);

  const std::vector<int64_t>& sizes() const { return sizes_; }
  int64_t size() const { return sizes_[0]; }
  /// The item of that index: uint8, of the sizes after the first. Throws IndexError; FileError if
  /// the file has become shorter.
  Tensor item(int64_t index) const;
  /// All of it, uint8.
  Tensor all() const;

 private:
  class Source;

  Tensor read(int64_t first_byte, IntArrayRef sizes) const;

  std::string name_;
  std::shared_ptr<const Source> source_;
  std::vector<int64_t> sizes_;
  int64_t header_bytes_ = 0, item_bytes_ = 0;
};

/// A file of class numbers, one byte each: (N), int64. Throws what IdxFile throws, and FileError
/// naming the byte for a class that is not below `classes`.
Tensor read_idx_labels(const std::filesystem::path& path, int64_t classes);

}  // namespace notape::data
