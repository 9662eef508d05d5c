#include "cuda/runtime/pinned_allocator.h"

#include <iterator>

namespace notape::cuda {

PinnedAllocator::~PinnedAllocator() {
  for (const auto& [data, block] : blocks_) driver_.release_pinned(data);
}

void* PinnedAllocator::allocate(std::size_t bytes) {
  if (bytes == 0) return nullptr;
  if (bytes > SIZE_MAX - kPage) throw OutOfMemory("cannot pin {} bytes of the CPU's memory", bytes);
  bytes = (bytes + kPage - 1) / kPage * kPage;
  const std::lock_guard guard(lock_);
  ++stats_.requests;
  auto block = take_kept(bytes);
  if (block == blocks_.end()) {
    void* data = driver_.allocate_pinned(bytes);
    if (!data) {  // what is kept may be what is missing
      release_kept();
      data = driver_.allocate_pinned(bytes);
    }
    if (!data) throw OutOfMemory("cannot pin {} bytes of the CPU's memory", bytes);
    ++stats_.driver_allocates;
    stats_.reserved += bytes;
    block = blocks_.emplace(static_cast<char*>(data), Block{bytes}).first;
  }
  block->second.is_in_use = true;
  stats_.in_use += block->second.bytes;
  return block->first;
}

/// The smallest free block that is large enough, and not more than twice as large.
PinnedAllocator::Blocks::iterator PinnedAllocator::take_kept(std::size_t bytes) {
  auto best = blocks_.end();
  for (auto it = blocks_.begin(); it != blocks_.end(); ++it) {
    Block& block = it->second;
    const bool fits = !block.is_in_use && block.bytes >= bytes && block.bytes / 2 <= bytes;
    if (!fits || (best != blocks_.end() && best->second.bytes <= block.bytes)) continue;
    std::erase_if(block.uses, [](const Use& use) { return use.event->has_happened(); });
    if (block.uses.empty()) best = it;
  }
  return best;
}

void PinnedAllocator::deallocate(void* data) noexcept {
  if (!data) return;
  const std::lock_guard guard(lock_);
  Block& block = blocks_.at(static_cast<char*>(data));
  block.is_in_use = false;
  stats_.in_use -= block.bytes;
}

PinnedAllocator::Block* PinnedAllocator::find(const void* data) {
  char* const address = static_cast<char*>(const_cast<void*>(data));
  const auto after = blocks_.upper_bound(address);
  if (after == blocks_.begin()) return nullptr;
  const auto& [begin, block] = *std::prev(after);
  return address < begin + block.bytes ? &std::prev(after)->second : nullptr;
}

void PinnedAllocator::record_use(const void* data, const Stream& stream) {
  const std::lock_guard guard(lock_);
  Block* const block = find(data);
  if (!block) return;
  // One more event than streams need: others may be waiting for what an event has recorded.
  auto event = std::make_shared<DriverEvent>(driver_, stream.device.index);
  event->record(stream.handle);
  std::erase_if(block->uses, [&](const Use& use) { return use.stream == stream; });
  block->uses.push_back({stream, std::move(event)});  // which comes after the one before
}

void PinnedAllocator::finish_uses(const void* data) {
  std::vector<Use> uses;
  {
    const std::lock_guard guard(lock_);
    if (const Block* const block = find(data)) uses = block->uses;
  }
  // They stay in the block, so that whoever comes meanwhile waits, too.
  for (const Use& use : uses) use.event->synchronize();
}

void PinnedAllocator::empty_cache() {
  const std::lock_guard guard(lock_);
  release_kept();
}

void PinnedAllocator::release_kept() {
  std::erase_if(blocks_, [&](auto& entry) {
    auto& [data, block] = entry;
    if (block.is_in_use) return false;
    for (const Use& use : block.uses) use.event->synchronize();
    driver_.release_pinned(data);
    stats_.reserved -= block.bytes;
    return true;
  });
}

PinnedStats PinnedAllocator::stats() const {
  const std::lock_guard guard(lock_);
  return stats_;
}

}  // namespace notape::cuda
