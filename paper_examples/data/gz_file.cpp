#include "paper_examples/data/gz_file.h"

#include "autograd/error.h"
#include "autograd/interchange/known_format.h"

namespace notape::data {

std::string read_gz(const std::filesystem::path& path, std::size_t max_bytes) {
  const std::string bytes = read_bytes(path);
  if (!is_gz(bytes))
    throw FileError("{}: byte 0: not a gzip file{}", path.string(),
                    interchange::seems_to_be(bytes.substr(0, 16)));
  return inflate(bytes, Compressed::Gzip, max_bytes, path.string());
}

std::string read_plain_or_gz(const std::filesystem::path& path, std::size_t max_bytes) {
  std::string bytes = read_bytes(path);
  return is_gz(bytes) ? inflate(bytes, Compressed::Gzip, max_bytes, path.string()) : bytes;
}

}  // namespace notape::data
