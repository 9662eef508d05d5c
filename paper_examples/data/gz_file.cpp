#include "paper_examples/data/gz_file.h"

#include <zlib.h>

#include <fstream>
#include <iterator>

#include "autograd/error.h"

namespace notape::data {
namespace {

std::string read_file(const std::filesystem::path& path) {
  std::error_code error;
  if (!std::filesystem::exists(path, error)) throw FileError("{}: no such file", path.string());
  if (!std::filesystem::is_regular_file(path, error))
    throw FileError("{}: not a regular file", path.string());
  std::ifstream file(path, std::ios::binary);
  if (!file) throw FileError("{}: cannot be opened", path.string());
  std::string bytes{std::istreambuf_iterator<char>(file), {}};
  if (file.bad()) throw FileError("{}: cannot be read", path.string());
  return bytes;
}

/// zlib's decompressor over bytes in memory.
class Inflater {
 public:
  Inflater(const std::filesystem::path& path, std::string& bytes) : path_(path.string()) {
    stream_.next_in = reinterpret_cast<Bytef*>(bytes.data());
    stream_.avail_in = static_cast<uInt>(bytes.size());
    constexpr int kGzipOnly = 16 + MAX_WBITS;
    if (inflateInit2(&stream_, kGzipOnly) != Z_OK) throw FileError("{}: zlib cannot start", path_);
  }
  ~Inflater() { inflateEnd(&stream_); }
  Inflater(const Inflater&) = delete;
  Inflater& operator=(const Inflater&) = delete;

  std::string run(std::size_t max_bytes) {
    std::string content;
    std::string chunk(std::size_t{1} << 16, '\0');
    int status = Z_OK;
    while (status != Z_STREAM_END) {
      stream_.next_out = reinterpret_cast<Bytef*>(chunk.data());
      stream_.avail_out = static_cast<uInt>(chunk.size());
      status = inflate(&stream_, Z_NO_FLUSH);
      content.append(chunk, 0, chunk.size() - stream_.avail_out);
      check(status);
      if (content.size() > max_bytes)
        throw FileError("{}: inflates to more than {} bytes", path_, max_bytes);
    }
    if (stream_.avail_in != 0)
      throw FileError("{}: byte {}: unexpected bytes after the compressed stream", path_,
                      stream_.total_in);
    return content;
  }

 private:
  void check(int status) const {
    if (status == Z_OK || status == Z_STREAM_END) return;
    if (status == Z_BUF_ERROR)
      throw FileError("{}: byte {}: truncated, the file ends within the compressed stream", path_,
                      stream_.total_in);
    throw FileError("{}: byte {}: damaged ({})", path_, stream_.total_in,
                    stream_.msg ? stream_.msg : "zlib gives no reason");
  }

  std::string path_;
  z_stream stream_{};
};

}  // namespace

std::string read_gz(const std::filesystem::path& path, std::size_t max_bytes) {
  std::string bytes = read_file(path);
  if (!bytes.starts_with("\x1f\x8b")) throw FileError("{}: byte 0: not a gzip file", path.string());
  return Inflater(path, bytes).run(max_bytes);
}

}  // namespace notape::data
