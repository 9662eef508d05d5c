// Tensors that leave their history behind: detach(), detach_() and data().
#pragma once
#include "verify/alias/kinds/kind.h"

namespace notape::verify::alias {

/// out = a.detach(), a.detach_() or out = a.data()
struct Detach {
  static constexpr bool kIgnoresGradMode = true;
  enum class Way : uint8_t { Detach, InPlace, Data };
  Slot out = kNoSlot;  ///< drawn for detach_(), too, which leaves it alone
  Slot a = kNoSlot;
  Way way = Way::Detach;

  static Detach propose(Draws& draws, Slot a) {
    const auto way = static_cast<Way>(draws.below(3));
    return {draws.slot_for_result(), a, way};
  }

  Expectation expect(const Oracle& oracle, bool) const {
    const bool has_room = oracle.can_store(0, 1);
    if (way != Way::InPlace) return out < kSlots && has_room ? Expectation() : kSkip;
    const Alias& x = oracle.alias(a);
    if (x.is_view) return {.must = bit(Failure::DetachView)};
    return oracle.family_of(x).is_leaf || !has_room ? kSkip : Expectation();
  }

  void apply(Oracle& oracle, bool) const {
    Alias& x = oracle.held(a);
    if (way != Way::InPlace) return oracle.set(out, oracle.detached(x));
    Alias cut = oracle.detached(x, oracle.family_of(x).whole);  // older views keep their tangents
    oracle.storage_of(x).hidden_sharers = true;
    cut.serial = x.serial;
    x = cut;
  }

  void run(Executor& executor) const {
    Tensor& x = executor.held(a);
    if (way == Way::InPlace)
      x.detach_();
    else
      executor.held(out) = way == Way::Data ? x.data() : x.detach();
  }

  std::string text() const {
    if (way == Way::InPlace) return fmt::format("t{}.detach_();", a);
    return fmt::format("t{} = t{}.{}();", out, a, way == Way::Data ? "data" : "detach");
  }

  Parts parts() { return {&out, {&a}, {}, {}}; }
  bool operator==(const Detach&) const = default;
};

}  // namespace notape::verify::alias
