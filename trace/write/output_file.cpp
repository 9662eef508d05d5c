#include "trace/write/output_file.h"

#include <fcntl.h>
#include <unistd.h>
#include <zlib.h>

#include <cerrno>
#include <cstring>

#include "autograd/error.h"

namespace notape::trace {

OutputFile::OutputFile(std::string path)
    : file_(path),
      packer_(interchange::gz_writer(fcntl(file_.descriptor(), F_DUPFD_CLOEXEC, 0),
                                     path.ends_with(".gz") ? 6 : 0)) {
  if (!packer_) fail("cannot be written");
}

void OutputFile::fail(std::string_view what) const {
  throw FileError("{}: {}: {}", file_.path(), what, std::strerror(errno));
}

void OutputFile::write(std::string_view text) {
  if (text.empty()) return;
  if (gzwrite(packer_.get(), text.data(), static_cast<unsigned>(text.size())) <= 0)
    fail("cannot be written to the end");
}

void OutputFile::commit() {
  if (gzclose(packer_.release()) != Z_OK) fail("cannot be written to the end");
  file_.commit();
}

std::string read_file(const std::string& path) {
  interchange::GzFile file(gzopen(path.c_str(), "rb"));
  if (!file) throw FileError("{} cannot be read: {}", path, std::strerror(errno));
  std::string text;
  char buffer[1 << 16];
  int count = 0;
  while ((count = gzread(file.get(), buffer, sizeof buffer)) > 0)
    text.append(buffer, static_cast<std::size_t>(count));
  if (count < 0 || gzclose_r(file.release()) != Z_OK)
    throw FileError("{} cannot be read to the end", path);
  return text;
}

}  // namespace notape::trace
