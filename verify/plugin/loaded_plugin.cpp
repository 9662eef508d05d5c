#include "verify/plugin/loaded_plugin.h"

#include <dlfcn.h>

#include <cstring>
#include <filesystem>
#include <set>
#include <span>
#include <system_error>

#include "verify/plugin/c_operator.h"
#include "verify/plugin/declaration.h"
#include "verify/plugin/plugin.h"

namespace notape::verify {
namespace {

constexpr std::size_t kMostOperators = 100000;
constexpr const char *kSymbol = "notape_plugin_v1", *kSymbol2 = "notape_plugin_v2",
                     *kSymbol3 = "notape_plugin_v3";

void* open_library(const std::string& file) {
  // A bare name would be looked for on the library path.
  const std::string path = file.find('/') == std::string::npos ? "./" + file : file;
  std::error_code failed;
  if (!std::filesystem::exists(path, failed)) {
    if (!failed) throw PluginError("there is no file '{}'", file);
    throw PluginError("'{}' cannot be looked for: {}", file, failed.message());
  }
  void* library = ::dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!library) throw PluginError("'{}' cannot be loaded: {}", file, ::dlerror());
  return library;
}

/// As a report names it: from the current directory on, if it is below it.
std::string place_of(const std::string& file) {
  std::error_code failed;
  const std::string here = std::filesystem::current_path(failed).string() + "/";
  return !failed && file.starts_with(here) ? file.substr(here.size()) : file;
}

bool same_text(const char* a, const char* b) { return a && std::strcmp(a, b) == 0; }

void check_tags(const std::string& file, const notape_plugin& plugin) {
  if (!same_text(plugin.compiler, kPluginCompiler))
    throw PluginError("'{}' was built with compiler '{}', this command with '{}'", file,
                      plugin.compiler ? plugin.compiler : "unknown", kPluginCompiler);
  if (!same_text(plugin.library, kPluginLibrary))
    throw PluginError("'{}' was built against '{}', this is '{}'", file,
                      plugin.library ? plugin.library : "unknown", kPluginLibrary);
  if (plugin.row_bytes != kPluginRowBytes)
    throw PluginError("'{}' has rows of {} bytes, this command of {}: another version of notape",
                      file, plugin.row_bytes, kPluginRowBytes);
}

template <typename Operator>
void add_operator(const std::string& file, const Operator& foreign,
                  std::vector<PluginRow>& result) {
  try {
    OpSpec row = row_of(foreign);
    result.push_back({std::move(row), place_of(foreign.file ? foreign.file : file), foreign.line});
  } catch (const ForeignOperatorError& error) {
    throw PluginError("'{}': {}", file, error.what_without_backtrace());
  }
}

void add_operators(const std::string& file, const notape_plugin& plugin,
                   std::vector<PluginRow>& result) {
  if (plugin.operator_count == 0) return;
  if (!plugin.operators) throw PluginError("'{}' declares operators that are nowhere", file);
  for (const notape_operator& foreign : std::span(plugin.operators, plugin.operator_count))
    add_operator(file, foreign, result);
}

void add_operators(const std::string& file, const notape_plugin2& plugin,
                   std::vector<PluginRow>& result) {
  std::vector<const notape_operator2*> operators;
  try {
    operators = operators_of(plugin);
  } catch (const ForeignOperatorError& error) {
    throw PluginError("'{}': {}", file, error.what_without_backtrace());
  }
  for (const notape_operator2* foreign : operators) add_operator(file, *foreign, result);
}

void add_rows(const std::string& file, const notape_plugin& plugin,
              std::vector<PluginRow>& result) {
  if (plugin.row_count == 0) return;
  if (!plugin.rows) throw PluginError("'{}' declares rows that are nowhere", file);
  check_tags(file, plugin);
  for (const OpSpec& row : std::span(static_cast<const OpSpec*>(plugin.rows), plugin.row_count)) {
    if (!is_name(row.name) || !is_name(row.family) || !row.draw)
      throw PluginError(
          "'{}' has a row without draw, or whose name or family is not letters, digits and _ . -",
          file);
    result.push_back({row, place_of(row.at.file_name()), row.at.line()});
  }
}

void check_version(const std::string& file, uint32_t theirs, uint32_t ours) {
  if (theirs != ours)
    throw PluginError("'{}' speaks version {} of the plugin interface, this command {}", file,
                      theirs, ours);
}

std::vector<PluginRow> rows_of(const std::string& file, const notape_plugin* plugin) {
  if (!plugin) throw PluginError("'{}': {} gives nothing", file, kSymbol);
  check_version(file, plugin->abi, NOTAPE_PLUGIN_ABI);
  if (plugin->operator_count > kMostOperators || plugin->row_count > kMostOperators)
    throw PluginError("'{}' declares absurdly many operators", file);
  std::vector<PluginRow> result;
  add_operators(file, *plugin, result);
  add_rows(file, *plugin, result);
  return result;
}

std::vector<PluginRow> rows_of(const std::string& file, const notape_plugin2* plugin,
                               const char* symbol, uint32_t version) {
  if (!plugin) throw PluginError("'{}': {} gives nothing", file, symbol);
  std::vector<PluginRow> result;
  check_version(file, plugin->abi, version);
  add_operators(file, *plugin, result);
  return result;
}

/// A function of the library; null if it exports none of this name.
template <typename Function>
Function* function_of(void* library, const char* symbol) {
  return reinterpret_cast<Function*>(::dlsym(library, symbol));  // NOLINT
}

}  // namespace

std::vector<PluginRow> load_plugin(const std::string& file) {
  void* library = open_library(file);
  std::vector<PluginRow> result;
  if (const auto entry = function_of<const notape_plugin2*()>(library, kSymbol3))
    result = rows_of(file, entry(), kSymbol3, NOTAPE_PLUGIN_ABI_3);
  else if (const auto second = function_of<const notape_plugin2*()>(library, kSymbol2))
    result = rows_of(file, second(), kSymbol2, NOTAPE_PLUGIN_ABI_2);
  else if (const auto first = function_of<const notape_plugin*()>(library, kSymbol))
    result = rows_of(file, first());
  else
    throw PluginError("'{}' is no plugin: it exports no {}, {} or {}", file, kSymbol3, kSymbol2,
                      kSymbol);
  if (result.empty()) throw PluginError("'{}' has no operators", file);
  std::set<std::string_view> names;
  for (const PluginRow& row : result)
    if (!names.insert(row.spec.name).second)
      throw PluginError("'{}' has two operators called '{}'", file, row.spec.name);
  return result;
}

}  // namespace notape::verify
