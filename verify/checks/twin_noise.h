// Noise of C operators against their reference, which sees what other rounding modes do not:
// roundings of two terms that cancel may all go the same way (those of pow, which rounds as it
// does). How errors scatter over points nearby is noise if they do in the other dtype, too, as its
// precision has it: a rule that rounds to fewer digits has no such excuse, and an error that is the
// same at all points is no scatter.
#pragma once
#include "verify/checks/subject.h"

namespace notape::verify {

/// The errors of some numbers of an operator at one of the points.
using ErrorsAt = std::function<Numbers(const Subject& subject, const NoisePoint& point)>;

/// The noise in each of them at the subject's own point, as far as it has that excuse.
Numbers excused_scatter(const Subject& subject, const ErrorsAt& errors);

/// The arguments at the point; its numbers are those of the dtype of `subject`.
WideList wide_at(const Subject& subject, const NoisePoint& point);

}  // namespace notape::verify
