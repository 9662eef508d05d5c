#include "paper_examples/data/idx.h"

#include <algorithm>
#include <optional>

#include "autograd/interchange/input_file.h"
#include "autograd/interchange/known_format.h"
#include "autograd/interchange/zlib.h"
#include "ops/ops.h"
#include "paper_examples/data/byte_reader.h"

namespace notape::data {

/// The bytes of the array's file: on the disk, or inflated in memory.
class IdxFile::Source {
 public:
  explicit Source(const std::filesystem::path& path) : file_(path) {
    char magic[2] = {};
    file_.read_at(0, magic, std::min<uint64_t>(file_.size(), 2));
    constexpr std::size_t kMost = std::size_t{1} << 32;
    if (interchange::is_gz({magic, 2}))
      inflated_ = interchange::inflate(file_.read_all(), interchange::Compressed::Gzip, kMost,
                                       file_.path());
  }

  int64_t size() const {
    return static_cast<int64_t>(inflated_ ? inflated_->size() : file_.size());
  }

  void read(int64_t first, int64_t bytes, char* out) const {
    const auto at = static_cast<std::size_t>(first), count = static_cast<std::size_t>(bytes);
    if (inflated_)
      inflated_->copy(out, count, at);
    else
      file_.read_at(at, out, count);
  }

 private:
  interchange::InputFile file_;
  std::optional<std::string> inflated_;
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
