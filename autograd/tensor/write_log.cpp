#include "autograd/tensor/write_log.h"

#include <algorithm>

#include "autograd/tensor/counters.h"

namespace notape {

void WriteLog::append(WriteEntry entry) {
  if (entries_.size() >= kCapacity) fold_oldest_half();
  entries_.push_back(std::move(entry));
}

// Merged writes answer for every family and every byte between them: too many hits, never too few.
void WriteLog::fold_oldest_half() {
  const auto middle = entries_.begin() + static_cast<std::ptrdiff_t>(kCapacity / 2);
  int64_t begin = INT64_MAX, end = 0;
  for (auto entry = entries_.begin(); entry != middle; ++entry) {
    begin = std::min(begin, entry->region.offset() * entry->item_size);
    end = std::max(end, entry->region.storage_end() * entry->item_size);
  }
  WriteEntry merged = *(middle - 1);
  merged.region = Geometry({std::max<int64_t>(end - begin, 0)}, {1}, begin);
  merged.item_size = 1;
  merged.family = nullptr;
  merged.recorded = true;
  folded_version_ = merged.version;
  entries_.erase(entries_.begin(), middle);
  entries_.insert(entries_.begin(), std::move(merged));
  count(Count::LogOverflows);
}

void WriteLog::rename_family(const void* from, const void* to) {
  for (WriteEntry& entry : entries_)
    if (entry.family == from) entry.family = to;
}

const WriteEntry* WriteLog::overwritten_since(uint64_t version, const Geometry& region,
                                              int64_t item_size) const {
  for (auto entry = entries_.rbegin(); entry != entries_.rend() && entry->version > version;
       ++entry)
    if (overlaps(entry->region, entry->item_size, region, item_size)) return &*entry;
  return nullptr;
}

bool WriteLog::recorded_since(uint64_t version, const void* family, const Geometry& region,
                              int64_t item_size) const {
  for (auto entry = entries_.rbegin(); entry != entries_.rend() && entry->version > version;
       ++entry) {
    if (!entry->recorded || (entry->family && entry->family != family)) continue;
    if (overlaps(entry->region, entry->item_size, region, item_size)) return true;
  }
  return false;
}

}  // namespace notape
