#include "autograd/tensor/fingerprint.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <vector>

namespace notape {
namespace {

constexpr int64_t kLine = 64, kSamples = 32;

/// Where the sample begins, of `bytes` > kSamples * kLine: one in each of equal parts, the first
/// and the last at the ends, the others scattered, so that no stride of a write can avoid them all.
int64_t sample_offset(int64_t sample, int64_t bytes) {
  if (sample == kSamples - 1) return bytes - kLine;
  const int64_t part = bytes / kSamples;
  const uint64_t scattered = static_cast<uint64_t>(sample) * 0x9e3779b97f4a7c15 >> 16;
  return sample * part + static_cast<int64_t>(scattered % static_cast<uint64_t>(part - kLine + 1));
}

struct Dim {
  int64_t size, stride;
};

/// The dimensions that lead to different elements, outermost in memory first, neighbours joined.
std::vector<Dim> essential_dims(const Geometry& region) {
  std::vector<Dim> dims;
  for (int d = 0; d < region.dim(); ++d)
    if (region.size(d) != 1 && region.stride(d) != 0)
      dims.push_back({region.size(d), region.stride(d)});
  std::sort(dims.begin(), dims.end(), [](Dim a, Dim b) { return a.stride > b.stride; });
  for (std::size_t i = dims.size(); i-- > 1;)
    if (dims[i - 1].stride == dims[i].size * dims[i].stride) {
      dims[i - 1] = {dims[i - 1].size * dims[i].size, dims[i].stride};
      dims.erase(dims.begin() + static_cast<std::ptrdiff_t>(i));
    }
  return dims;
}

/// A window as runs of neighbouring bytes of equal length.
class Runs {
 public:
  Runs(const Geometry& region, int64_t item_size)
      : dims_(essential_dims(region)), item_size_(item_size), begin_(region.offset() * item_size) {
    if (!dims_.empty() && dims_.back().stride == 1) {
      length_ = dims_.back().size;
      dims_.pop_back();
    }
    length_ *= item_size;
    for (const Dim& dim : dims_) count_ *= dim.size;
  }
  int64_t count() const { return count_; }
  int64_t length() const { return length_; }
  int64_t bytes() const { return count_ * length_; }
  int64_t offset(int64_t run) const {
    int64_t at = 0;
    for (std::size_t d = dims_.size(); d-- > 0; run /= dims_[d].size)
      at += run % dims_[d].size * dims_[d].stride;
    return begin_ + at * item_size_;
  }
  /// Calls visit(offset) for each, without the divisions of offset().
  template <typename Visit>
  void for_each(Visit visit) const {
    if (dims_.empty()) return visit(begin_);
    const Dim inner = dims_.back();
    for (int64_t first = 0; first < count_; first += inner.size) {
      const int64_t begin = offset(first);
      for (int64_t i = 0; i < inner.size; ++i) visit(begin + i * inner.stride * item_size_);
    }
  }

