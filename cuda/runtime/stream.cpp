#include "cuda/runtime/stream.h"

namespace notape::cuda {

StreamHandle StreamPool::next(int device) {
  const std::lock_guard guard(lock_);
  OfDevice& pool = devices_[device];
  if (pool.streams.size() < kStreams) {
    pool.streams.push_back(driver_.make_stream(device));
    return pool.streams.back();
  }
  return pool.streams[pool.next++ % kStreams];
}

}  // namespace notape::cuda
