// A run as one HTML page that needs nothing else: no server, no network. Failures come first, then
// a row per operator with its power, its checks and the ladder behind each derivative.
#pragma once
#include "verify/report/record.h"

namespace notape::verify {

std::string html_page(const std::vector<Record>& records, const Gates& gates = {});

}  // namespace notape::verify
