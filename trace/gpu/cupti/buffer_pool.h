// BufferPool: the memory that CUPTI writes records into. CUPTI asks for buffers and gives them back
// on threads of its own, under its lock; so nothing here waits for a thread that may call CUDA, and
// memory comes straight from the system, from no allocator of ours.
#pragma once
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <span>
#include <vector>

namespace notape::trace::cupti {

class BufferPool {
 public:
  /// CUPTI advises 1 to 10 MB.
  static constexpr std::size_t kBuffer = std::size_t{4} << 20, kMost = std::size_t{512} << 20;

  explicit BufferPool(std::size_t buffer_bytes = kBuffer, std::size_t most_bytes = kMost);
  ~BufferPool();
  BufferPool(const BufferPool&) = delete;
  BufferPool& operator=(const BufferPool&) = delete;

  /// Empty, and counted, when all that may be taken is full: CUPTI then drops records.
  std::span<uint8_t> request() noexcept;
  /// The first `valid` bytes of the buffer are records. One of no pool is ignored.
  void complete(const uint8_t* data, std::size_t valid) noexcept;

  /// Buffers with records, in the order in which they came. They stay until give_back().
  std::vector<std::span<const uint8_t>> full() const;
  /// All of full() may be written again.
  void give_back() noexcept;

  uint64_t refused() const;
  std::size_t bytes() const;  ///< taken from the system

 private:
  enum class State : uint8_t { Absent, Free, Lent, Full };
  struct Place {
    uint8_t* data = nullptr;
    State state = State::Absent;
    std::size_t valid = 0;
    uint64_t order = 0;
  };

  const std::size_t buffer_bytes_;
  mutable std::mutex lock_;    // held for a few instructions, never around a call of CUPTI or CUDA
  std::vector<Place> places_;  // never grows: the callbacks allocate nothing else
  uint64_t completed_ = 0, refused_ = 0;
};

}  // namespace notape::trace::cupti
