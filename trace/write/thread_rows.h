// ThreadRows: the records of one thread, while they come, as rows: slices that nest strictly, and
// the nodes that its operators recorded.
#pragma once
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "trace/record/replay.h"
#include "trace/write/chrome_rows.h"
#include "trace/write/trace_metadata.h"

namespace notape::trace {

/// When the operators began that recorded the nodes of a thread: of the latest 32,768 nodes.
class RecordedNodes {
 public:
  /// Nodes from `first` up to `end` were recorded by the operator that began then, as far as no
  /// inner one has claimed them. Returns the first that it gets, or -1.
  int64_t claim(uint64_t first, uint64_t end, int64_t begin_ns);
  /// -1: it is not known.
  int64_t begin_of(uint64_t number) const;

 private:
  static constexpr std::size_t kMost = 1 << 15;
  static constexpr uint64_t kNoNumber = UINT64_MAX;
  struct Claim {
    uint64_t number = kNoNumber;
    int64_t begin_ns = 0;
  };
  Claim& claim_of(uint64_t number) { return claims_[number % claims_.size()]; }
  void grow();

  std::vector<Claim> claims_ = std::vector<Claim>(64);  // by number, modulo the size
};

/// A node with an operator that is still to be found.
struct NodeRow {
  uint32_t recorded_by;
  uint64_t number;
  int64_t tid, begin_ns;
};

/// What the rows of all threads share.
struct StreamedRows {
  ChromeRows rows;
  TraceTotals totals;
  std::vector<NodeRow> nodes;
  std::map<uint32_t, int64_t> tids;  ///< of threads, by number
  int64_t zero_ns = 0;               ///< when the recording started
};

class ThreadRows {
 public:
  explicit ThreadRows(std::shared_ptr<EventLog> log) : tid_(log->tid()), log_(std::move(log)) {}

  int64_t tid() const { return tid_; }
  const RecordedNodes& nodes() const { return nodes_; }
  uint64_t dropped() const { return log_ ? log_->dropped() : dropped_; }

  /// Reads what the log has now, and frees it there.
  void read(StreamedRows& to);
  /// Lets the log go if it has been read and its thread is gone, so that only the recorder has it.
  void release_if_gone();
  /// After the recording, at `end_ns` since it began: rows of what still runs.
  void finish(int64_t end_ns, StreamedRows& to);

 private:
  struct Open {
    int64_t begin_ns;
    int64_t covered_ns = 0;  // until where its children reach
  };
  void begin(int64_t time_ns, StreamedRows& to);
  void end(const Event& event, int64_t time_ns, bool unfinished, StreamedRows& to);

  int64_t tid_;
  uint64_t dropped_ = 0;
  std::shared_ptr<EventLog> log_;  // null once its thread is gone
  Replay replay_;
  std::vector<Open> open_;
  int64_t free_from_ = 0;
  RecordedNodes nodes_;
  bool is_named_ = false;
};

}  // namespace notape::trace
