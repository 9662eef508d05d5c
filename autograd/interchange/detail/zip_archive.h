// ZipArchive and ZipWriter: the part of the zip format that .npz files use. No zip64, no
// encryption. Format: PKWARE APPNOTE.TXT.
#pragma once
#include <memory>
#include <span>
#include <vector>

#include "autograd/interchange/input_file.h"
#include "autograd/interchange/output_file.h"

namespace notape::interchange {

struct ZipEntry {
  std::string name;
  uint32_t crc = 0;
  uint64_t packed_bytes = 0, bytes = 0;
  uint64_t header_offset = 0;
  bool deflated = false;
};

class ZipArchive {
 public:
  /// Reads the directory. Throws FileError.
  explicit ZipArchive(const std::string& path);

  /// Without folders, which some programs give entries of their own.
  const std::vector<ZipEntry>& entries() const { return entries_; }
  /// The unpacked contents; its finish() compares the checksum. Throws FileError.
  std::unique_ptr<ByteSource> open(const ZipEntry& entry) const;

 private:
  [[noreturn]] void fail(const std::string& problem) const;
  void read_directory(uint64_t offset, uint64_t bytes, std::size_t count);

  InputFile file_;
  std::vector<ZipEntry> entries_;
};

enum class ZipMethod { Stored, Deflated };

class ZipWriter {
 public:
  explicit ZipWriter(const std::string& path) : path_(path), file_(path) {}

  /// Throws FileError, and ValueError for what needs zip64.
  void add(const std::string& name, std::span<const std::string_view> parts, ZipMethod method);
  /// Writes the directory and puts the file in its place.
  void commit();

 private:
  void check_limit(uint64_t bytes) const;

  std::string path_;
  OutputFile file_;
  std::vector<ZipEntry> entries_;
};

}  // namespace notape::interchange
