// What stands in the text of headers and of operators' files.
#pragma once
#include <string>
#include <vector>

#include "verify/catalogue/sources.h"

namespace notape::verify::catalogue {

struct Declaration {
  std::string name;           ///< "scatter_"
  std::string signature;      ///< on one line, without the user's place
  std::string doc;            ///< of the comment above it, or above those it stands with
  bool is_below_doc = false;  ///< itself, or another form of its name
};

enum class Of { Functions, Members };
/// Functions of namespace notape in a header, or members of its classes.
std::vector<Declaration> declarations_in(std::string_view header, Of of = Of::Functions);

/// What the file of an operator says about it.
struct OperatorFile {
  std::string comment;                   ///< at its head: the formula
  std::vector<std::string> functions;    ///< defined in it
  std::vector<std::string> derivatives;  ///< statements, as they are
};
OperatorFile read_operator_file(std::string_view text);

}  // namespace notape::verify::catalogue
