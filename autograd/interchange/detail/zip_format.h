// The records of a zip file: signatures, sizes, and their little-endian fields.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>

namespace notape::interchange::zip {

constexpr uint32_t kLocalHeader = 0x04034b50, kDirectoryEntry = 0x02014b50,
                   kEndOfDirectory = 0x06054b50;
constexpr std::size_t kLocalHeaderBytes = 30, kDirectoryEntryBytes = 46, kEndOfDirectoryBytes = 22;
constexpr uint16_t kStored = 0, kDeflated = 8;
constexpr uint16_t kEncryptedFlag = 1, kUtf8Flag = 1 << 11;
/// In place of a number that only a zip64 record could hold.
constexpr uint32_t kSeeZip64 = 0xffffffff;
constexpr uint16_t kSeeZip64Count = 0xffff;

/// The little-endian number of sizeof(T) bytes at `at`.
template <typename T>
T field(std::string_view record, std::size_t at) {
  T value = 0;
  for (std::size_t i = 0; i < sizeof(T); ++i)
    value = static_cast<T>(value | static_cast<T>(static_cast<unsigned char>(record[at + i]))
                                       << (8 * i));
  return value;
}

template <typename T>
void append(std::string& record, T value) {
  for (std::size_t i = 0; i < sizeof(T); ++i)
    record += static_cast<char>(static_cast<uint64_t>(value) >> (8 * i) & 0xff);
}

}  // namespace notape::interchange::zip
