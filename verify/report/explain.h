// The story of one certificate in plain sentences.
#pragma once
#include "verify/report/record.h"

namespace notape::verify {

std::string explain(const Record& record);

}  // namespace notape::verify
