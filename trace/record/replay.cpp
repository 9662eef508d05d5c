#include "trace/record/replay.h"

#include <algorithm>
#include <utility>

namespace notape::trace {
namespace {

int64_t size_at(const Record& record, std::size_t i) {
  return i == 6 ? record.small
                : static_cast<int64_t>(record.words[i / 2] >> (32 * (i % 2)) & UINT32_MAX);
}

}  // namespace

Replay::Seen Replay::take(const Record& record) {
  const auto time = static_cast<int64_t>(record.words[1]);
  switch (record.kind) {
    case Record::Begin:
      open_.push_back({reinterpret_cast<const char*>(record.words[0]), time, 0, record.words[2],
                       kNoEvent, 0, record.small, static_cast<EventKind>(record.detail)});
      return Seen::Begin;
    case Record::End:
      if (open_.empty()) return Seen::Nothing;
      ended_ = std::move(open_.back());
      open_.pop_back();
      ended_.end_ns = time;
      if (ended_.kind == EventKind::Operator)
        ended_.nodes_recorded = static_cast<uint32_t>(record.words[2] - ended_.number);
      return Seen::End;
    case Record::FirstOperand:
    case Record::NextOperand:
    case Record::Sizes:
      add_operand(record);
      return Seen::Nothing;
    case Record::Memory:
      memory_ = {time,
                 Device(static_cast<DeviceType>(record.detail), static_cast<int8_t>(record.count)),
                 record.words[0],
                 static_cast<int64_t>(record.words[2]),
                 0,
                 0};
      return Seen::Nothing;
    case Record::Totals:
      memory_.allocated = static_cast<int64_t>(record.words[0]);
      memory_.reserved = static_cast<int64_t>(record.words[1]);
      return Seen::Memory;
  }
  return Seen::Nothing;
}

void Replay::add_operand(const Record& record) {
  if (open_.empty() || open_.back().kind != EventKind::Operator) return;
  std::vector<Operand>& operands = open_.back().operands;
  if (record.kind == Record::FirstOperand) ignores_operands_ = !operands.empty();
  if (ignores_operands_) return;
  if (record.kind != Record::Sizes) {
    missing_sizes_ = record.count;
    operands.push_back({record.detail != Record::kUndefined});
    if (operands.back().is_defined) operands.back().dtype = static_cast<ScalarType>(record.detail);
  }
  const std::size_t count = std::min(missing_sizes_, Record::kSizes);
  for (std::size_t i = 0; i < count; ++i) operands.back().sizes.push_back(size_at(record, i));
  missing_sizes_ -= count;
}

ThreadRecording read_thread(const EventLog& log, uint64_t session) {
  ThreadRecording result{log.number(), log.tid(), log.name(), {}, 0};
  if (!log.is_of(session)) return result;
  result.dropped = log.dropped();
  Replay replay;
  std::vector<uint32_t> places;  // of the open events
  const uint64_t end = log.end();
  for (uint64_t i = log.begin(); i < end; ++i) {
    switch (replay.take(log[i])) {
      case Replay::Seen::Begin:
        result.events.push_back(replay.open().back());
        result.events.back().parent = places.empty() ? kNoEvent : places.back();
        places.push_back(static_cast<uint32_t>(result.events.size() - 1));
        break;
      case Replay::Seen::End: {
        const uint32_t parent = result.events[places.back()].parent;
        result.events[places.back()] = replay.ended();
        result.events[places.back()].parent = parent;
        places.pop_back();
        break;
      }
      case Replay::Seen::Memory:
        result.memory.push_back(replay.memory());
        break;
      case Replay::Seen::Nothing:
        break;
    }
  }
  for (std::size_t i = 0; i < places.size(); ++i)
    result.events[places[i]].operands = replay.open()[i].operands;
  return result;
}

}  // namespace notape::trace
