// A part as text, on its way from a worker to the process that asked for it.
#pragma once
#include "verify/runner/part_run.h"

namespace notape::verify {

/// Certificates as in a bundle, after a line of the part's own.
std::string part_text(const Part& part, const Options& options);
/// What part_text() made of a part of this slice. Throws BadCertificate.
Part part_of(const std::string& text, const Slice& slice);

}  // namespace notape::verify
