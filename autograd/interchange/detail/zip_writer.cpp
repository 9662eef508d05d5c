// ZipWriter: entries one after the other, then their directory. The same contents give the same
// bytes: no time is recorded.
#include <zlib.h>

#include <algorithm>

#include "autograd/error.h"
#include "autograd/interchange/detail/zip_archive.h"
#include "autograd/interchange/detail/zip_format.h"
#include "autograd/interchange/zlib.h"

namespace notape::interchange {
namespace {

constexpr uint16_t kVersion = 20, kNoTime = 0, kFirstDay = 0x21;  // 1980-01-01

/// What a local header and a directory entry have in common, from the version on.
std::string common_fields(const ZipEntry& entry) {
  using namespace zip;
  const bool ascii = std::all_of(entry.name.begin(), entry.name.end(),
                                 [](char c) { return static_cast<unsigned char>(c) < 0x80; });
  std::string record;
  append<uint16_t>(record, kVersion);
  append<uint16_t>(record, ascii ? 0 : kUtf8Flag);
  append<uint16_t>(record, entry.deflated ? kDeflated : kStored);
  append<uint16_t>(record, kNoTime);
  append<uint16_t>(record, kFirstDay);
  append<uint32_t>(record, entry.crc);
  append<uint32_t>(record, static_cast<uint32_t>(entry.packed_bytes));
  append<uint32_t>(record, static_cast<uint32_t>(entry.bytes));
  append<uint16_t>(record, static_cast<uint16_t>(entry.name.size()));
  append<uint16_t>(record, 0);  // extra fields
  return record;
}

}  // namespace

void ZipWriter::check_limit(uint64_t bytes) const {
  if (bytes >= zip::kSeeZip64 || entries_.size() >= zip::kSeeZip64Count - 1u)
    throw ValueError(
        "{}: an array or archive of 4 GiB or more, or of more than 65534 arrays, needs zip64, "
        "which is not supported",
        path_);
}

void ZipWriter::add(const std::string& name, std::span<const std::string_view> parts,
                    ZipMethod method) {
  if (name.size() > 0xffff) throw ValueError("{}: a name has {} bytes", path_, name.size());
  ZipEntry entry;
  entry.name = name;
  entry.header_offset = file_.written();
  entry.deflated = method == ZipMethod::Deflated;
  for (std::string_view part : parts) entry.bytes += part.size();
  check_limit(std::max(entry.bytes, entry.header_offset));
  uLong crc = 0;
  for (std::string_view part : parts)
    if (!part.empty()) crc = crc32_z(crc, reinterpret_cast<const Bytef*>(part.data()), part.size());
  entry.crc = static_cast<uint32_t>(crc);
  const std::string packed = entry.deflated ? deflate(parts, Compressed::Raw) : std::string();
  entry.packed_bytes = entry.deflated ? packed.size() : entry.bytes;
  check_limit(entry.packed_bytes);

  std::string header;
  zip::append<uint32_t>(header, zip::kLocalHeader);
  file_.write(header + common_fields(entry) + name);
  if (entry.deflated) {
    file_.write(packed);
  } else {
    for (std::string_view part : parts) file_.write(part);
  }
  entries_.push_back(std::move(entry));
}

void ZipWriter::commit() {
  using namespace zip;
  const uint64_t begin = file_.written();
  for (const ZipEntry& entry : entries_) {
    std::string record;
    append<uint32_t>(record, kDirectoryEntry);
    append<uint16_t>(record, kVersion);
    record += common_fields(entry);
    record.append(10, '\0');  // comment length, disk, attributes
    append<uint32_t>(record, static_cast<uint32_t>(entry.header_offset));
    file_.write(record + entry.name);
  }
  const uint64_t end = file_.written();
  if (end >= kSeeZip64) check_limit(end);
  std::string record;
  append<uint32_t>(record, kEndOfDirectory);
  append<uint32_t>(record, 0);  // disks
  append<uint16_t>(record, static_cast<uint16_t>(entries_.size()));
  append<uint16_t>(record, static_cast<uint16_t>(entries_.size()));
  append<uint32_t>(record, static_cast<uint32_t>(end - begin));
  append<uint32_t>(record, static_cast<uint32_t>(begin));
  append<uint16_t>(record, 0);  // comment
  file_.write(record);
  file_.commit();
}

}  // namespace notape::interchange
