// Fingerprints: whether bytes have changed that code outside the library may write unseen. At most
// 64 KB are looked at in full; of more, lines of 64 bytes spread over all of it.
#pragma once
#include <cstdint>
#include <memory>

#include "autograd/tensor/geometry.h"

namespace notape {

/// What is looked at in full, in bytes.
inline constexpr int64_t kFingerprintedInFull = 65536;

/// Of the bytes of a window; two that differ in one bit of what is looked at differ.
class ByteHash {
 public:
  void add(const void* data, std::size_t bytes);
  uint64_t finish() const;

 private:
  static constexpr std::size_t kLanes = 8, kBlock = kLanes * sizeof(uint64_t);
  void add_blocks(const unsigned char* next, std::size_t count);

  uint64_t lanes_[kLanes] = {1, 2, 3, 4, 5, 6, 7, 8};
  uint64_t length_ = 0;
};

/// Of `region` in the storage whose memory starts at `data`. Costs at most about 32 reads from
/// memory above kFingerprintedInFull.
uint64_t fingerprint_of(const void* data, const Geometry& region, int64_t item_size);

/// What a storage held at some time; of large ones, samples.
class ByteSnapshot {
 public:
  ByteSnapshot(const void* data, std::size_t bytes);
  /// Whether the region, of the same storage, still has those bytes as far as they are known.
  bool agrees(const void* data, const Geometry& region, int64_t item_size) const;

 private:
  std::size_t bytes_;
  std::unique_ptr<unsigned char[]> copy_;  // all, or one sampled line after the other
};

}  // namespace notape
