#include "trace/write/thread_rows.h"

#include <algorithm>

namespace notape::trace {
namespace {

constexpr uint64_t kOfAccumulators = UINT64_MAX;  // what accumulators have instead of a number

}  // namespace

int64_t RecordedNodes::claim(uint64_t first, uint64_t end, int64_t begin_ns) {
  int64_t got = -1;
  for (uint64_t number = end - std::min<uint64_t>(end - first, kMost); number < end; ++number) {
    if (claim_of(number).number == number) continue;
    while (claim_of(number).number != kNoNumber && claims_.size() < kMost) grow();
    claim_of(number) = {number, begin_ns};
    if (got < 0) got = static_cast<int64_t>(number);
  }
  return got;
}

void RecordedNodes::grow() {
  std::vector<Claim> old(2 * claims_.size());
  old.swap(claims_);
  for (const Claim& claim : old)
    if (claim.number != kNoNumber) claim_of(claim.number) = claim;
}

int64_t RecordedNodes::begin_of(uint64_t number) const {
  const Claim& claim = claims_[number % claims_.size()];
  return claim.number == number ? claim.begin_ns : -1;
}

void ThreadRows::read(StreamedRows& to) {
  if (!log_) return;
  const EventLog& log = *log_;
  const uint64_t end = log.end();
  if (log.begin() == end) return;
  if (!is_named_) to.rows.add_thread(tid(), log.name());
  is_named_ = true;
  for (uint64_t i = log.begin(); i < end; ++i) {
    switch (replay_.take(log[i])) {
      case Replay::Seen::Begin:
        begin(replay_.open().back().begin_ns - to.zero_ns, to);
        break;
      case Replay::Seen::End:
        this->end(replay_.ended(), replay_.ended().end_ns - to.zero_ns, false, to);
        break;
      case Replay::Seen::Memory:
        to.rows.add_memory(replay_.memory(), tid(),
                           std::max<int64_t>(replay_.memory().time_ns - to.zero_ns, 0));
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

void ThreadRows::finish(int64_t end_ns, StreamedRows& to) {
  for (std::size_t i = replay_.open().size(); i-- > 0;) end(replay_.open()[i], end_ns, true, to);
}

void ThreadRows::begin(int64_t time_ns, StreamedRows& to) {
  to.totals.clipped += time_ns < free_from_;
  free_from_ = std::max(time_ns, free_from_);
  open_.push_back({free_from_});
}

/// No slice is empty, siblings do not overlap, a parent covers its children.
void ThreadRows::end(const Event& event, int64_t time_ns, bool unfinished, StreamedRows& to) {
  const Open open = open_.back();
  open_.pop_back();
  const int64_t end = std::max({time_ns, open.begin_ns + 1, open.covered_ns});
  to.totals.clipped += end != time_ns;
  to.totals.unfinished += unfinished;
  ++to.totals.events;
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
    if (const auto forward = to.tids.find(event.recorded_by); forward != to.tids.end())
      row.forward_tid = forward->second;
    to.nodes.push_back({event.recorded_by, event.number, tid(), open.begin_ns});
  }
  to.rows.add_slice(row);
}

}  // namespace notape::trace
