// Source locations as people and tools want them: from the project's root on.
#pragma once
#include <string>

#include "autograd/error.h"

namespace notape::verify {

/// "ops/elementwise/tanh.cpp"
std::string file_of(const std::source_location& at);
/// "ops/elementwise/tanh.cpp:31"
std::string location_text(const std::source_location& at);

}  // namespace notape::verify
