// Checks of what few programs do: third derivatives, writes after the call, one tensor in two
// places, very many entries, numbers of every size.
#pragma once
#include "verify/checks/subject.h"

namespace notape::verify {

// Each is defined in the file of its name.
Outcome check_third_order(const Subject& subject);
Outcome check_saved(const Subject& subject);
Outcome check_shared(const Subject& subject);
Outcome check_long(const Subject& subject);
Outcome check_tails(const Subject& subject);

}  // namespace notape::verify
