#include "paper_examples/data/gz_file.h"

#include "autograd/error.h"
#include "autograd/interchange/input_file.h"
#include "autograd/interchange/known_format.h"
#include "autograd/interchange/zlib.h"

namespace notape::data {

std::string read_gz(const std::filesystem::path& path, std::size_t max_bytes) {
  const std::string bytes = interchange::InputFile(path).read_all();
  if (!interchange::is_gz(bytes))
    throw FileError("{}: byte 0: not a gzip file{}", path.string(),
                    interchange::seems_to_be(bytes.substr(0, 16)));
  return interchange::inflate(bytes, interchange::Compressed::Gzip, max_bytes, path.string());
}

std::string read_plain_or_gz(const std::filesystem::path& path, std::size_t max_bytes) {
  std::string bytes = interchange::InputFile(path).read_all();
  return interchange::is_gz(bytes)
             ? interchange::inflate(bytes, interchange::Compressed::Gzip, max_bytes, path.string())
             : bytes;
}

}  // namespace notape::data
