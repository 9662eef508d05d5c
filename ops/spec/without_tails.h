// WithoutTails: what a row declares whose derivative is not within a few units in the last place of
// the exact one out to where its numbers end, and need not be: a composition, whose terms cancel
// there. verify/ leaves out its check `tails` for it, and `notape verify list` says why.
#pragma once
#include <string_view>

namespace notape {

struct WithoutTails {
  std::string_view row;
  const char* reason;  ///< a part of a sentence: "its terms cancel where ..."
};

/// What the row of this name declares; null if it is held to the last places.
const WithoutTails* without_tails(std::string_view row);

/// Declares it, at namespace scope beside the row.
class RegisterWithoutTails {
 public:
  RegisterWithoutTails(WithoutTails declared);
  RegisterWithoutTails(const RegisterWithoutTails&) = delete;
  RegisterWithoutTails& operator=(const RegisterWithoutTails&) = delete;

 private:
  WithoutTails declared_;
};

}  // namespace notape
