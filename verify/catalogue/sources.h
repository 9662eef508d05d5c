// The declarations and files of the operators, as they were when the program was built: where
// signatures, formulas and derivatives stand is in the source, and nowhere else.
#pragma once
#include <span>
#include <string_view>

namespace notape::verify::catalogue {

struct Source {
  std::string_view path;  ///< "ops/elementwise/tanh.cpp"
  std::string_view text;
};

/// ops/*.h and other headers of functions and members, files of operators, and those of GPU
/// kernels. Made by cmake/embed_sources.cmake.
std::span<const Source> sources();

}  // namespace notape::verify::catalogue
