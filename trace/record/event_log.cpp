#include "trace/record/event_log.h"

#include <pthread.h>
#include <unistd.h>

#include <algorithm>
#include <bit>

#include "autograd/tensor/large_pages.h"
#include "autograd/tensor/memory_observer.h"
#include "autograd/tensor/tensor.h"

namespace notape::trace {
namespace {

std::string name_of_this_thread() {
  char name[16] = "";
  return pthread_getname_np(pthread_self(), name, sizeof name) == 0 ? name : "";
}

uint64_t records_of(std::size_t dimensions) {
  return std::max<uint64_t>(1, (dimensions + Record::kSizes - 1) / Record::kSizes);
}

uint64_t records_of(const Tensor& tensor) {
  return records_of(tensor.defined() ? static_cast<std::size_t>(tensor.dim()) : 0);
}

/// Two sizes to a word; those of 2^32 and more are noted as the largest.
void put_sizes(Record& record, IntArrayRef sizes, std::size_t from) {
  const std::size_t count = std::min(sizes.size() - from, Record::kSizes);
  for (std::size_t i = 0; i < count; ++i) {
    const auto size = static_cast<uint64_t>(std::min<int64_t>(sizes[from + i], UINT32_MAX));
    if (i == 6)
      record.small = static_cast<uint32_t>(size);
    else
      record.words[i / 2] |= size << (32 * (i % 2));
  }
}

/// In large pages where there are some: the first event in each page pays for it. Null without
/// memory.
Record* allocate(std::size_t records) {
  constexpr std::size_t kLargePage = std::size_t{2} << 20;
  const std::size_t bytes = records * sizeof(Record);
  if (bytes < kLargePage) return static_cast<Record*>(std::malloc(bytes));
  void* const memory = std::aligned_alloc(kLargePage, bytes);  // both are powers of two
  if (memory) ask_for_large_pages(memory, bytes);
  return static_cast<Record*>(memory);
}

}  // namespace

EventLog::EventLog(uint32_t number)
    : number_(number), tid_(gettid()), name_(name_of_this_thread()) {}

// The only place that allocates, at a thread's first event of its first session. Without memory
// the log has no room, and says so by what it drops.
void EventLog::begin_session(uint64_t session, std::size_t events) noexcept {
  constexpr std::size_t kMostEvents = std::size_t{1} << 32;
  const std::size_t records = std::bit_ceil(2 * std::clamp<std::size_t>(events, 1, kMostEvents));
  if (records > allocated_) {
    records_.reset(allocate(records));
    allocated_ = records_ ? records : 0;
  }
  mask_ = allocated_ ? allocated_ - 1 : 0;
  limit_ = std::min<uint64_t>(2 * events, allocated_);
  room_until_ = limit_;
  depth_ = skipped_depth_ = 0;
  head_.store(0, std::memory_order_relaxed);
  tail_.store(0, std::memory_order_relaxed);
  dropped_.store(0, std::memory_order_relaxed);
  session_.store(session, std::memory_order_release);
}

/// What is inside a skipped event is skipped, too.
bool EventLog::find_room(uint64_t count) noexcept {
  if (skipped_depth_ != 0) return false;
  room_until_ = tail_.load(std::memory_order_acquire) + limit_;
  return head_.load(std::memory_order_relaxed) + depth_ + count <= room_until_;
}

void EventLog::drop() noexcept {
  dropped_.store(dropped_.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
}

void EventLog::skip() noexcept {
  ++skipped_depth_;
  room_until_ = 0;
  drop();
}

void EventLog::add_operands(const Tensor* const* tensors, std::size_t count) noexcept {
  if (depth_ == 0 || skipped_depth_ != 0) return;
  // A check of the operands reports them, and what records does so again: the first counts.
  const Record::Kind last = records_[(head_.load(std::memory_order_relaxed) - 1) & mask_].kind;
  if (last == Record::FirstOperand || last == Record::NextOperand || last == Record::Sizes) return;
  uint64_t needed = 0;
  for (std::size_t i = 0; i < count; ++i) needed += records_of(*tensors[i]);
  if (!has_room(needed)) return drop();
  for (std::size_t i = 0; i < count; ++i) {
    const Tensor& tensor = *tensors[i];
    Record record{
        {}, 0, i == 0 ? Record::FirstOperand : Record::NextOperand, Record::kUndefined, 0};
    if (!tensor.defined()) {
      push(record);
      continue;
    }
    const IntArrayRef sizes = tensor.sizes();
    record.detail = static_cast<uint8_t>(tensor.dtype());
    record.count = static_cast<uint8_t>(std::min<std::size_t>(sizes.size(), UINT8_MAX));
    put_sizes(record, sizes, 0);
    push(record);
    for (std::size_t from = Record::kSizes; from < record.count; from += Record::kSizes) {
      Record more{{}, 0, Record::Sizes, 0, 0};
      put_sizes(more, sizes, from);
      push(more);
    }
  }
}

void EventLog::add_memory(uint64_t session, std::size_t events,
                          const MemoryChange& change) noexcept {
  if (!is_of(session)) begin_session(session, events);
  if (!has_room(2)) return drop();
  push({{reinterpret_cast<uintptr_t>(change.data), static_cast<uint64_t>(now_ns()),
         static_cast<uint64_t>(change.bytes)},
        0,
        Record::Memory,
        static_cast<uint8_t>(change.device.type),
        static_cast<uint8_t>(change.device.index)});
  push({{static_cast<uint64_t>(change.allocated), static_cast<uint64_t>(change.reserved), 0},
        0,
        Record::Totals,
        0,
        0});
}

}  // namespace notape::trace
