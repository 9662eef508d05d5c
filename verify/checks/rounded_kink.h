// Rounded kinks: a declared kink that a dtype may have no number for, as float32 has none for 0.1.
// A kernel's constant is then the nearest number, or one beside it where it is computed.
#pragma once
#include "verify/checks/argument_entry.h"

namespace notape::verify {

/// The numbers of the dtype in the domain that may be the kink: itself if it is one of them, else
/// the nearest number first, and those on both sides of that.
std::vector<double> numbers_on(double kink, ScalarType dtype, const Domain& domain);

/// Whether, as far as values of `subject` tell, slopes change right at `at`, a number of its dtype:
/// on the way there from the number below <v, f> goes as `below` says, and on to the next one as
/// `above` does. (Slopes are by the entry itself.)
bool is_break_of_values(const Subject& subject, const ArgumentEntry& entry, double at,
                        const Numbers& v, Wide below, Wide above);

}  // namespace notape::verify
