#include "verify/schedule/part_text.h"

#include <fmt/format.h>

#include <sstream>

#include "verify/report/json.h"

namespace notape::verify {

std::string part_text(const Part& part, const Options& options) {
  return fmt::format("{} {}\n", part.cases, part.seconds) +
         bundle_json(records_of(part.certificates, options));
}

Part part_of(const std::string& text, const Slice& slice) {
  Part part;
  part.spec = slice.spec;
  part.dtype = slice.dtype;
  const std::size_t end = text.find('\n') + 1;
  std::istringstream(text.substr(0, end)) >> part.cases >> part.seconds;
  if (end == text.size()) return part;  // no check was for it
  for (Record& record : parse_bundle(std::string_view(text).substr(end), "a worker's answer"))
    part.certificates.push_back(certificate_of(std::move(record), *slice.spec));
  return part;
}

}  // namespace notape::verify
