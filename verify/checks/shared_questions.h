// Checks and conditions that more than one file asks. All checks are in the table of check.cpp.
#pragma once
#include "verify/checks/subject.h"

namespace notape::verify {

/// `sizes` asks them again, of longer cases.
Outcome check_value(const Subject& subject);
Outcome check_reverse(const Subject& subject);

// `reverse`, for operators without a reference.
Outcome check_opaque_reverse(const Subject& subject);
/// Whether the gradient is wrong along u, beyond doubt and away from kinks.
bool is_wrong_along(const Subject& subject, const Direction& u);
Evidence opaque_reverse_evidence(const Subject& subject, int which);

/// `long`, for functions of users.
Outcome check_long_functions(const Subject& subject);
Outcome check_kinks(const Subject& subject);
Outcome check_tails(const Subject& subject);

/// Whether the result is NaN inside the domain: what stays NaN looks as if it stood still, and has
/// no slope.
bool is_nan_inside_domain(const Subject& subject);
/// Whether a user's Function<T> or C operator is behind the result, and not only the library's
/// operators, which are checked by themselves.
bool has_function_of_users(const Subject& subject);
/// Whether somebody has put a hook on the gradient of a tensor that requires grad.
bool has_hooks(const Tensor& tensor);
/// Whether its gradient is declared not to be the derivative (verify/plugin/declared_call.h).
bool has_surrogate(const Subject& subject);
/// Whether `sizes` has a longer case of the subject's operator to look at.
bool can_be_longer(const Subject& subject);

}  // namespace notape::verify
