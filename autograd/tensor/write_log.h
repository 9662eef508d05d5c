// WriteLog: which bytes of a storage were overwritten when, by whom. Unpacking a saved value and
// reading a view's history ask it; a storage of which nothing could ask has none.
//
// The newest writes stand in a short list. Older ones without gaps are folded into a map from
// bytes to their last writer, which is exact and no larger than the storage; older strided ones
// stay as they are up to a limit, then count for all the bytes they span (`is_folded`).
#pragma once
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "autograd/error.h"
#include "autograd/tensor/geometry.h"
#include "autograd/tensor/pool.h"

namespace notape {

/// How a family came to share its memory with another.
enum class Alias : uint8_t { None, Detached, Data };

/// Through which tensor of which family a write went.
struct Writer {
  const void* family = nullptr;  // identity of its base
  const void* tensor = nullptr;
  Alias alias = Alias::None;  // what the family is to others on the same memory
};

struct WriteEntry {
  uint64_t version;  // of the storage, after this write
  Geometry region;
  int64_t item_size;
  const char* operator_name;
  SourceLocation at;
  Writer writer;
  bool recorded;           // whether its family's history knows the write
  bool is_folded = false;  // stands for more bytes than were written

  /// First byte and one past the last.
  std::pair<int64_t, int64_t> bytes() const;
};

class WriteLog : public Pooled {
 public:
  static constexpr std::size_t kRecent = 16, kStrided = 4096;

  void append(WriteEntry entry);

  /// A write after `version` that shares a byte with `region`.
  std::optional<WriteEntry> overwritten_since(uint64_t version, const Geometry& region,
                                              int64_t item_size) const;
  /// Whether a recorded write of `family` after `version` shares a byte with `region`.
  bool recorded_since(uint64_t version, const void* family, const Geometry& region,
                      int64_t item_size) const;
  /// The writes of a family are from now on those of another.
  void rename_family(const void* from, const void* to);

 private:
  struct Recorded {
    const void* family = nullptr;
    uint64_t version = 0;
  };
  /// Of some bytes: the newest write, and each family's newest recorded one.
  struct Writers {
    explicit Writers(int64_t interval_end) : end(interval_end) {}
    Writers(const Writers& other);

    int64_t end;
    uint64_t version = 0;
    const char* operator_name = nullptr;
    SourceLocation at;
    Writer writer{};
    bool is_folded = false;
    Recorded recorded;
    std::unique_ptr<std::vector<Recorded>> recorded_by_others;

    void note(const WriteEntry& entry);
    bool recorded_since(uint64_t version, const void* family) const;
  };
  using Map = std::map<int64_t, Writers>;  // by first byte, disjoint

  void fold(WriteEntry entry);
  void fold_solid(const WriteEntry& entry, int64_t begin, int64_t end);
  void merge_strided();
  Map::iterator split(int64_t place);
  /// The first folded interval that shares a byte with the region and satisfies `wanted`, or end.
  template <typename Wanted>
  Map::const_iterator find_folded(const Geometry& region, int64_t item_size, Wanted wanted) const;

  /// age 0: the newest.
  const WriteEntry& recent(std::size_t age) const {
    return recent_[(oldest_ + recent_.size() - 1 - age) % recent_.size()];
  }

  std::vector<WriteEntry> recent_;  // a ring once it is full
  std::size_t oldest_ = 0;
  std::vector<WriteEntry> strided_;  // older than those, oldest first
  Map solid_;
  uint64_t folded_version_ = 0;  // nothing newer is in the map
};

}  // namespace notape
