// Numbers in hexadecimal, exactly.
#pragma once
#include <string>

#include "verify/numeric/wide_case.h"

namespace notape::verify {

/// "0x1.8p+0"; "nan", "inf", "-inf".
std::string hex(double value);
std::string hex(Wide value);

}  // namespace notape::verify
