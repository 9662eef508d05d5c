// ContainedPlugin: the operators of an untrusted shared library. The library is loaded
// in child processes only, so that whatever it does there, this process stays as it is.
#pragma once
#include <deque>

#include "verify/plugin/loaded_plugin.h"
#include "verify/processes/child.h"
#include "verify/runner/runner.h"

namespace notape::verify {

class ContainedPlugin {
 public:
  /// Asks the library what it has, or Shards that are merged. Throws PluginError if it cannot be
  /// used.
  ContainedPlugin(const std::string& file, const ChildLimits& limits);

  /// Its operators; they can be named and chosen from, but not called.
  SpecList rows() const;
  const Origin& origin_of(const OpSpec& spec) const { return row_of(spec).origin; }
  /// Replaces the types of `options` by those that the operators declare if `any_dtype`. Throws
  /// PluginError, one line, for a type or device that none of them declares.
  void settle(const SpecList& specs, bool any_dtype, Options& options) const;
  /// As run() in schedule/run.h. A row that crashes, hangs or leaves is one ERROR, and the others
  /// still run. Certificates point into this object.
  std::vector<Certificate> run(const SpecList& specs, const Options& options,
                               Listener& listener) const;

 private:
  struct Row {
    std::string name, family;
    Origin origin;
    OpSpec spec;
    std::vector<ScalarType> dtypes = {};  // that it declares; none: any
    bool on_cuda = false;
  };
  const Row& row_of(const OpSpec& spec) const;
  std::string dtypes_text(const OpSpec& spec) const;
  /// The answer of a worker: lines of wire.h.
  std::string run_row(const Row& row, const Options& options) const;
  std::vector<Part> with_crash(const Row& row, const Options& options, std::vector<Part> parts,
                               const ChildEnd& end) const;
  Certificate crash_of(const Row& row, const Options& options, const ChildEnd& end) const;

  std::string file_;
  ChildLimits limits_;
  std::deque<Row> rows_;
};

using PluginWork = std::function<std::string(const std::vector<PluginRow>& rows)>;
/// `work` on the loaded plugin, done in a child; what it returns is what the child says. Throws
/// PluginError if there is an error instead.
ChildEnd run_in_plugin(const std::string& file, const ChildLimits& limits, const PluginWork& work);
/// What `work` says. Throws PluginError for a crash, too.
std::string ask_plugin(const std::string& file, const ChildLimits& limits, const PluginWork& work);

/// "it crashed (SIGSEGV)", "it gave no answer within 60 s": how a child ended that did not finish.
/// `when` goes before what memory has to do with it.
std::string describe(const ChildEnd& end, const ChildLimits& limits, const std::string& when = "");

}  // namespace notape::verify
