// Entry: all that is known of one function or operator without calling it. Functions and rows of
// the registry meet by name.
#pragma once
#include "ops/spec/op_spec.h"
#include "verify/catalogue/declarations.h"

namespace notape::verify::catalogue {

struct Entry {
  std::string name;  ///< LibTorch's, without the underscore of an in-place form
  /// LibTorch's: with the underscore where there is no other form.
  std::string called() const;
  std::string family;                               ///< the header's: "elementwise", "factories"
  std::vector<std::string> signatures;              ///< of functions of its name
  std::vector<std::string> in_place, out, members;  ///< signatures of other forms
  /// Of the function that a row without one of its name is a form of: max(self, dim) of "max_dim".
  std::vector<std::string> belongs_to;
  /// How to call it: the first of these that there are.
  const std::vector<std::string>& shown() const;
  std::string doc;                       ///< of the declaration
  std::string file;                      ///< where it is defined; empty if nowhere
  std::string formula;                   ///< at the head of that file
  std::vector<std::string> derivatives;  ///< statements of that file
  const OpSpec* row = nullptr;  ///< of its name; null for functions that are not verified alone
  std::vector<std::string> devices;  ///< of its kernels: "cpu", "cuda"; empty if it has none

  /// "own rule", "of its parts", "none"
  std::string derivative() const;
};

/// By family and name.
const std::vector<Entry>& entries();
/// Throws UnknownOperator with a suggestion.
const Entry& find_entry(const std::string& name);

}  // namespace notape::verify::catalogue
