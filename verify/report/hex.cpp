#include "verify/report/hex.h"

#include <fmt/format.h>
#include <quadmath.h>

namespace notape::verify {

std::string hex(double value) { return fmt::format("{:a}", value); }

std::string hex(Wide value) {
  char text[64];
  quadmath_snprintf(text, sizeof text, "%Qa", value);
  return text;
}

}  // namespace notape::verify
