// WriteLog: which bytes of a storage were overwritten when, by whom. Unpacking a saved value and
// reading a view's history ask it; a storage that nobody could ask about has none.
#pragma once
#include <cstdint>
#include <vector>

#include "autograd/error.h"
#include "autograd/tensor/geometry.h"
#include "autograd/tensor/pool.h"

namespace notape {

struct WriteEntry {
  uint64_t version;  // of the storage, after this write
  Geometry region;
  int64_t item_size;
  const char* operator_name;
  SourceLocation at;
  const void* family;  // identity of the base the write went through
  bool recorded;       // whether that family's history knows the write
};

class WriteLog : public Pooled {
 public:
  static constexpr std::size_t kCapacity = 4096;

  void append(WriteEntry entry);

  /// The newest write after `version` that shares a byte with `region`, or nullptr.
  const WriteEntry* overwritten_since(uint64_t version, const Geometry& region,
                                      int64_t item_size) const;
  /// Whether a recorded write of `family` after `version` shares a byte with `region`.
  bool recorded_since(uint64_t version, const void* family, const Geometry& region,
                      int64_t item_size) const;
  /// The writes of a family are from now on those of another.
  void rename_family(const void* from, const void* to);
  /// Entries at or before this version have been merged into one bounding region.
  uint64_t folded_version() const { return folded_version_; }

 private:
  void fold_oldest_half();

  std::vector<WriteEntry> entries_;  // oldest first; after an overflow the first is a merged one
  uint64_t folded_version_ = 0;
};

}  // namespace notape
