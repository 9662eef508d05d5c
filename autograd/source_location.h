// SourceLocation: the user's line, which every operation, node and logged write knows. A stripped
// build (NOTAPE_PROVENANCE=OFF) has the same interface and knows operator names only.
#pragma once
#include "autograd/language.h"  // first

#include <cstdint>
#include <source_location>
#include <string>

#ifndef NOTAPE_PROVENANCE
#define NOTAPE_PROVENANCE 1
#endif

namespace notape {

inline constexpr bool kProvenance = NOTAPE_PROVENANCE;

#if NOTAPE_PROVENANCE
using SourceLocation = std::source_location;
#else
/// Nowhere. Empty, so that it takes neither a register nor memory.
struct SourceLocation {
  static constexpr SourceLocation current() noexcept { return {}; }
  constexpr const char* file_name() const noexcept { return ""; }
  constexpr const char* function_name() const noexcept { return ""; }
  constexpr uint32_t line() const noexcept { return 0; }
  constexpr uint32_t column() const noexcept { return 0; }
};
#endif

/// "file.cpp:12"; empty in a stripped build.
std::string place_of(const SourceLocation& at);
/// " at file.cpp:12", to follow a name; empty in a stripped build.
std::string at_place(const SourceLocation& at);

}  // namespace notape
