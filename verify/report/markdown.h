// A run in Markdown: counts, failures, the largest error that could have been missed per operator,
// the slowest ten. Fits a job summary.
#pragma once
#include "verify/report/record.h"

namespace notape::verify {

std::string markdown(const std::vector<Record>& records, const Gates& gates = {});

}  // namespace notape::verify