 private:
  std::vector<Dim> dims_;
  int64_t item_size_, begin_, length_ = 1, count_ = 1;
};

const unsigned char* at(const void* data, int64_t offset) {
  return static_cast<const unsigned char*>(data) + offset;
}

/// Short runs are gathered first: the hash takes them by blocks.
uint64_t hash_in_full(const void* data, const Runs& runs) {
  ByteHash hash;
  if (runs.length() >= 4 * kLine) {
    runs.for_each([&](int64_t offset) {
      hash.add(at(data, offset), static_cast<std::size_t>(runs.length()));
    });
    return hash.finish();
  }
  unsigned char gathered[4096] = {};
  std::size_t filled = 0;
  const auto length = static_cast<std::size_t>(runs.length());
  const auto take = [&](auto copy) {
    runs.for_each([&](int64_t offset) {
      if (filled + length > sizeof gathered) {
        hash.add(gathered, filled);
        filled = 0;
      }
      copy(gathered + filled, at(data, offset));
      filled += length;
    });
  };
  // Of a length known to the compiler: a move instead of a call.
  if (length == 4)
    take([](unsigned char* to, const unsigned char* from) { std::memcpy(to, from, 4); });
  else if (length == 8)
    take([](unsigned char* to, const unsigned char* from) { std::memcpy(to, from, 8); });
  else
    take([&](unsigned char* to, const unsigned char* from) { std::memcpy(to, from, length); });
  hash.add(gathered, filled);
  return hash.finish();
}

uint64_t hash_samples(const void* data, const Runs& runs) {
  ByteHash hash;
  unsigned char gathered[kSamples * kLine];
  std::size_t filled = 0;
  // A sample may begin near the end of a run: it then is the run's last line. All are on their way
  // before the first is waited for.
  const int64_t length = std::min(kLine, runs.length());
  const unsigned char* lines[kSamples];
  for (int64_t i = 0; i < kSamples; ++i) {
    const int64_t place = sample_offset(i, runs.bytes());
    const int64_t run = runs.count() == 1 ? 0 : place / runs.length();
    const int64_t within = std::min(place - run * runs.length(), runs.length() - length);
    lines[i] = at(data, runs.offset(run) + within);
    __builtin_prefetch(lines[i]);
    __builtin_prefetch(lines[i] + length - 1);
  }
  for (const unsigned char* line : lines) {
    std::memcpy(gathered + filled, line, static_cast<std::size_t>(length));
    filled += static_cast<std::size_t>(length);
  }
  hash.add(gathered, filled);
  return hash.finish();
}

}  // namespace

void ByteHash::add_blocks(const unsigned char* next, std::size_t count) {
  uint64_t lanes[kLanes];  // in registers: bytes may alias anything
  std::copy_n(lanes_, kLanes, lanes);
  // Each step is one-to-one in the word and in the lane; the rotation brings the highest bit, a
  // number's sign, to where the multiplication spreads it.
  for (; count > 0; --count, next += kBlock)
    for (std::size_t i = 0; i < kLanes; ++i) {
      uint64_t word = 0;
      std::memcpy(&word, next + i * sizeof word, sizeof word);
      lanes[i] = std::rotl((lanes[i] ^ word) * 0x9e3779b185ebca87, 31);
    }
  std::copy_n(lanes, kLanes, lanes_);
}

void ByteHash::add(const void* data, std::size_t bytes) {
  const auto* next = static_cast<const unsigned char*>(data);
  length_ += bytes;
  const std::size_t rest = bytes % kBlock;
  add_blocks(next, bytes / kBlock);
  if (rest == 0) return;
  unsigned char last[kBlock] = {};
  std::memcpy(last, next + (bytes - rest), rest);
  add_blocks(last, 1);
}

uint64_t ByteHash::finish() const {
  uint64_t hash = length_;
  for (const uint64_t lane : lanes_) hash = std::rotl(hash * 0xc2b2ae3d27d4eb4f ^ lane, 27);
  return hash;
}

uint64_t fingerprint_of(const void* data, const Geometry& region, int64_t item_size) {
  if (region.numel() == 0) return 0;
  const Runs runs(region, item_size);
  return runs.bytes() <= kFingerprintedInFull ? hash_in_full(data, runs) : hash_samples(data, runs);
}

ByteSnapshot::ByteSnapshot(const void* data, std::size_t bytes) : bytes_(bytes) {
  const auto all = static_cast<int64_t>(bytes);
  if (all <= kFingerprintedInFull) {
    copy_ = std::make_unique_for_overwrite<unsigned char[]>(bytes);
    if (bytes > 0) std::memcpy(copy_.get(), data, bytes);
    return;
  }
  copy_ = std::make_unique_for_overwrite<unsigned char[]>(kSamples * kLine);
  for (int64_t i = 0; i < kSamples; ++i)
    std::memcpy(copy_.get() + i * kLine, at(data, sample_offset(i, all)), kLine);
}

bool ByteSnapshot::agrees(const void* data, const Geometry& region, int64_t item_size) const {
  if (region.numel() == 0) return true;
  const auto all = static_cast<int64_t>(bytes_);
  bool same = true;
  if (all <= kFingerprintedInFull) {
    const Runs runs(region, item_size);
    runs.for_each([&](int64_t offset) {
      same = same && std::memcmp(copy_.get() + offset, at(data, offset),
                                 static_cast<std::size_t>(runs.length())) == 0;
    });
    return same;
  }
  for (int64_t i = 0; i < kSamples && same; ++i) {
    const int64_t offset = sample_offset(i, all);
    const unsigned char* before = copy_.get() + i * kLine;
    if (std::memcmp(before, at(data, offset), kLine) == 0) continue;
    for (int64_t b = 0; b < kLine && same; ++b)  // are the changed bytes in the region?
      same = before[b] == *at(data, offset + b) ||
             !overlaps(Geometry({1}, {1}, offset + b), 1, region, item_size);
  }
  return same;
}

}  // namespace notape
