// A shared library with operators in it, loaded: rows like those of the registry.
#pragma once
#include <string>
#include <vector>

#include "autograd/error.h"
#include "ops/spec/op_spec.h"

namespace notape::verify {

/// A plugin that cannot be used, and why: no such file, not a plugin, another version or compiler,
/// a row that makes no sense.
struct PluginError : ErrorOf<"PluginError"> {
  using ErrorOf::ErrorOf;
};

/// An operator of a plugin and where its derivative is written.
struct PluginRow {
  OpSpec spec;
  std::string file;
  int64_t line = 0;
};

/// Loads `file`, runs its static constructors and checks what it declares. Nothing of it is called
/// yet beyond notape_plugin_v1(). Throws PluginError. The library is never unloaded: rows hold
/// pointers into it. Whoever does not trust the plugin calls this in a child (contained_plugin.h).
std::vector<PluginRow> load_plugin(const std::string& file);

}  // namespace notape::verify
