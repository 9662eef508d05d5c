#include "trace/thread_rows.h"

#include <algorithm>
#include <bit>

namespace notape::trace {
namespace {

constexpr uint64_t kOfAccumulators = UINT64_MAX;  // what accumulators have instead of a number

}  // namespace

int64_t RecordedNodes::claim(uint64_t first, uint64_t end, int64_t begin_ns) {
  if (first >= end) return -1;
  first = std::max(first, end - std::min<uint64_t>(end, kMost));
  if (claims_.size() < kMost && claims_.size() < end - first + claims_.size() / 2) {
    std::vector<Claim> larger(std::clamp<std::size_t>(std::bit_ceil(2 * (end - first)), 64, kMost));
    if (larger.size() > claims_.size()) {
      for (const Claim& claim : claims_)
        if (claim.number != UINT64_MAX) larger[claim.number % larger.size()] = claim;
      claims_ = std::move(larger);
    }
  }
  int64_t got = -1;
  for (uint64_t number = first; number < end; ++number) {
    Claim& claim = claims_[number % claims_.size()];
    if (claim.number == number) continue;
    claim = {number, begin_ns};
    if (got < 0) got = static_cast<int64_t>(number);
  }
  return got;
}

int64_t RecordedNodes::begin_of(uint64_t number) const {
  if (claims_.empty()) return -1;
  const Claim& claim = claims_[number % claims_.size()];
  return claim.number == number ? claim.begin_ns : -1;
}

void ThreadRows::read(int64_t zero_ns, ChromeRows& rows, TraceTotals& totals,
                      std::vector<NodeRow>& nodes) {
  if (!log_) return;
  const EventLog& log = *log_;
  const uint64_t end = log.end();
  if (log.begin() == end) return;
  if (!is_named_) rows.add_thread(tid(), log.name());
  is_named_ = true;
  for (uint64_t i = log.begin(); i < end; ++i) {
    switch (replay_.take(log[i])) {
      case Replay::Seen::Begin:
        begin(replay_.open().back().begin_ns - zero_ns, totals);
        break;
      case Replay::Seen::End:
        this->end(replay_.ended(), replay_.ended().end_ns - zero_ns, false, rows, totals, nodes);
        break;
      case Replay::Seen::Memory:
        rows.add_memory(replay_.memory(), tid(),
                        std::max<int64_t>(replay_.memory().time_ns - zero_ns, 0));
        break;
      case Replay::Seen::Nothing:
        break;
    }
  }
  log_->free(end);
}

void ThreadRows::release_if_gone() {
  constexpr long kOurs = 1, kRecorders = 1;
  if (!log_ || log_.use_count() > kOurs + kRecorders || log_->begin() != log_->end()) return;
  dropped_ = log_->dropped();
  log_.reset();
}

void ThreadRows::finish(int64_t end_ns, ChromeRows& rows, TraceTotals& totals,
                        std::vector<NodeRow>& nodes) {
  for (std::size_t i = replay_.open().size(); i-- > 0;)
    end(replay_.open()[i], end_ns, true, rows, totals, nodes);
}

void ThreadRows::begin(int64_t time_ns, TraceTotals& totals) {
  totals.clipped += time_ns < free_from_;
  free_from_ = std::max(time_ns, free_from_);
  open_.push_back({free_from_});
}

/// No slice is empty, siblings do not overlap, a parent covers its children.
void ThreadRows::end(const Event& event, int64_t time_ns, bool unfinished, ChromeRows& rows,
                     TraceTotals& totals, std::vector<NodeRow>& nodes) {
  const Open open = open_.back();
  open_.pop_back();
  const int64_t end = std::max({time_ns, open.begin_ns + 1, open.covered_ns});
  totals.clipped += end != time_ns;
  totals.unfinished += unfinished;
  ++totals.events;
  free_from_ = end;
  if (!open_.empty()) open_.back().covered_ns = end;
  SliceRow row{event.kind, event.name};
  row.step = event.number;
  row.tid = tid();
  row.begin_ns = open.begin_ns;
  row.duration_ns = end - open.begin_ns;
  row.unfinished = unfinished;
  row.operands = &event.operands;
  if (event.kind == EventKind::Operator)
    row.sequence_nr =
        nodes_.claim(event.number, event.number + event.nodes_recorded, open.begin_ns);
  if (event.kind == EventKind::Node && event.number != kOfAccumulators) {
    row.sequence_nr = static_cast<int64_t>(event.number);
    nodes.push_back({event.recorded_by, event.number, tid(), open.begin_ns});
  }
  rows.add_slice(row);
}

}  // namespace notape::trace
