// ChromeRows: rows of a Chrome trace in the dialect of PyTorch's profiler, as text, one per line.
#pragma once
#include <fmt/format.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "trace/record/recording.h"

namespace notape::trace {

/// A slice as it is written; times are since the recording started.
struct SliceRow {
  EventKind kind;
  const char* name;   ///< lives as long as the process
  uint64_t step = 0;  ///< Step: its number
  int64_t tid = 0;
  int64_t begin_ns = 0, duration_ns = 0;
  int64_t sequence_nr = -1;  ///< of the node recorded or run; -1: none
  int64_t forward_tid = 0;   ///< Node: thread that ran the forward operator; 0: unknown
  bool unfinished = false;
  const std::vector<Operand>* operands = nullptr;
};

class ChromeRows {
 public:
  /// The rows that name this process and, by `add_thread`, its threads.
  void add_process();
  void add_thread(int64_t tid, std::string_view name);
  /// A node has two rows: what the engine does for it, and itself.
  void add_slice(const SliceRow& slice);
  /// Both ends of the arrow from an operator to the node that it recorded.
  void add_link(int64_t from_tid, int64_t from_ns, int64_t to_tid, int64_t to_ns);
  void add_memory(const RecordedMemory& memory, int64_t tid, int64_t time_ns);

  /// A row that is text already.
  void add_line(std::string_view row);

  /// This process, as rows have it.
  int64_t pid() const { return process_.pid; }
  /// The "External id" of the newest row of an operator or node.
  uint64_t operations() const { return operations_; }

  /// What was added since the last take().
  std::string_view text() const { return {text_.data(), text_.size()}; }
  void clear() { text_.clear(); }

 private:
  struct Process {
    Process();
    int64_t true_pid, pid;
  };

  template <typename... Parts>
  void line(fmt::format_string<Parts...> pattern, Parts&&... parts);

  void add_name(const char* what, int64_t tid, const std::string& arguments);
  void begin_slice(const char* category, std::string_view quoted_name, const SliceRow& slice);
  void add_operation(std::string_view quoted_name, const SliceRow& slice);
  /// As rows have it, and as the row of the engine's work for a node does.
  struct Names {
    std::string quoted, engine;
  };
  const Names& names_of(const char* name);

  std::unordered_map<const char*, Names> names_;
  fmt::memory_buffer text_;
  Process process_;
  bool is_first_ = true;
  uint64_t operations_ = 0, links_ = 0;
  int threads_ = 0;
};

/// The file up to its first row; keys that stand in `metadata` come before the rows.
std::string trace_head(const ClockPair& started, std::string_view metadata);
/// What follows the last row; `metadata` only if it was not in the head.
std::string trace_tail(std::string_view trace_name, std::string_view metadata);

}  // namespace notape::trace
