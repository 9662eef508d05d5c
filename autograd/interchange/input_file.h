// InputFile and ByteSource: reading a file of known length, every claim in it checked against that.
#pragma once
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>

namespace notape::interchange {

/// Bytes in order, of a number known beforehand; messages name the source by `name`.
class ByteSource {
 public:
  ByteSource(std::string name, uint64_t bytes) : name_(std::move(name)), remaining_(bytes) {}
  virtual ~ByteSource() = default;

  const std::string& name() const { return name_; }
  uint64_t remaining() const { return remaining_; }
  /// Throws FileError if fewer bytes remain, naming what was to be read.
  void read(void* target, std::size_t bytes, const char* what);
  std::string read_text(std::size_t bytes, const char* what);
  /// Called when all has been read; throws FileError if the bytes were not what they should be.
  virtual void finish() {}

 protected:
  virtual void read_some(void* target, std::size_t bytes) = 0;

 private:
  void check_remaining(std::size_t bytes, const char* what) const;

  std::string name_;
  uint64_t remaining_;
};

/// All bytes of a text, which must stay where it is.
class TextSource : public ByteSource {
 public:
  TextSource(std::string name, const std::string& text)
      : ByteSource(std::move(name), text.size()), next_(text.data()) {}

 protected:
  void read_some(void* target, std::size_t bytes) override {
    std::memcpy(target, next_, bytes);
    next_ += bytes;
  }

 private:
  const char* next_;
};

class InputFile {
 public:
  /// Throws FileError if `path` cannot be opened or is no regular file.
  explicit InputFile(const std::string& path);
  ~InputFile();
  InputFile(const InputFile&) = delete;
  InputFile& operator=(const InputFile&) = delete;

  const std::string& path() const { return path_; }
  uint64_t size() const { return size_; }
  /// Throws FileError unless all of the range can be read.
  void read_at(uint64_t offset, void* target, std::size_t bytes) const;
  std::string read_all() const;

 private:
  std::string path_;
  int descriptor_;
  uint64_t size_ = 0;
};

/// `bytes` of a file from `offset`; both must lie inside it.
class FileSlice : public ByteSource {
 public:
  FileSlice(const InputFile& file, std::string name, uint64_t offset, uint64_t bytes)
      : ByteSource(std::move(name), bytes), file_(file), offset_(offset) {}

 protected:
  void read_some(void* target, std::size_t bytes) override {
    file_.read_at(offset_, target, bytes);
    offset_ += bytes;
  }

 private:
  const InputFile& file_;
  uint64_t offset_;
};

}  // namespace notape::interchange
