// Any trace in our dialect: today's categories, integer ids, times in us from a base with three
// decimals, an event a line, complete flows, and counters of queues and memory.
#pragma once
#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "trace/model/trace_model.h"

namespace notape::trace {

struct ConvertOptions {
  std::set<std::string> categories;              ///< today's names of those to keep; empty: all
  std::optional<int64_t> first_step, last_step;  ///< only what these steps run and launch
  /// Also the keys beside the events that we do not know. Public traces carry names of users and
  /// machines and whole environments there.
  bool keep_metadata = false;
  std::optional<std::size_t> process;  ///< only what is of it, in a file of several
};

struct Converted {
  uint64_t read = 0, written = 0;
  uint64_t without_time = 0;    ///< left out: no usable time
  uint64_t bad_arguments = 0;   ///< with "args" of which JSON cannot spell some, which are left out
  uint64_t lost_arguments = 0;  ///< the number of these
  std::vector<std::string> examples = {};  ///< a few of them: `"x": inf of aten::mul`
};

/// Reads the file in several passes with bounded memory for its events; they stay in the file's
/// order. `to` ends in .json or .json.gz and appears whole or not at all. Throws FileError;
/// ValueError for a step that there is not, a category that no event has, or another name of a
/// file.
Converted convert(const std::string& from, const std::string& to, const ConvertOptions& options,
                  const LoadOptions& load_options = {});

}  // namespace notape::trace
