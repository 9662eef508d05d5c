#include "autograd/interchange/zlib.h"

#include <unistd.h>
#include <zlib.h>

#include <algorithm>
#include <new>
#include <utility>

#include "autograd/error.h"

namespace notape::interchange {
namespace {

/// zlib counts in 32 bits.
constexpr std::size_t kMostAtOnce = std::size_t{1} << 30;

int window_bits(Compressed kind) {
  if (kind == Compressed::Raw) return -MAX_WBITS;
  return kind == Compressed::Gzip ? 16 + MAX_WBITS : MAX_WBITS;
}

/// Gives the stream the beginning of `part`, which zlib does not write to.
std::size_t give(z_stream& stream, std::string_view& part) {
  const std::size_t count = std::min(part.size(), kMostAtOnce);
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(part.data()));
  stream.avail_in = static_cast<uInt>(count);
  part.remove_prefix(count);
  return count;
}

}  // namespace

void EndZlib::operator()(gzFile_s* file) const { gzclose(file); }

void EndZlib::operator()(z_stream_s* stream) const {
  inflateEnd(stream);
  delete stream;
}

std::string deflate(std::span<const std::string_view> parts, Compressed kind, int level) {
  z_stream stream{};
  if (deflateInit2(&stream, level, Z_DEFLATED, window_bits(kind), 8, Z_DEFAULT_STRATEGY) != Z_OK)
    throw std::bad_alloc();
  const std::unique_ptr<z_stream, int (*)(z_stream*)> end(&stream, deflateEnd);
  std::string packed;
  char buffer[1 << 16];
  for (std::size_t i = 0; i < parts.size(); ++i) {
    std::string_view part = parts[i];
    do {
      if (stream.avail_in == 0) give(stream, part);
      const bool is_last = part.empty() && i + 1 == parts.size();
      stream.next_out = reinterpret_cast<Bytef*>(buffer);
      stream.avail_out = sizeof buffer;
      ::deflate(&stream, is_last ? Z_FINISH : Z_NO_FLUSH);
      packed.append(buffer, sizeof buffer - stream.avail_out);
    } while (stream.avail_out == 0 || !part.empty());
  }
  return packed;
}

std::string inflate(std::string_view bytes, Compressed kind, std::size_t max_bytes,
                    const std::string& name, std::size_t first_byte) {
  Inflater inflater(
      name, kind, [&] { return std::exchange(bytes, {}); }, first_byte);
  std::string content, chunk(std::size_t{1} << 16, '\0');
  while (true) {
    const std::size_t count = inflater.read(chunk.data(), chunk.size());
    content.append(chunk, 0, count);
    if (content.size() > max_bytes)
      throw FileError("{}: inflates to more than {} bytes", name, max_bytes);
    if (count == chunk.size()) continue;
    if (kind != Compressed::Gzip || !is_gz(inflater.rest())) break;
    inflater.restart();  // as when files were put together
  }
  const std::string_view rest = inflater.rest();
  const bool may_follow =
      kind == Compressed::ZlibAndZeros && rest.find_first_not_of('\0') == rest.npos;
  if (!rest.empty() && !may_follow)
    throw FileError("{}: byte {}: unexpected bytes after the compressed stream", name,
                    inflater.place());
  return content;
}

Inflater::Inflater(std::string name, Compressed kind, std::function<std::string_view()> more,
                   std::size_t first_byte)
    : name_(std::move(name)), more_(std::move(more)), stream_(new z_stream{}), given_(first_byte) {
  if (inflateInit2(stream_.get(), window_bits(kind)) != Z_OK) throw std::bad_alloc();
}

std::size_t Inflater::read(void* to, std::size_t bytes) {
  std::size_t done = 0;
  while (done < bytes && !ended_) {
    const std::size_t room = std::min(bytes - done, kMostAtOnce);
    stream_->next_out = static_cast<Bytef*>(to) + done;
    stream_->avail_out = static_cast<uInt>(room);
    if (stream_->avail_in == 0) {
      if (part_.empty()) part_ = more_();
      given_ += give(*stream_, part_);
    }
    const int status = ::inflate(stream_.get(), Z_NO_FLUSH);
    done += room - stream_->avail_out;
    ended_ = status == Z_STREAM_END;
    if (status == Z_BUF_ERROR)
      throw FileError("{}: byte {}: truncated, the file ends within the compressed stream", name_,
                      place());
    if (!ended_ && status != Z_OK)
      throw FileError("{}: byte {}: damaged ({})", name_, place(),
                      stream_->msg ? stream_->msg : "zlib gives no reason");
  }
  return done;
}

std::string_view Inflater::rest() const {
  return {reinterpret_cast<const char*>(stream_->next_in), stream_->avail_in + part_.size()};
}

std::size_t Inflater::place() const { return given_ - stream_->avail_in; }

void Inflater::restart() {
  inflateReset(stream_.get());
  ended_ = false;
}

GzFile gz_writer(int descriptor, int level) {
  const char mode[] = {'w', 'b', level == 0 ? 'T' : static_cast<char>('0' + level), '\0'};
  GzFile file(gzdopen(descriptor, mode));
  if (file)
    gzbuffer(file.get(), 1 << 18);
  else if (descriptor >= 0)
    close(descriptor);
  return file;
}

}  // namespace notape::interchange
