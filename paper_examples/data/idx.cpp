#include "paper_examples/data/idx.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "autograd/interchange/known_format.h"
#include "ops/ops.h"
#include "paper_examples/data/byte_reader.h"
#include "paper_examples/data/gz_file.h"
#include "paper_examples/data/inflate.h"

namespace notape::data {

/// The bytes of the array's file: on the disk, or inflated in memory.
class IdxFile::Source {
 public:
  explicit Source(const std::filesystem::path& path) : name_(path.string()) {
    std::error_code error;
    if (std::filesystem::exists(path, error) && !std::filesystem::is_regular_file(path, error))
      throw FileError("{}: not a regular file", name_);
    descriptor_ = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
    if (descriptor_ < 0) throw FileError("{}: {}", name_, std::strerror(errno));
    struct stat status {};
    size_ = ::fstat(descriptor_, &status) == 0 ? static_cast<int64_t>(status.st_size) : 0;
    char magic[2] = {};
    if (::pread(descriptor_, magic, 2, 0) != 2 || !is_gz({magic, 2})) return;
    close();
    constexpr std::size_t kMost = std::size_t{1} << 32;
    inflated_ = inflate(read_bytes(path), Compressed::Gzip, kMost, name_);
    size_ = static_cast<int64_t>(inflated_.size());
  }
  ~Source() { close(); }
  Source(const Source&) = delete;
  Source& operator=(const Source&) = delete;

  int64_t size() const { return size_; }

  void read(int64_t first, int64_t bytes, char* out) const {
    if (descriptor_ < 0) {
      inflated_.copy(out, static_cast<std::size_t>(bytes), static_cast<std::size_t>(first));
      return;
    }
    while (bytes > 0) {
      const ssize_t got = ::pread(descriptor_, out, static_cast<std::size_t>(bytes), first);
      if (got < 0 && errno == EINTR) continue;
      if (got < 0) throw FileError("{}: byte {}: {}", name_, first, std::strerror(errno));
      if (got == 0) throw FileError("{}: byte {}: the file has become shorter", name_, first);
      out += got, first += got, bytes -= got;
    }
  }

 private:
  void close() {
    if (descriptor_ >= 0) ::close(descriptor_);
    descriptor_ = -1;
  }

  std::string name_, inflated_;
  int descriptor_ = -1;
  int64_t size_ = 0;
};

IdxFile::IdxFile(const std::filesystem::path& path)
    : name_(path.string()), source_(std::make_shared<const Source>(path)) {
  constexpr int64_t kLongestHeader = 4 + 4 * 255;
  std::string start(static_cast<std::size_t>(std::min(source_->size(), kLongestHeader)), '\0');
  source_->read(0, static_cast<int64_t>(start.size()), start.data());
  ByteReader reader(start, name_);
  const uint32_t magic = ByteReader(start, name_).big32("the magic number of an IDX file");
  if (magic >> 16 != 0)
    reader.fail("no IDX file: it does not begin with two zero bytes{}",
                interchange::seems_to_be(start.substr(0, 16)));
  reader.take(2, "the magic number");
  if ((magic >> 8 & 0xff) != 8)
    reader.fail("values of type {}; only 8, unsigned 8-bit, is read", magic >> 8 & 0xff);
  reader.take(1, "the type");
  const uint32_t dimensions = magic & 0xff;
  if (dimensions == 0) reader.fail("an array without dimensions");
  reader.take(1, "the number of dimensions");

  int64_t bytes = 1;
  for (uint32_t i = 0; i < dimensions; ++i) {
    const uint32_t size = reader.big32("a size");
    sizes_.push_back(size);
    if (__builtin_mul_overflow(bytes, int64_t{size}, &bytes))
      reader.fail("the sizes {} overflow", to_string(sizes_));
  }
  header_bytes_ = static_cast<int64_t>(reader.at());
  if (bytes != source_->size() - header_bytes_)
    reader.fail("sizes {} want {} bytes after the header, the file has {}", to_string(sizes_),
                bytes, source_->size() - header_bytes_);
  item_bytes_ = sizes_[0] == 0 ? 0 : bytes / sizes_[0];
}

Tensor IdxFile::read(int64_t first_byte, IntArrayRef sizes) const {
  const Tensor values = empty(sizes, kUInt8);
  source_->read(first_byte, values.numel(),
                reinterpret_cast<char*>(values.mutable_data_ptr<uint8_t>()));
  return values;
}

Tensor IdxFile::item(int64_t index) const {
  if (index < 0 || index >= size())
    throw IndexError("{}: there is no item {}, it has {}", name_, index, size());
  return read(header_bytes_ + index * item_bytes_,
              std::vector<int64_t>(sizes_.begin() + 1, sizes_.end()));
}

Tensor IdxFile::all() const { return read(header_bytes_, sizes_); }

Tensor read_idx_labels(const std::filesystem::path& path, int64_t classes) {
  const IdxFile file(path);
  if (file.sizes().size() != 1)
    throw FileError("{}: byte 3: {} dimensions; classes have one", path.string(),
                    file.sizes().size());
  const Tensor bytes = file.all();
  const uint8_t* labels = bytes.const_data_ptr<uint8_t>();
  constexpr int64_t kHeader = 8;
  for (int64_t i = 0; i < file.size(); ++i)
    if (labels[i] >= classes)
      throw FileError("{}: byte {}: class {} of item {} is outside 0..{}", path.string(),
                      kHeader + i, labels[i], i, classes - 1);
  return bytes.to(kInt64);
}

}  // namespace notape::data
