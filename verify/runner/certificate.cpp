#include "verify/runner/certificate.h"

#include <fmt/format.h>

namespace notape::verify {

std::string id_of(const Certificate& certificate) {
  return fmt::format("{}/{}/{}/{}", certificate.spec->name, certificate.check,
                     name_of(certificate.dtype), to_string(certificate.device));
}

std::string replay_command(const Certificate& certificate, const std::string& code) {
  return fmt::format(
      "notape verify run {} --dtype {}{} --case {}", certificate.spec->name,
      name_of(certificate.dtype),
      certificate.device.is_cpu() ? "" : " --device " + to_string(certificate.device), code);
}

}  // namespace notape::verify
