#include "verify/report/environment.h"

#include <fmt/format.h>
#include <gnu/libc-version.h>

#include <algorithm>
#include <fstream>
#include <nlohmann/json.hpp>

#include "ops/cpu/blas_description.h"
#include "ops/parallel.h"
#include "verify/numeric/rounding_modes.h"

namespace notape::verify {
namespace {

std::string processor() {
  std::ifstream file("/proc/cpuinfo");
  for (std::string line; std::getline(file, line);)
    if (line.starts_with("model name"))
      if (const auto at = line.find(": "); at != std::string::npos) return line.substr(at + 2);
  return "unknown";
}

template <typename... Parts>
std::string version(Parts... parts) {
  std::string text;
  ((text += (text.empty() ? "" : ".") + std::to_string(parts)), ...);
  return text;
}

Environment look_around() {
  return {{"notape", NOTAPE_VERSION},
          {"commit", NOTAPE_COMMIT},
          {"compiler", __VERSION__},
          {"flags", NOTAPE_COMPILE_FLAGS},
          {"contraction", "off"},
          {"fast_math", "off"},
          {"tf32", "off"},
          {"reference", "binary128"},
          {"cpu", processor()},
          {"threads", std::to_string(get_num_threads())},
          {"openblas", blas::description()},
          {"glibc", ::gnu_get_libc_version()},
          {"fmt", version(FMT_VERSION / 10000, FMT_VERSION / 100 % 100, FMT_VERSION % 100)},
          {"nlohmann_json", version(NLOHMANN_JSON_VERSION_MAJOR, NLOHMANN_JSON_VERSION_MINOR,
                                    NLOHMANN_JSON_VERSION_PATCH)}};
}

const std::string* find(const Environment& environment, const std::string& name) {
  const auto found = std::find_if(environment.begin(), environment.end(),
                                  [&](const auto& one) { return one.first == name; });
  return found == environment.end() ? nullptr : &found->second;
}

}  // namespace

const Environment& environment() {
  static const Environment found = look_around();
  return found;
}

Environment environment_on(Device device) {
  Environment result = environment();
  result.emplace_back("rounding_modes", modes_text(device));
  return result;
}

std::string value_of(const Environment& environment, const std::string& name) {
  const std::string* found = find(environment, name);
  return found ? *found : "unknown";
}

std::vector<std::string> differences(const Environment& then, const Environment& now) {
  std::vector<std::string> lines;
  for (const auto& [name, value] : then) {
    const std::string* other = find(now, name);
    if (!other || *other != value)
      lines.push_back(fmt::format("{}: {} then, {} now", name, value, other ? *other : "nothing"));
  }
  for (const auto& [name, value] : now)
    if (!find(then, name)) lines.push_back(fmt::format("{}: nothing then, {} now", name, value));
  return lines;
}

}  // namespace notape::verify
