// Source locations as people and tools want them: from the project's root on.
#pragma once
#include <string>

#include "autograd/error.h"

namespace notape::verify {

/// "ops/elementwise/tanh.cpp"
std::string file_of(const SourceLocation& at);
/// "ops/elementwise/tanh.cpp:31"
std::string location_text(const SourceLocation& at);

}  // namespace notape::verify
