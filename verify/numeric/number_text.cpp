#include "verify/numeric/number_text.h"

#include <fmt/format.h>

#include "autograd/autograd.h"

namespace notape::verify {

std::string coordinates(const std::vector<int64_t>& sizes, std::size_t position) {
  std::vector<int64_t> index(sizes.size());
  auto rest = static_cast<int64_t>(position);
  for (std::size_t d = sizes.size(); d-- > 0;) {
    index[d] = rest % sizes[d];
    rest /= sizes[d];
  }
  return to_string(index);
}

std::string number_text(math::Wide value) {
  return number_text(static_cast<double>(value), kFloat64);
}

std::string number_text(double value, ScalarType dtype) {
  return fmt::format("{:.{}g}", value, dtype != kFloat64 ? 9 : 17);
}

std::string grouped(int64_t number) {
  std::string text = std::to_string(number);
  for (auto at = static_cast<std::ptrdiff_t>(text.size()) - 3; at > 0; at -= 3)
    text.insert(static_cast<std::size_t>(at), ",");
  return text;
}

std::string counted(int64_t number, std::string_view noun) {
  return fmt::format("{} {}{}", grouped(number), noun, number == 1 ? "" : "s");
}

}  // namespace notape::verify
