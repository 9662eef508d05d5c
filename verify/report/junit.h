// Certificates as JUnit XML: an operator is a suite, a check a test case; red is a failure,
// yellow is skipped.
#pragma once
#include "verify/report/record.h"

namespace notape::verify {

std::string junit_xml(const std::vector<Record>& records, const Gates& gates = {});

}  // namespace notape::verify
