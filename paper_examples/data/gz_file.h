// Reading a gzip file.
#pragma once
#include <filesystem>
#include <string>

namespace notape::data {

/// The inflated content of a gzip file. Throws FileError in one line, naming the file and the byte
/// where it goes wrong, if the file is missing, no gzip file, truncated, damaged, or larger than
/// `max_bytes` when inflated.
std::string read_gz(const std::filesystem::path& path,
                    std::size_t max_bytes = std::size_t{1} << 28);
/// The same of a file that may also be there as it is.
std::string read_plain_or_gz(const std::filesystem::path& path,
                             std::size_t max_bytes = std::size_t{1} << 28);

}  // namespace notape::data
