#include "verify/alias/draws.h"

namespace notape::verify::alias {

uint64_t Random::next() {
  uint64_t z = state_ += 0x9e3779b97f4a7c15;
  z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
  z = (z ^ z >> 27) * 0x94d049bb133111eb;
  return z ^ z >> 31;
}

Slot Draws::any_slot() {
  for (int tries = 0; tries < 100; ++tries) {  // everything may have been dropped
    const auto slot = static_cast<Slot>(below(kSlots));
    if (oracle_.is_defined(slot)) return slot;
  }
  return 0;
}

Slot Draws::slot_to_write() {
  Slot slot = any_slot();
  for (int tries = 0; tries < 5 && !breaks_rules; ++tries, slot = any_slot())
    if (!oracle_.is_leaf_or_view_of_leaf(oracle_.alias(slot)) &&
        !oracle_.alias(slot).overlaps_itself())
      break;
  return slot;
}

Slot Draws::slot_for_result() {
  for (int tries = 0; tries < 4; ++tries) {
    const auto slot = static_cast<Slot>(below(kSlots));
    if (!oracle_.is_defined(slot)) return slot;
  }
  return static_cast<Slot>(below(kSlots));
}

Slot Draws::partner_of(Slot a) {
  const Window& shape = window_of(a);
  Slot b = any_slot();
  for (int tries = 0; tries < 6; ++tries, b = any_slot()) {
    Window both;
    if (window_of(b).same_shape(shape)) break;
    if (tries > 2 && broadcast(shape, window_of(b), both)) break;
  }
  return b;
}

}  // namespace notape::verify::alias
