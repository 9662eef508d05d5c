// Views, of one result or several, and reshape where it has to copy.
#pragma once
#include "verify/alias/kinds/kind.h"
#include "verify/alias/view_kinds.h"

namespace notape::verify::alias {

/// out = a.view(numbers), and second_out = another one of several results
struct View {
  Slot out = kNoSlot, second_out = kNoSlot, a = kNoSlot;
  uint8_t kind = 0;   ///< in view_kinds()
  Numbers numbers{};  ///< what they mean is up to the kind

  static View propose(Draws& draws, Slot) {
    View one{.out = draws.slot_for_result()};
    one.a = draws.any_slot();
    one.kind = draws.row_of(view_kinds());
    one.numbers = view_kinds()[one.kind].propose(draws, draws.window_of(one.a));
    if (view_kinds()[one.kind].call_all && draws.percent(50)) {
      one.second_out = draws.slot_for_result();
      one.numbers[kSecondOutput] = small(draws.below(3));
    }
    return one;
  }

  Expectation expect(const Oracle& oracle, bool no_grad) const {
    if (out >= kSlots || !oracle.can_store(1, 1)) return kSkip;
    const Alias& x = oracle.alias(a);
    const ViewKind& view = view_kinds()[kind];
    if (view.reads_strides && oracle.storage_of(x).unknown_layout) return kSkip;
    Window window, second;
    const bool shows = view.window(x.window, numbers, numbers[kFirstOutput], window);
    if (view.may_copy) {
      if (x.overlaps_itself() || !has_sizes_of(numbers, x.numel)) return kSkip;
    } else if (!shows) {
      return kSkip;
    }
    if (has_two(*this) && (second_out >= kSlots || second_out == out ||
                           numbers[kFirstOutput] == numbers[kSecondOutput] ||
                           !view.window(x.window, numbers, numbers[kSecondOutput], second)))
      return kSkip;
    if (view.whole_only) return expect_of_storage(oracle, x, window, no_grad);
    if (view.joins_dims && window.rank > 0 && x.overlaps_itself()) return kSkip;
    return {.must = no_grad ? 0 : oracle.stale(x)};
  }

  void apply(Oracle& oracle, bool no_grad) const {
    const Alias x = oracle.alias(a);
    const ViewKind& view = view_kinds()[kind];
    Window window, second;
    if (!view.window(x.window, numbers, numbers[kFirstOutput], window))
      return oracle.set(out, viewed_copy(*this, oracle, x, no_grad));
    Alias result = oracle.view_of(x, window, no_grad);
    if (view.whole_only && Oracle::is_past(x, window))
      result.needed = !no_grad && oracle.family_of(x).needs;
    oracle.set(out, result);
    if (!has_two(*this)) return;
    view.window(x.window, numbers, numbers[kSecondOutput], second);
    oracle.set(second_out, oracle.view_of(x, second, no_grad));
  }

  void run(Executor& executor) const {
    const ViewKind& view = view_kinds()[kind];
    const Tensor& x = executor.held(a);
    if (!view.call_all) {
      executor.held(out) = executor.kept(view.call(x, numbers));
      return;
    }
    const std::vector<Tensor> all = view.call_all(x, numbers);
    executor.held(out) = executor.kept(all[at(numbers[kFirstOutput])]);
    if (second_out != kNoSlot)
      executor.held(second_out) = executor.kept(all[at(numbers[kSecondOutput])]);
  }

  std::string text() const {
    const ViewKind& view = view_kinds()[kind];
    const std::string call = fmt::format("t{}.{}", a, view.text(numbers));
    if (!view.call_all) return fmt::format("t{} = {};", out, call);
    const int first = numbers[kFirstOutput], second = numbers[kSecondOutput];
    if (second_out == kNoSlot) return fmt::format("t{} = {}[{}];", out, call, first);
    return fmt::format("{{ auto all = {}; t{} = all[{}]; t{} = all[{}]; }}", call, out, first,
                       second_out, second);
  }

  Parts parts() {
    auto& n = numbers;
    return {&out, {&a, &second_out}, {}, {&n[0], &n[1], &n[2], &n[3], &n[4], &n[5]}};
  }
  std::vector<View> simpler() const {
    std::vector<View> result;
    for (uint8_t earlier = 0; earlier < kind; ++earlier)
      for (const Numbers& simple : {numbers, Numbers{0, 0, 1, 1}, Numbers{}}) {
        result.push_back(*this);
        result.back().kind = earlier;
        result.back().numbers = simple;
      }
    return result;
  }

  bool operator==(const View&) const = default;

 private:
  static bool has_two(const View& one) {
    return view_kinds()[one.kind].call_all && one.second_out != kNoSlot;
  }

  /// A view, as asked for, of a copy that has no name of its own any more.
  static Alias viewed_copy(const View& one, Oracle& oracle, const Alias& a, bool no_grad) {
    const Cells x = oracle.read(a, !no_grad);
    Elements elements;
    for (std::size_t i = 0; i < at(a.numel); ++i) elements[i] = oracle.element(x, i);
    oracle.family_of(a).used = true;
    const Window shape = dense_window({one.numbers.data(), at(one.numbers[kRank])});
    const Alias base = oracle.make_fresh(shape, !no_grad && oracle.says(a), elements);
    oracle.storage_of(base).hidden_sharers = true;
    return oracle.view_of(base, base.window, no_grad);
  }

  /// Of as_strided, whose window is one of the storage.
  static Expectation expect_of_storage(const Oracle& oracle, const Alias& a, const Window& window,
                                       bool no_grad) {
    const Family& family = oracle.family_of(a);
    for (int i = 0; i < window.numel(); ++i)
      if (window.cell(i) >= oracle.storage_of(a).cells) return kSkip;
    if (!family.whole || a.tag != Tag::Plain) return kSkip;
    if (Oracle::is_past(a, window)) {
      if (oracle.features().tangents || oracle.has_own_rows(a, Oracle::As::Operand)) return kSkip;
      if (!no_grad && family.needs && family.overlaps_itself)
        return {.must = bit(Failure::MemoryOverlap)};
    }
    return {.must = no_grad ? 0 : oracle.stale(a)};
  }

  static bool has_sizes_of(const Numbers& numbers, int numel) {
    int cells = 1;
    if (numbers[kRank] < 0 || numbers[kRank] > kMaxDims) return false;
    for (int d = 0; d < numbers[kRank]; ++d) cells *= numbers[at(d)];
    return cells == numel;
  }
};

}  // namespace notape::verify::alias
