#include "verify/runner/location.h"

namespace notape::verify {

std::string file_of(const std::source_location& at) {
  const std::string_view file = at.file_name();
  for (std::string_view room : {"/ops/", "/verify/", "/autograd/", "/cuda/"})
    if (const auto found = file.rfind(room); found != std::string_view::npos)
      return std::string(file.substr(found + 1));
  return std::string(file);
}

std::string location_text(const std::source_location& at) {
  return file_of(at) + ":" + std::to_string(at.line());
}

}  // namespace notape::verify
