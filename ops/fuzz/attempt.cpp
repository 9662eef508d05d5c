#include <cctype>

#include "ops/fuzz/target.h"
#include "ops/ops.h"
#include "ops/spec/testing/snapshot.h"

namespace notape::fuzz {
namespace {

/// "name: what is wrong"
bool names_an_operator(const std::string& message) {
  const std::size_t end = message.find(": ");
  if (end == message.npos || end == 0) return false;
  for (std::size_t i = 0; i < end; ++i)
    if (!std::isalnum(static_cast<unsigned char>(message[i])) && message[i] != '_') return false;
  return true;
}

void check_error(const Error& error, const std::string& called) {
  if (error.kind() == std::string_view("Error"))
    throw Failure{format_message("throws an Error of no class: {}", {error.what()})};
  const std::string& message = error.what_without_backtrace();
  const bool of_sizes = message.find("is too large") != message.npos;
  if (of_sizes && names_an_operator(message) && !called.empty() &&
      !called.starts_with(message.substr(0, message.find(": "))))  // as that of an out form
    throw Failure{format_message("blames an operator that nobody called: {}", {message})};
  // Raised below every operator: memory, and counts of elements that are no number.
  if (dynamic_cast<const OutOfMemory*>(&error) || of_sizes) return;
  if (!names_an_operator(message))
    throw Failure{format_message("throws {} without saying who: {}", {error.kind(), message})};
}

/// Not what expand() shows a billion times.
bool can_be_read(const Tensor& result) { return result.defined() && result.numel() < 1 << 22; }

/// All entries, so that a sanitizer sees a result beyond its memory.
void read(const Tensor& result) {
  if (can_be_read(result)) static_cast<void>(result.detach().to(kFloat64).sum().item());
}

void differentiate(const variable_list& results) {
  Tensor sum;
  for (const Tensor& result : results) {
    if (!can_be_read(result) || !result.requires_grad()) continue;
    const Tensor one = result.to(kFloat64).sum();
    sum = sum.defined() ? sum + one : one;
  }
  if (sum.defined()) sum.backward();
}

}  // namespace

void attempt(const variable_list& arguments, bool writes,
             const std::function<variable_list()>& call, const std::string& called) {
  const testing::Snapshot before(arguments);
  const auto changed = [&] { return before.change_of(arguments); };
  variable_list results;
  try {
    results = call();
  } catch (const Error& error) {
    check_error(error, called);
    if (const std::string what = changed(); !what.empty())
      throw Failure{format_message("throws {} and has changed {}: {}",
                                   {error.kind(), what, error.what_without_backtrace()})};
    return;
  } catch (const std::exception& error) {
    throw Failure{format_message("throws what is no Error: {}", {error.what()})};
  }
  if (const std::string what = changed(); !writes && !what.empty())
    throw Failure{"changes " + what};
  if (results.size() > 64) results.resize(64);  // of a million chunks
  for (const Tensor& result : results) read(result);
  try {
    differentiate(results);
  } catch (const Error&) {  // says what it refuses: values that were overwritten, orders, devices
  } catch (const std::exception& error) {
    throw Failure{format_message("backward throws what is no Error: {}", {error.what()})};
  }
}

}  // namespace notape::fuzz
