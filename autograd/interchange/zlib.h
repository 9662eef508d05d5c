// What zlib packs: streams of bytes, and files that may as well be there as they are.
#pragma once
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>

struct gzFile_s;
struct z_stream_s;

namespace notape::interchange {

enum class Compressed {
  Raw,  ///< as in zip archives
  Zlib,
  ZlibAndZeros,  ///< zero bytes may follow it
  Gzip,          ///< one stream or several
};

/// Whether bytes begin as gzip files do.
inline bool is_gz(std::string_view bytes) { return bytes.starts_with("\x1f\x8b"); }

/// All parts as one stream. `level` is 1 to 9, or zlib's choice.
std::string deflate(std::span<const std::string_view> parts, Compressed kind, int level = -1);

/// What a compressed stream holds that fills `bytes`. `name` and `first_byte`, where in that file
/// the stream begins, are for messages. Throws FileError in one line, naming file and byte, for
/// what is no such stream, truncated, damaged, followed by something, or larger than `max_bytes`.
std::string inflate(std::string_view bytes, Compressed kind, std::size_t max_bytes,
                    const std::string& name, std::size_t first_byte = 0);

struct EndZlib {
  void operator()(gzFile_s* file) const;
  void operator()(z_stream_s* stream) const;
};

/// A compressed stream from front to back.
class Inflater {
 public:
  /// `more` gives the next part of it, which stays where it is until the one after is asked for;
  /// nothing at the end. `name` and `first_byte` are as above.
  Inflater(std::string name, Compressed kind, std::function<std::string_view()> more,
           std::size_t first_byte = 0);

  /// Fills `to`; fewer bytes come only at the end of the stream. Throws FileError as above.
  std::size_t read(void* to, std::size_t bytes);
  /// Of the last part, what follows the stream.
  std::string_view rest() const;
  /// Where in the file that is.
  std::size_t place() const;
  /// Another stream begins there.
  void restart();

 private:
  std::string name_;
  std::function<std::string_view()> more_;
  std::unique_ptr<z_stream_s, EndZlib> stream_;
  std::string_view part_;  // without what the stream has been given
  std::size_t given_;
  bool ended_ = false;
};

/// zlib's own functions read and write it.
using GzFile = std::unique_ptr<gzFile_s, EndZlib>;

/// Writes to the descriptor, and closes it: compressed with that level, 0 for as it is. Nothing,
/// and errno, if that cannot be.
GzFile gz_writer(int descriptor, int level);

}  // namespace notape::interchange
