#include "cuda/runtime/plugged_allocator.h"

#include "cuda/runtime/stream.h"

namespace notape::cuda {

void* PluggedAllocator::allocate(std::size_t bytes, int device, StreamHandle stream) {
  if (bytes == 0) return nullptr;
  void* const data = functions_.allocate(bytes, device, stream);
  if (!data)
    throw OutOfMemory("CUDA out of memory. The program's own allocator has no {} bytes on cuda:{}",
                      bytes, device);
  const std::lock_guard guard(lock_);
  pieces_.insert_or_assign(data, Piece{bytes, device, stream});
  return data;
}

void PluggedAllocator::deallocate(void* data) noexcept {
  Piece piece;
  {
    const std::lock_guard guard(lock_);
    const auto found = pieces_.find(data);
    if (found == pieces_.end()) return;
    piece = std::move(found->second);
    pieces_.erase(found);
  }
  try {
    for (StreamHandle other : piece.other_streams) {
      DriverEvent event(driver_, piece.device);
      event.record(other);
      event.block(piece.device, piece.stream);
    }
  } catch (const std::exception&) {
    return;  // nobody knows when the memory is free: it is never released
  }
  functions_.release(data, piece.bytes, piece.device, piece.stream);
}

void PluggedAllocator::record_use(void* data, StreamHandle stream) {
  const std::lock_guard guard(lock_);
  const auto found = pieces_.find(data);
  if (found != pieces_.end() && found->second.stream != stream)
    found->second.other_streams.insert(stream);
}

}  // namespace notape::cuda
