#include "paper_examples/support/report.h"

#include "ops/ops.h"

namespace notape::paper {
namespace {

/// `text` with four blanks before every line.
std::string indented(const std::string& text) {
  std::string result = "    ";
  for (char c : text) {
    result += c;
    if (c == '\n') result += "    ";
  }
  return result;
}

}  // namespace

void Report::add(const std::string& expected, const std::string& seen, bool agree) {
  const char* separator = expected_.empty() ? "" : ", ";
  expected_ += separator + expected;
  seen_ += separator + seen;
  agree_ = agree_ && agree;
}

int Report::conclude(std::ostream& out) const {
  fmt::print(out, "\nexpected: {}; seen: {}\n", expected_, seen_);
  return agree_ ? 0 : 1;
}

std::string kind_of_error(std::ostream& out, const std::function<void()>& statement) {
  try {
    statement();
  } catch (const Error& error) {
    fmt::print(out, "{}\n", indented(fmt::format("{}: {}", error.kind(), error.what())));
    return error.kind();
  }
  fmt::print(out, "    (no error)\n");
  return "no error";
}

std::string in_one_line(const Tensor& tensor) {
  if (!tensor.defined()) return "undefined";
  const Unobserved printing;
  const NoGradGuard no_grad;
  const Tensor values = tensor.reshape({-1});
  std::string text;
  for (int64_t i = 0; i < values.numel(); ++i)
    text += fmt::format("{}{:.4g}", i == 0 ? "" : ", ", values[i].item());
  return "[" + text + "]";
}

}  // namespace notape::paper
