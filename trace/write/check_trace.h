// Whether a file keeps the rules of our trace dialect: required fields, order, nesting, flows.
#pragma once
#include <string>
#include <vector>

namespace notape::trace {

struct TraceCheck {
  std::size_t events = 0;
  std::size_t slices = 0;
  std::size_t flows = 0;                ///< complete pairs
  std::vector<std::string> complaints;  ///< one line each; empty if all is well
};

/// Throws FileError if the file cannot be read or is no JSON object.
TraceCheck check_trace(const std::string& path);

}  // namespace notape::trace
