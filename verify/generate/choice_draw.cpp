#include "verify/generate/choice_draw.h"

namespace notape::verify {

uint32_t ChoiceDraw::choose(uint64_t bound) {
  uint64_t raw = 0;
  if (random_)
    raw = random_->next() >> 32;
  else if (made_.size() < replay_.size())
    raw = replay_[made_.size()];
  made_.push_back(static_cast<uint32_t>(raw % bound));
  return made_.back();
}

int64_t ChoiceDraw::integer(int64_t low, int64_t high) {
  if (low > high) throw ValueError("a case draws a number between {} and {}", low, high);
  const uint64_t range = static_cast<uint64_t>(high) - static_cast<uint64_t>(low);
  uint64_t chosen;
  if (range < (uint64_t{1} << 32)) {
    chosen = choose(range + 1);
  } else {
    chosen = static_cast<uint64_t>(bits()) << 32 | bits();
    if (range != UINT64_MAX) chosen %= range + 1;
  }
  return static_cast<int64_t>(static_cast<uint64_t>(low) + chosen);
}

double ChoiceDraw::fraction() {
  const double high = bits();
  const double low = choose(1u << 21);
  return (high + low * 0x1p-21) * 0x1p-32;
}

}  // namespace notape::verify
