#include "cuda/runtime/caching_allocator.h"

#include <algorithm>
#include <string>

#include "autograd/tensor/memory_observer.h"

namespace notape::cuda {
namespace {

std::size_t round_up(std::size_t bytes, std::size_t step) {
  return (bytes + step - 1) / step * step;
}

}  // namespace

CachingAllocator::~CachingAllocator() {
  for (const PendingEvent& pending : pending_) driver_.destroy_event(pending.event);
  for (const auto& [data, block] : blocks_)
    if (!block->before) driver_.release(device_, data);
}

void* CachingAllocator::allocate(std::size_t bytes, StreamHandle stream) {
  if (bytes == 0) return nullptr;
  const std::lock_guard guard(lock_);
  if (bytes > SIZE_MAX - kSmallSegment) fail(bytes, bytes);
  settle_events(false);
  ++stats_.requests;
  Block* block = nullptr;
  if (caches_) {
    bytes = round_up(bytes, kGranule);
    block = take_cached(bytes, stream);
    if (block)
      ++stats_.cache_hits;
    else
      block = take_new_segment(bytes, round_up(bytes, kSmallSegment), stream);
    split(*block, bytes);
  } else {
    block = take_new_segment(bytes, bytes, stream);
  }
  block->is_free = false;
  ++stats_.active_blocks;
  stats_.allocated += block->bytes;
  stats_.peak_allocated = std::max(stats_.peak_allocated, stats_.allocated);
  tell_observer(*block, 1);
  return block->data;
}

CachingAllocator::Block* CachingAllocator::take_cached(std::size_t bytes, StreamHandle stream) {
  const auto found = pools_.find({stream, bytes <= kSmall});
  if (found == pools_.end()) return nullptr;
  Pool& pool = found->second;
  const auto best = pool.lower_bound(bytes);
  if (best == pool.end()) return nullptr;
  Block* block = *best;
  pool.erase(best);
  --stats_.cached_blocks;
  return block;
}

CachingAllocator::Block* CachingAllocator::take_new_segment(std::size_t bytes, std::size_t segment,
                                                            StreamHandle stream) {
  void* data = driver_allocate(segment);
  if (!data) {  // what is cached may be what is missing
    settle_events(true);
    release_cached();
    data = driver_allocate(segment);
    if (!data) fail(bytes, segment);
    ++stats_.retries;
  }
  stats_.reserved += segment;
  stats_.peak_reserved = std::max(stats_.peak_reserved, stats_.reserved);
  auto block =
      std::make_unique<Block>(Block{static_cast<char*>(data), segment, stream, bytes <= kSmall});
  return (blocks_[data] = std::move(block)).get();
}

bool CachingAllocator::is_within_limit(std::size_t bytes) const {
  return stats_.reserved <= limit_ && bytes <= limit_ - stats_.reserved;
}

void* CachingAllocator::driver_allocate(std::size_t bytes) {
  void* data = is_within_limit(bytes) ? driver_.allocate(device_, bytes) : nullptr;
  if (data) ++stats_.driver_allocates;
  return data;
}

/// Leaves `bytes` in the block. A rest too small to be worth a block of its kind stays inside.
void CachingAllocator::split(Block& block, std::size_t bytes) {
  const std::size_t rest = block.bytes - bytes;
  if (block.is_small ? rest < kGranule : rest <= kSmall) return;
  auto part =
      std::make_unique<Block>(Block{block.data + bytes, rest, block.stream, block.is_small});
  part->before = &block;
  part->after = block.after;
  if (part->after) part->after->before = part.get();
  block.after = part.get();
  block.bytes = bytes;
  part->is_free = true;
  pool_of(*part).insert(part.get());
  ++stats_.cached_blocks;
  blocks_[part->data] = std::move(part);
}

void CachingAllocator::deallocate(void* data) noexcept {
  if (!data) return;
  const std::lock_guard guard(lock_);
  const auto found = blocks_.find(data);
  if (found == blocks_.end() || !found->second->is_in_use()) return;
  Block* block = found->second.get();
  stats_.allocated -= block->bytes;
  --stats_.active_blocks;
  tell_observer(*block, -1);
  for (StreamHandle stream : block->other_streams) await(block, stream);
  block->other_streams.clear();
  if (block->pending_events == 0) make_free(block);
}

void CachingAllocator::tell_observer(const Block& block, int sign) const noexcept {
  MemoryObserver* const observer = active_memory_observer.load(std::memory_order_acquire);
  if (!observer) return;
  observer->memory_changed(
      {Device(kCUDA, device_), block.data, sign * static_cast<int64_t>(block.bytes),
       static_cast<int64_t>(stats_.allocated), static_cast<int64_t>(stats_.reserved)});
}

void CachingAllocator::await(Block* block, StreamHandle stream) noexcept {
  ++block->pending_events;
  EventHandle event = nullptr;
  try {
    pending_.reserve(pending_.size() + 1);
    event = driver_.make_event(device_);
    driver_.record(event, device_, stream);
    pending_.push_back({event, block});
  } catch (const std::exception&) {
    // Without an event nobody knows when the memory is free again: it stays out of the pool.
    if (event) driver_.destroy_event(event);
  }
}

void CachingAllocator::record_use(void* data, StreamHandle stream) {
  const std::lock_guard guard(lock_);
  const auto found = blocks_.find(data);
  if (found == blocks_.end() || stream == found->second->stream) return;
  found->second->other_streams.insert(stream);
}

void CachingAllocator::make_free(Block* block) {
  if (block->before && block->before->is_free) block = merge(block->before, block);
  if (block->after && block->after->is_free) block = merge(block, block->after);
  block->is_free = true;
  if (!caches_ && !block->before && !block->after) return release(block);
  pool_of(*block).insert(block);
  ++stats_.cached_blocks;
}

/// Of two neighbours, at least one of them in a pool; the result is in none.
CachingAllocator::Block* CachingAllocator::merge(Block* left, Block* right) {
  for (Block* block : {left, right})
    if (block->is_free) stats_.cached_blocks -= pool_of(*block).erase(block);
  left->bytes += right->bytes;
  left->after = right->after;
  if (left->after) left->after->before = left;
  blocks_.erase(right->data);
  left->is_free = false;
  return left;
}

void CachingAllocator::settle_events(bool wait) {
  for (std::size_t i = 0; i < pending_.size();) {
    const PendingEvent pending = pending_[i];
    if (wait) {
      driver_.synchronize_event(pending.event);
    } else if (!driver_.has_happened(pending.event)) {
      ++i;
      continue;
    }
    pending_[i] = pending_.back();
    pending_.pop_back();
    driver_.destroy_event(pending.event);
    if (--pending.block->pending_events == 0) make_free(pending.block);
  }
}

void CachingAllocator::empty_cache() {
  const std::lock_guard guard(lock_);
  settle_events(true);
  release_cached();
}

void CachingAllocator::release_cached() noexcept {
  for (auto& [key, pool] : pools_) {
    std::erase_if(pool, [&](Block* block) {
      if (block->before || block->after) return false;
      --stats_.cached_blocks;
      release(block);
      return true;
    });
  }
}

/// A whole segment, which is in no pool.
void CachingAllocator::release(Block* block) noexcept {
  driver_.release(device_, block->data);
  ++stats_.driver_releases;
  stats_.reserved -= block->bytes;
  blocks_.erase(block->data);
}

void CachingAllocator::set_caching(bool on) {
  const std::lock_guard guard(lock_);
  caches_ = on;
  if (on) return;
  settle_events(true);
  release_cached();
}

void CachingAllocator::set_limit(std::size_t bytes) {
  const std::lock_guard guard(lock_);
  limit_ = bytes;
}

void CachingAllocator::fail(std::size_t bytes, std::size_t segment) const {
  throw OutOfMemory(
      "CUDA out of memory. Tried to allocate {} bytes on cuda:{}, where {} are in use and {} "
      "reserved in all{}",
      bytes, device_, stats_.allocated, stats_.reserved,
      is_within_limit(segment)
          ? ""
          : ", of " + std::to_string(limit_) +
                " that the memory fraction allows (set_per_process_memory_fraction)");
}

MemoryStats CachingAllocator::stats() const {
  const std::lock_guard guard(lock_);
  return stats_;
}

std::vector<MemorySegment> CachingAllocator::snapshot() const {
  const std::lock_guard guard(lock_);
  std::vector<MemorySegment> segments;
  for (const auto& [data, first] : blocks_) {
    if (first->before) continue;
    MemorySegment segment{.device = Device(kCUDA, device_),
                          .address = reinterpret_cast<uint64_t>(data),
                          .stream = first->stream,
                          .is_small = first->is_small,
                          .blocks = {}};
    for (const Block* block = first.get(); block; block = block->after) {
      segment.bytes += block->bytes;
      segment.blocks.push_back({reinterpret_cast<uint64_t>(block->data), block->bytes,
                                block->is_free              ? MemoryBlockState::Inactive
                                : block->pending_events > 0 ? MemoryBlockState::Pending
                                                            : MemoryBlockState::Active});
    }
    segments.push_back(std::move(segment));
  }
  std::ranges::sort(segments, {}, &MemorySegment::address);
  return segments;
}

void CachingAllocator::reset_peaks() {
  const std::lock_guard guard(lock_);
  stats_.peak_allocated = stats_.allocated;
  stats_.peak_reserved = stats_.reserved;
}

}  // namespace notape::cuda
