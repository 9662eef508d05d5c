// Certificates as JUnit XML: an operator is a suite, a check a test case; red is a failure,
// undecided is skipped.
#pragma once
#include "verify/runner/runner.h"

namespace notape::verify {

std::string junit_xml(const std::vector<Certificate>& certificates);

}  // namespace notape::verify
