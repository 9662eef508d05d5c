// The contents of one entry of a zip archive, unpacked as they are read.
#include "autograd/interchange/detail/zip_source.h"

#include <zlib.h>

#include <algorithm>

#include "autograd/error.h"

namespace notape::interchange {
namespace {

/// Keeps the checksum of what was read; finish() compares it.
class ZipSource : public ByteSource {
 public:
  ZipSource(std::string name, const ZipEntry& entry, FileSlice packed);
  ~ZipSource() override;

  void finish() override;

 protected:
  void read_some(void* target, std::size_t bytes) override;

 private:
  [[noreturn]] void fail(const char* problem) const;
  void inflate_some(void* target, std::size_t bytes);
  int inflate_step();

  static constexpr std::size_t kBuffer = std::size_t{1} << 16;

  ZipEntry entry_;
  FileSlice packed_;
  uLong crc_;
  z_stream stream_{};
  std::unique_ptr<unsigned char[]> buffer_;
};

ZipSource::ZipSource(std::string name, const ZipEntry& entry, FileSlice packed)
    : ByteSource(std::move(name), entry.bytes),
      entry_(entry),
      packed_(std::move(packed)),
      crc_(crc32(0, nullptr, 0)) {
  if (!entry_.deflated) return;
  buffer_ = std::make_unique<unsigned char[]>(kBuffer);
  if (inflateInit2(&stream_, -MAX_WBITS) != Z_OK) fail("cannot be unpacked: out of memory");
}

ZipSource::~ZipSource() {
  if (entry_.deflated) inflateEnd(&stream_);
}

void ZipSource::fail(const char* problem) const { throw FileError("{}: {}", name(), problem); }

void ZipSource::read_some(void* target, std::size_t bytes) {
  if (entry_.deflated)
    inflate_some(target, bytes);
  else
    packed_.read(target, bytes, "the data");
  crc_ = crc32_z(crc_, static_cast<const unsigned char*>(target), bytes);
}

int ZipSource::inflate_step() {
  if (stream_.avail_in == 0) {
    const std::size_t count = std::min<uint64_t>(packed_.remaining(), kBuffer);
    packed_.read(buffer_.get(), count, "the packed data");
    stream_.next_in = buffer_.get();
    stream_.avail_in = static_cast<uInt>(count);
  }
  return inflate(&stream_, Z_NO_FLUSH);
}

void ZipSource::inflate_some(void* target, std::size_t bytes) {
  auto* to = static_cast<unsigned char*>(target);
  while (bytes > 0) {
    const std::size_t wanted = std::min<std::size_t>(bytes, 1u << 30);
    stream_.next_out = to;
    stream_.avail_out = static_cast<uInt>(wanted);
    const int status = inflate_step();
    const std::size_t got = wanted - stream_.avail_out;
    to += got;
    bytes -= got;
    if (status == Z_STREAM_END ? bytes > 0 : status != Z_OK)
      fail("the packed data is corrupt or truncated");
  }
}

void ZipSource::finish() {
  if (crc_ != entry_.crc) fail("the checksum is wrong: the data is corrupt");
}

}  // namespace

std::unique_ptr<ByteSource> unpack_zip_entry(std::string name, const ZipEntry& entry,
                                             FileSlice packed) {
  return std::make_unique<ZipSource>(std::move(name), entry, std::move(packed));
}

}  // namespace notape::interchange
