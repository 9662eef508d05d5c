// Certificates as SARIF 2.1.0, for code scanning: what is not green becomes a result at the line of
// the operator's row, ruled by "verdict/blame", with the check's id as its fingerprint.
#pragma once
#include "verify/report/record.h"

namespace notape::verify {

std::string sarif_json(const std::vector<Record>& records, const Gates& gates = {});

}  // namespace notape::verify
