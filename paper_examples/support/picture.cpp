#include "paper_examples/support/picture.h"

#include <fmt/ostream.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "autograd/error.h"
#include "autograd/interchange/output_file.h"

namespace notape::paper {

void make_picture_folder(const ExampleOptions& options) {
  if (options.pictures.empty()) return;
  std::error_code error;
  std::filesystem::create_directories(options.pictures, error);
  const std::string name = options.pictures.string();
  if (error) throw FileError("{}: cannot be made a folder: {}", name, error.message());
  if (::access(name.c_str(), W_OK | X_OK) != 0)
    throw FileError("{}: cannot be written to: {}", name, std::strerror(errno));
}

void write_picture(std::ostream& out, const ExampleOptions& options, const std::string& name,
                   const std::string& of_what, const std::function<std::string()>& make) {
  if (options.pictures.empty()) {
    fmt::print(out, "\nPicture: --out FOLDER writes {}, {}.\n", name, of_what);
    return;
  }
  make_picture_folder(options);
  const std::string path = (options.pictures / name).string();
  interchange::OutputFile file(path);
  file.write(make());
  file.commit();
  fmt::print(out, "\nPicture: {}, {}.\n", path, of_what);
}

}  // namespace notape::paper
