// Where the time of a recording went: one row per operator, node or range, by self time.
#pragma once
#include <ostream>

#include "trace/write/timeline.h"

namespace notape::trace {

struct SummaryRow {
  EventKind kind;
  std::string name;
  uint64_t calls = 0;
  int64_t self_ns = 0;    ///< without the slices inside
  int64_t median_ns = 0;  ///< of the self time of a call, which no single hiccup moves
  int64_t total_ns = 0;   ///< a slice inside one of the same name does not count again
};

/// Rows of all kinds but steps, longest self time first.
std::vector<SummaryRow> summarize(const Timeline& timeline);

/// The first `rows` of them as a table, and a line on what the recorder lost and cost.
void print_summary(std::ostream& out, const Recording& recording, const Timeline& timeline,
                   std::size_t rows = 15);

}  // namespace notape::trace
