// Libraries that are installed beside libnotape and opened when first needed.
#pragma once
#include <string>

namespace notape {

/// Null if it cannot be opened; `error` then says why, in the system's words.
void* open_library(const char* file, std::string& error);

}  // namespace notape
