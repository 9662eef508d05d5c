#include "paper_examples/data/inflate.h"

#include <zlib.h>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <limits>

#include "autograd/error.h"

namespace notape::data {
namespace {

/// zlib's decompressor over bytes in memory.
class Inflater {
 public:
  Inflater(std::string_view bytes, const std::string& name, std::size_t first_byte)
      : bytes_(bytes), name_(name), first_byte_(first_byte) {}
  ~Inflater() { inflateEnd(&stream_); }
  Inflater(const Inflater&) = delete;
  Inflater& operator=(const Inflater&) = delete;

  std::string run(Compressed kind, std::size_t max_bytes) {
    constexpr int kGzipOnly = 16 + MAX_WBITS;
    if (inflateInit2(&stream_, kind == Compressed::Gzip ? kGzipOnly : MAX_WBITS) != Z_OK)
      throw FileError("{}: zlib cannot start", name_);
    std::string content;
    std::string chunk(std::size_t{1} << 16, '\0');
    int status = Z_OK;
    while (status != Z_STREAM_END) {
      feed();
      stream_.next_out = reinterpret_cast<Bytef*>(chunk.data());
      stream_.avail_out = static_cast<uInt>(chunk.size());
      status = ::inflate(&stream_, Z_NO_FLUSH);
      content.append(chunk, 0, chunk.size() - stream_.avail_out);
      check(status);
      if (content.size() > max_bytes)
        throw FileError("{}: inflates to more than {} bytes", name_, max_bytes);
      if (status == Z_STREAM_END && kind == Compressed::Gzip && is_gz(rest())) {
        inflateReset(&stream_);  // as when files were put together
        status = Z_OK;
      }
    }
    const bool may_follow =
        kind == Compressed::ZlibAndZeros && rest().find_first_not_of('\0') == rest().npos;
    if (!rest().empty() && !may_follow)
      throw FileError("{}: byte {}: unexpected bytes after the compressed stream", name_, place());
    return content;
  }

 private:
  /// zlib counts what it is given in 32 bits.
  void feed() {
    if (stream_.avail_in != 0) return;
    const std::size_t part =
        std::min<std::size_t>(bytes_.size() - fed_, std::numeric_limits<uInt>::max());
    stream_.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes_.data() + fed_));
    stream_.avail_in = static_cast<uInt>(part);
    fed_ += part;
  }

  std::string_view rest() const { return bytes_.substr(place() - first_byte_); }
  std::size_t place() const { return first_byte_ + fed_ - stream_.avail_in; }

  void check(int status) const {
    if (status == Z_OK || status == Z_STREAM_END) return;
    if (status == Z_BUF_ERROR)
      throw FileError("{}: byte {}: truncated, the file ends within the compressed stream", name_,
                      place());
    throw FileError("{}: byte {}: damaged ({})", name_, place(),
                    stream_.msg ? stream_.msg : "zlib gives no reason");
  }

  std::string_view bytes_;
  const std::string& name_;
  std::size_t first_byte_, fed_ = 0;
  z_stream stream_{};
};

}  // namespace

std::string read_bytes(const std::filesystem::path& path) {
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

std::string inflate(std::string_view bytes, Compressed kind, std::size_t max_bytes,
                    const std::string& name, std::size_t first_byte) {
  return Inflater(bytes, name, first_byte).run(kind, max_bytes);
}

}  // namespace notape::data
