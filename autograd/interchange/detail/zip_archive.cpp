// ZipArchive: finding and checking the entries of a zip file.
#include "autograd/interchange/detail/zip_archive.h"

#include <zlib.h>

#include <algorithm>
#include <optional>

#include "autograd/error.h"
#include "autograd/interchange/detail/entry_name.h"
#include "autograd/interchange/detail/zip_format.h"
#include "autograd/interchange/known_format.h"
#include "autograd/interchange/zlib.h"
#include "autograd/printable.h"

namespace notape::interchange {
namespace {

/// No deflated byte stands for more bytes than this.
constexpr uint64_t kMaxDeflateRatio = 1032;

/// The contents of an entry, unpacked as they are read. Keeps the checksum of what was read;
/// finish() compares it.
class ZipSource : public ByteSource {
 public:
  ZipSource(std::string name, const ZipEntry& entry, FileSlice packed, std::size_t begin)
      : ByteSource(std::move(name), entry.bytes), entry_(entry), packed_(std::move(packed)) {
    if (entry_.deflated)
      inflater_.emplace(
          this->name(), Compressed::Raw, [this] { return next_part(); }, begin);
  }

  void finish() override {
    if (crc_ != entry_.crc)
      throw FileError("{}: the checksum is wrong: the data is corrupt", name());
  }

 protected:
  void read_some(void* target, std::size_t bytes) override {
    if (!inflater_)
      packed_.read(target, bytes, "the data");
    else if (inflater_->read(target, bytes) < bytes)
      throw FileError("{}: the packed data is too short", name());
    crc_ = crc32_z(crc_, static_cast<const unsigned char*>(target), bytes);
  }

 private:
  std::string_view next_part() {
    constexpr uint64_t kMost = 1 << 16;
    part_ = packed_.read_text(std::min(packed_.remaining(), kMost), "the packed data");
    return part_;
  }

  ZipEntry entry_;
  FileSlice packed_;
  std::string part_;
  std::optional<Inflater> inflater_;
  uLong crc_ = 0;
};

}  // namespace

void ZipArchive::fail(const std::string& problem) const {
  throw FileError("{}: {}", file_.path(), problem);
}

ZipArchive::ZipArchive(const std::string& path) : file_(path) {
  using namespace zip;
  const uint64_t tail_bytes = std::min<uint64_t>(file_.size(), kEndOfDirectoryBytes + 0xffff);
  FileSlice tail_source(file_, path, file_.size() - tail_bytes, tail_bytes);
  const std::string tail = tail_source.read_text(tail_bytes, "the directory");
  // The record is followed by a comment whose length it states.
  for (std::size_t from_end = kEndOfDirectoryBytes; from_end <= tail.size(); ++from_end) {
    const std::string_view record = std::string_view(tail).substr(tail.size() - from_end);
    if (field<uint32_t>(record, 0) != kEndOfDirectory) continue;
    if (field<uint16_t>(record, 20) != from_end - kEndOfDirectoryBytes) continue;
    const auto count = field<uint16_t>(record, 10);
    const auto bytes = field<uint32_t>(record, 12), offset = field<uint32_t>(record, 16);
    if (count == kSeeZip64Count || bytes == kSeeZip64 || offset == kSeeZip64)
      fail("zip64 archives are not supported");
    if (field<uint32_t>(record, 4) != 0 || field<uint16_t>(record, 8) != count)
      fail("archives in several parts are not supported");
    if (uint64_t{offset} + bytes > file_.size() - from_end)
      fail("the zip directory lies outside the file");
    read_directory(offset, bytes, count);
    return;
  }
  FileSlice start(file_, path, 0, std::min<uint64_t>(file_.size(), 16));
  fail("is no zip archive, or truncated: no end-of-directory record" +
       seems_to_be(start.read_text(start.remaining(), "the beginning")));
}

void ZipArchive::read_directory(uint64_t offset, uint64_t bytes, std::size_t count) {
  using namespace zip;
  FileSlice source(file_, file_.path(), offset, bytes);
  uint64_t packed_total = 0;
  for (std::size_t i = 0; i < count; ++i) {
    const std::string record = source.read_text(kDirectoryEntryBytes, "a directory entry");
    if (field<uint32_t>(record, 0) != kDirectoryEntry) fail("a directory entry is corrupt");
    ZipEntry entry;
    entry.name = source.read_text(field<uint16_t>(record, 28), "an entry's name");
    const bool is_folder = entry.name.ends_with('/');
    const std::string_view name =
        std::string_view(entry.name).substr(0, entry.name.size() - is_folder);
    if (const std::string problem = problem_of_entry_name(name); !problem.empty())
      fail("the name of the entry '" + printable(shortened(entry.name)) + "' " + problem);
    source.read_text(std::size_t{field<uint16_t>(record, 30)} + field<uint16_t>(record, 32),
                     "an entry's extra fields");
    const auto method = field<uint16_t>(record, 10);
    if (field<uint16_t>(record, 8) & kEncryptedFlag) fail("'" + entry.name + "' is encrypted");
    if (method != kStored && method != kDeflated)
      fail("'" + entry.name + "' has the unsupported compression method " + std::to_string(method));
    entry.deflated = method == kDeflated;
    entry.crc = field<uint32_t>(record, 16);
    entry.packed_bytes = field<uint32_t>(record, 20);
    entry.bytes = field<uint32_t>(record, 24);
    entry.header_offset = field<uint32_t>(record, 42);
    if (std::max({entry.packed_bytes, entry.bytes, entry.header_offset}) == kSeeZip64)
      fail("zip64 archives are not supported ('" + entry.name + "' needs it)");
    if (entry.deflated ? entry.bytes > kMaxDeflateRatio * entry.packed_bytes
                       : entry.bytes != entry.packed_bytes)
      fail("'" + entry.name + "' cannot unpack to " + std::to_string(entry.bytes) + " bytes");
    packed_total += entry.packed_bytes;
    if (packed_total > offset) fail("the entries are together larger than the file");
    if (!is_folder)
      entries_.push_back(std::move(entry));
    else if (entry.bytes != 0)
      fail("the folder '" + entry.name + "' has contents");
  }
  if (source.remaining() > 0) fail("the zip directory is longer than its entries");
}

std::unique_ptr<ByteSource> ZipArchive::open(const ZipEntry& entry) const {
  using namespace zip;
  const std::string name = file_.path() + "/" + entry.name;
  if (entry.header_offset > file_.size()) throw FileError("{}: lies outside the file", name);
  FileSlice rest(file_, name, entry.header_offset, file_.size() - entry.header_offset);
  const std::string header = rest.read_text(kLocalHeaderBytes, "the entry's header");
  const auto name_bytes = field<uint16_t>(header, 26), extra_bytes = field<uint16_t>(header, 28);
  if (field<uint32_t>(header, 0) != kLocalHeader ||
      rest.read_text(name_bytes, "the entry's name") != entry.name)
    throw FileError("{}: the entry's header is corrupt", name);
  const uint64_t begin =
      entry.header_offset + kLocalHeaderBytes + name_bytes + uint64_t{extra_bytes};
  if (begin + entry.packed_bytes > file_.size())
    throw FileError("{}: truncated: the entry lies outside the file", name);
  return std::make_unique<ZipSource>(name, entry, FileSlice(file_, name, begin, entry.packed_bytes),
                                     begin);
}

}  // namespace notape::interchange
