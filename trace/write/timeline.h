// Timeline: a recording made readable. Slices nest strictly on each thread, know the node they
// recorded, and are linked from each backward node to the operator that recorded it.
#pragma once
#include "trace/record/recording.h"

namespace notape::trace {

struct Slice {
  EventKind kind;
  const char* name;
  uint64_t step = 0;       ///< Step: its number
  std::size_t thread = 0;  ///< position in Timeline::threads
  int64_t begin_ns = 0;    ///< since the recording started
  int64_t end_ns = 0;      ///< at least one more
  int64_t parent = -1;     ///< position of the enclosing slice
  int64_t children_ns = 0;
  /// Of the node that the operator recorded or that ran here; -1: none.
  int64_t sequence_nr = -1;
  int64_t forward_tid = 0;  ///< Node: thread that ran the forward operator; 0: unknown
  bool unfinished = false;  ///< still running when the recording stopped
  std::vector<Operand> operands = {};

  int64_t duration_ns() const { return end_ns - begin_ns; }
  int64_t self_ns() const { return duration_ns() - children_ns; }
};

struct ThreadRow {
  int64_t tid = 0;
  std::string name;
  uint64_t dropped = 0;
};

/// A backward node and the operator that recorded it, as positions of slices.
struct BackwardLink {
  std::size_t forward;
  std::size_t backward;
};

struct Timeline {
  std::vector<ThreadRow> threads;
  std::vector<Slice> slices;  ///< by thread, then in the order in which they began
  std::vector<BackwardLink> links;
  uint64_t unfinished = 0;
  uint64_t clipped = 0;  ///< slices moved by a few ns so that all nest and none is empty
};

Timeline make_timeline(const Recording& recording);

}  // namespace notape::trace
