// For plugins written with notape: operators of one's own, checked by `notape verify
// plugin:FILE.so` without rebuilding notape. A plugin is a shared library that links notape::notape
// and says
//
//   #include <verify/plugin/plugin.h>
//   static const notape::OpSpec rows[] = {{.name = "swish", .family = "mine", .draw = ...,
//                                          .at = std::source_location::current()}};
//   const notape_plugin* notape_plugin_v1() {
//     static const notape_plugin plugin = notape::verify::plugin_of(rows);
//     return &plugin;
//   }
//
// A family of the library's ("elementwise", "reduce", ...) promises what the library promises of
// it: forward mode, and mixed types that give what explicit casts give. Any other promises neither.
// A row without `reference` is opaque: its own values in float64 are differenced, and the report
// says what was lost. Rows without `.at` all point at the first line of the array. `.order = 1` and
// `.forward_mode = false` say that an operator goes no further, which is then LIMIT and no failure.
#pragma once
#include "autograd/language.h"  // first

#include <span>

#include "ops/spec/op_spec.h"
#include "verify/plugin/c_abi.h"

namespace notape::verify {

/// What has to be the same on both sides for C++ objects to be passed across.
inline constexpr const char* kPluginCompiler = __VERSION__;
inline constexpr const char* kPluginLibrary =
    kProvenance ? "notape 0.1" : "notape 0.1 without provenance";

/// Both types that a row is made of.
inline constexpr std::size_t kPluginRowBytes = sizeof(OpSpec) + sizeof(OpCase);

/// The rows as a plugin, tagged with the compiler and the version of the headers that compiled this
/// call. The rows must live as long as the plugin.
inline notape_plugin plugin_of(std::span<const OpSpec> rows) {
  return {.abi = NOTAPE_PLUGIN_ABI,
          .operators = nullptr,
          .operator_count = 0,
          .rows = rows.data(),
          .row_count = rows.size(),
          .row_bytes = kPluginRowBytes,
          .compiler = kPluginCompiler,
          .library = kPluginLibrary};
}

}  // namespace notape::verify
