// EventLog: what one thread does during a session, as records in a ring of fixed size that only
// this thread writes: where events begin and end, what operators were called with, memory that came
// and went. Whoever reads frees what it has read (streaming), or reads it all after the session. A
// full ring counts what does not fit; what has begun keeps the room for its end.
#pragma once
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <string>

#include "trace/record/clock.h"

namespace notape {
class Tensor;
struct MemoryChange;
}  // namespace notape

namespace notape::trace {

enum class EventKind : uint8_t { Operator, Node, Range, Step };

/// 32 bytes; what stands where, says `kind`.
struct Record {
  enum Kind : uint8_t {
    Begin,  ///< words: name, time, number; small: the thread that recorded the node; detail: kind
    End,    ///< words: -, time, the number the next node gets
    FirstOperand,  ///< words and small: 7 sizes; detail: dtype or kUndefined; count: dimensions
    NextOperand,
    Sizes,   ///< words and small: the next 7 sizes of the operand
    Memory,  ///< words: address, time, bytes; detail, count: device type and index
    Totals   ///< words: allocated, reserved
  };
  static constexpr uint8_t kUndefined = 255;
  static constexpr std::size_t kSizes = 7;

  uint64_t words[3];
  uint32_t small;
  Kind kind;
  uint8_t detail, count;
};
static_assert(sizeof(Record) == 32);

class EventLog {
 public:
  /// Made by the thread it belongs to.
  explicit EventLog(uint32_t number);

  uint32_t number() const { return number_; }
  int64_t tid() const { return tid_; }
  const std::string& name() const { return name_; }

  /// Begins an event of `session`. Called by the owner only, like all up to add_memory().
  void open(uint64_t session, std::size_t events, EventKind kind, const char* name, uint64_t number,
            uint32_t recorded_by) noexcept {
    if (session_.load(std::memory_order_relaxed) != session) [[unlikely]]
      begin_session(session, events);
    if (!has_room(2)) [[unlikely]] {
      skip();
      return;
    }
    ++depth_;
    push({{reinterpret_cast<uintptr_t>(name), static_cast<uint64_t>(now_ns()), number},
          recorded_by,
          Record::Begin,
          static_cast<uint8_t>(kind),
          0});
  }

  /// Ends the innermost event, unless that began outside the session.
  void close(uint64_t next_sequence_nr) noexcept {
    const auto end = static_cast<uint64_t>(now_ns());
    if (skipped_depth_ != 0) [[unlikely]] {
      --skipped_depth_;
      return;
    }
    if (depth_ == 0) [[unlikely]]
      return;
    --depth_;
    push({{0, end, next_sequence_nr}, 0, Record::End, 0, 0});
  }

  /// Of the innermost event, if it is one of the session. Of several calls the first counts.
  void add_operands(const Tensor* const* tensors, std::size_t count) noexcept;
  void add_memory(uint64_t session, std::size_t events, const MemoryChange& change) noexcept;

  // ---- For readers; any thread may call these while the owner writes, but only one free().
  bool is_of(uint64_t session) const { return session_.load(std::memory_order_acquire) == session; }
  /// What is in the ring: records begin() up to, but not, end().
  uint64_t begin() const { return tail_.load(std::memory_order_relaxed); }
  uint64_t end() const { return head_.load(std::memory_order_acquire); }
  const Record& operator[](uint64_t place) const { return records_[place & mask_]; }
  void free(uint64_t up_to) { tail_.store(up_to, std::memory_order_release); }
  /// Events, and what was to be said of events, that did not fit.
  uint64_t dropped() const { return dropped_.load(std::memory_order_relaxed); }

 private:
  void begin_session(uint64_t session, std::size_t events) noexcept;
  void skip() noexcept;
  void drop() noexcept;
  /// For so many records beside the ends of what is open.
  bool has_room(uint64_t count) noexcept {
    return head_.load(std::memory_order_relaxed) + depth_ + count <= room_until_ ||
           find_room(count);
  }
  bool find_room(uint64_t count) noexcept;
  void push(const Record& record) noexcept {
    const uint64_t head = head_.load(std::memory_order_relaxed);
    records_[head & mask_] = record;
    head_.store(head + 1, std::memory_order_release);
  }

  const uint32_t number_;
  const int64_t tid_;
  const std::string name_;
  std::atomic<uint64_t> session_{0};
  std::atomic<uint64_t> dropped_{0};
  struct Free {
    void operator()(Record* records) const noexcept { std::free(records); }
  };
  std::unique_ptr<Record[], Free> records_;
  std::size_t allocated_ = 0;
  uint64_t mask_ = 0;
  uint64_t limit_ = 0;       // records that may be in the ring
  uint64_t room_until_ = 0;  // as far as is known; 0 while events are skipped
  uint64_t depth_ = 0;       // events that have begun and not ended
  uint64_t skipped_depth_ = 0;
  std::atomic<uint64_t> head_{0};
  alignas(64) std::atomic<uint64_t> tail_{0};
};

}  // namespace notape::trace
