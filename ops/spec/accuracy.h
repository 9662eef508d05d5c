// Accuracy: what a row declares whose numbers are not within the goal at every float: values within
// one unit in the last place, slopes within 2.5, second derivatives within 8. `notape verify
// exhaustive` measures them, prints the reason, and holds the row to what it declares.
#pragma once
#include <string_view>

namespace notape {

struct Accuracy {
  std::string_view row;
  double value = 1, slope = 2.5, second = 8;  ///< units in the last place
  const char* reason = "";                    ///< a part of a sentence
};

/// What the row of this name declares, or the goal.
const Accuracy& accuracy_of(std::string_view row);

/// Declares it, at namespace scope beside the row.
class RegisterAccuracy {
 public:
  RegisterAccuracy(Accuracy declared);
  RegisterAccuracy(const RegisterAccuracy&) = delete;
  RegisterAccuracy& operator=(const RegisterAccuracy&) = delete;

 private:
  Accuracy declared_;
};

}  // namespace notape
