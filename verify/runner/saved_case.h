// SavedCase: a case that can be run again, and the few characters that stand for it on a command
// line.
#pragma once
#include "verify/runner/certificate.h"

namespace notape::verify {

struct SavedCase {
  std::string op, dtype, device;
  std::string plugin = {};  ///< the whole path of the shared library; empty for a built-in operator
  std::string check = {};   ///< the one that failed
  std::string code = {};    ///< of the choices, of any length

  /// 'c' and eleven letters and digits, made of all but `check`.
  std::string id() const;
  /// The code, if it is short and says everything that a file would; else the id.
  std::string on_command_line() const;

  static constexpr std::size_t kMostCharacters = 12;
};

/// Whether a word can be the id of one: codes of choices begin with a digit.
bool is_case_id(std::string_view word);

SavedCase saved_case_of(const Certificate& certificate, const std::string& code);

}  // namespace notape::verify
