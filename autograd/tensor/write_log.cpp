#include "autograd/tensor/write_log.h"

#include <algorithm>

#include "autograd/tensor/counters.h"

namespace notape {
namespace {

bool hits(const WriteEntry& entry, const Geometry& region, int64_t item_size) {
  return overlaps(entry.region, entry.item_size, region, item_size);
}

bool counts_for(const WriteEntry& entry, const void* family) {
  return entry.recorded && (entry.writer.family == family || !entry.writer.family);
}

}  // namespace

std::pair<int64_t, int64_t> WriteEntry::bytes() const {
  return {region.offset() * item_size, region.storage_end() * item_size};
}

void WriteLog::append(WriteEntry entry) {
  if (recent_.size() < kRecent) {
    recent_.push_back(std::move(entry));
    return;
  }
  fold(std::exchange(recent_[oldest_], std::move(entry)));
  oldest_ = (oldest_ + 1) % kRecent;
}

void WriteLog::fold(WriteEntry entry) {
  const auto [begin, end] = entry.bytes();
  if (entry.region.numel() == 0 || begin >= end) return;
  if (entry.region.is_dense()) {
    fold_solid(entry, begin, end);
    return;
  }
  if (strided_.size() == kStrided) merge_strided();
  strided_.push_back(std::move(entry));
}

// All at once, so that it happens rarely: they answer for every family and every byte between them,
// too many hits, never too few.
void WriteLog::merge_strided() {
  int64_t begin = INT64_MAX, end = 0;
  bool recorded = false;
  for (const WriteEntry& entry : strided_) {
    begin = std::min(begin, entry.bytes().first);
    end = std::max(end, entry.bytes().second);
    recorded |= entry.recorded;
  }
  WriteEntry merged = std::move(strided_.back());
  merged.region = Geometry({end - begin}, {1}, begin);
  merged.item_size = 1;
  merged.writer = {};
  merged.recorded = recorded;
  merged.is_folded = true;
  strided_.clear();
  fold_solid(merged, begin, end);
  count(Count::LogOverflows);
}

WriteLog::Writers::Writers(const Writers& other)
    : end(other.end),
      version(other.version),
      operator_name(other.operator_name),
      at(other.at),
      writer(other.writer),
      is_folded(other.is_folded),
      recorded(other.recorded),
      recorded_by_others(other.recorded_by_others
                             ? std::make_unique<std::vector<Recorded>>(*other.recorded_by_others)
                             : nullptr) {}

void WriteLog::Writers::note(const WriteEntry& entry) {
  if (entry.version > version) {
    version = entry.version;
    operator_name = entry.operator_name;
    at = entry.at;
    writer = entry.writer;
    is_folded = entry.is_folded;
  }
  if (!entry.recorded) return;
  const Recorded mine{entry.writer.family, entry.version};
  if (recorded.version == 0 || recorded.family == mine.family) {
    recorded = {mine.family, std::max(recorded.version, mine.version)};
    return;
  }
  if (!recorded_by_others) recorded_by_others = std::make_unique<std::vector<Recorded>>();
  for (Recorded& other : *recorded_by_others)
    if (other.family == mine.family) {
      other.version = std::max(other.version, mine.version);
      return;
    }
  recorded_by_others->push_back(mine);
}

bool WriteLog::Writers::recorded_since(uint64_t since, const void* by) const {
  const auto counts = [&](const Recorded& one) {
    return one.version > since && (one.family == by || !one.family);
  };
  return counts(recorded) || (recorded_by_others && std::any_of(recorded_by_others->begin(),
                                                                recorded_by_others->end(), counts));
}

/// Makes an interval begin at `place`, if one covers it; the first interval at or after it.
WriteLog::Map::iterator WriteLog::split(int64_t place) {
  const auto next = solid_.lower_bound(place);
  if (next == solid_.begin()) return next;
  Writers& left = std::prev(next)->second;
  if (left.end <= place) return next;
  Writers right(left);
  left.end = place;
  return solid_.emplace_hint(next, place, right);
}

void WriteLog::fold_solid(const WriteEntry& entry, int64_t begin, int64_t end) {
  folded_version_ = std::max(folded_version_, entry.version);
  auto next = split(begin);
  split(end);
  for (int64_t place = begin; place < end;) {
    if (next == solid_.end() || next->first > place) {
      const int64_t gap_end = next == solid_.end() ? end : std::min(end, next->first);
      next = solid_.emplace_hint(next, place, Writers(gap_end));
    }
    next->second.note(entry);
    place = next->second.end;
    ++next;
  }
}

template <typename Wanted>
WriteLog::Map::const_iterator WriteLog::find_folded(const Geometry& region, int64_t item_size,
                                                    Wanted wanted) const {
  if (region.numel() == 0 || solid_.empty()) return solid_.end();
  const int64_t begin = region.offset() * item_size, end = region.storage_end() * item_size;
  const bool solid = region.is_dense();
  auto one = solid_.upper_bound(begin);
  if (one != solid_.begin()) --one;
  for (; one != solid_.end() && one->first < end; ++one) {
    const auto& [first, writers] = *one;
    if (writers.end <= begin || !wanted(writers)) continue;
    if (solid || overlaps(region, item_size, Geometry({writers.end - first}, {1}, first), 1))
      return one;
  }
  return solid_.end();
}

std::optional<WriteEntry> WriteLog::overwritten_since(uint64_t version, const Geometry& region,
                                                      int64_t item_size) const {
  for (std::size_t age = 0; age < recent_.size() && recent(age).version > version; ++age)
    if (hits(recent(age), region, item_size)) return recent(age);
  for (auto entry = strided_.rbegin(); entry != strided_.rend() && entry->version > version;
       ++entry)
    if (hits(*entry, region, item_size)) return *entry;
  if (folded_version_ <= version) return {};
  const auto found = find_folded(
      region, item_size, [version](const Writers& writers) { return writers.version > version; });
  if (found == solid_.end()) return {};
  const auto& [begin, writers] = *found;
  return WriteEntry{.version = writers.version,
                    .region = Geometry({writers.end - begin}, {1}, begin),
                    .item_size = 1,
                    .operator_name = writers.operator_name,
                    .at = writers.at,
                    .writer = writers.writer,
                    .recorded = writers.recorded.version != 0,
                    .is_folded = writers.is_folded};
}

bool WriteLog::recorded_since(uint64_t version, const void* family, const Geometry& region,
                              int64_t item_size) const {
  for (std::size_t age = 0; age < recent_.size() && recent(age).version > version; ++age)
    if (counts_for(recent(age), family) && hits(recent(age), region, item_size)) return true;
  for (auto entry = strided_.rbegin(); entry != strided_.rend() && entry->version > version;
       ++entry)
    if (counts_for(*entry, family) && hits(*entry, region, item_size)) return true;
  if (folded_version_ <= version) return false;
  return find_folded(region, item_size, [&](const Writers& writers) {
           return writers.recorded_since(version, family);
         }) != solid_.end();
}

void WriteLog::rename_family(const void* from, const void* to) {
  const auto rename = [&](const void*& family) {
    if (family == from) family = to;
  };
  for (WriteEntry& entry : recent_) rename(entry.writer.family);
  for (WriteEntry& entry : strided_) rename(entry.writer.family);
  for (auto& [begin, writers] : solid_) {
    rename(writers.writer.family);
    rename(writers.recorded.family);
    if (writers.recorded_by_others)
      for (Recorded& other : *writers.recorded_by_others) rename(other.family);
  }
}

}  // namespace notape
