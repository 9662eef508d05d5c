// Bytes of files, and what is compressed in them.
#pragma once
#include <filesystem>
#include <string>
#include <string_view>

namespace notape::data {

/// The whole file. Throws FileError, naming it, if it is missing, no regular file or unreadable.
std::string read_bytes(const std::filesystem::path& path);

/// Whether bytes begin as gzip files do.
inline bool is_gz(std::string_view bytes) { return bytes.starts_with("\x1f\x8b"); }

enum class Compressed {
  Gzip,  ///< one stream or several
  Zlib,
  ZlibAndZeros,  ///< zero bytes may follow it
};

/// What a compressed stream holds that fills `bytes`. `name` and `first_byte`, where in that file
/// the stream begins, are for messages. Throws FileError in one line, naming file and byte, for
/// what is no such stream, truncated, damaged, followed by something, or larger than `max_bytes`.
std::string inflate(std::string_view bytes, Compressed kind, std::size_t max_bytes,
                    const std::string& name, std::size_t first_byte = 0);

}  // namespace notape::data
