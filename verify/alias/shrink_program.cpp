#include "verify/alias/shrink_program.h"

#include <algorithm>

namespace notape::verify::alias {
namespace {

class Shrinker {
 public:
  Shrinker(Program program, const Settings& settings)
      : trial_(settings), program_(std::move(program)) {
    const TrialResult& result = trial_.run(program_);
    outcome_ = result.outcome;
    failure_ = result.failure;
  }

  Program run() {
    do {
      changed_ = false;
      remove_statements();
      for (std::size_t i = 0; i < program_.size(); ++i) simplify(i);
      for (std::size_t i = 0; i < program_.size(); ++i) rewire(i);
    } while (changed_);
    rename();
    return program_;
  }

 private:
  bool still_fails(const Program& program) {
    const TrialResult& result = trial_.run(program);
    return result.outcome == outcome_ && result.failure == failure_;
  }

  bool keep(Program candidate) {
    if (candidate == program_ || !still_fails(candidate)) return false;
    program_ = std::move(candidate);
    return changed_ = true;
  }

  void remove_statements() {
    for (std::size_t count = program_.size(); count > 0; count /= 2)
      for (std::size_t end = program_.size(); end >= count; --end) {
        if (end > program_.size()) continue;
        Program candidate = program_;
        const auto last = candidate.begin() + static_cast<std::ptrdiff_t>(end);
        candidate.erase(last - static_cast<std::ptrdiff_t>(count), last);
        keep(std::move(candidate));
      }
  }

  template <typename Change>
  bool change(std::size_t i, Change how) {
    Program candidate = program_;
    how(candidate[i]);
    return keep(std::move(candidate));
  }

  template <typename T>
  static void reduce(T* number, T smaller) {
    if (number && *number > smaller) *number = smaller;
  }

  /// Puts the first of the simpler forms in its place that fails, too, until there is none.
  void replace(std::size_t i) {
    const auto forms = std::visit(
        [](const auto& kind) {
          std::vector<Kind> result;
          if constexpr (requires { kind.simpler(); })
            for (const auto& one : kind.simpler()) result.emplace_back(one);
          return result;
        },
        program_[i].what);
    for (const Kind& form : forms)
      if (change(i, [&](Statement& s) { s.what = form; })) return replace(i);
  }

  void simplify(std::size_t i) {
    if (program_[i].no_grad) change(i, [](Statement& s) { s.no_grad = false; });
    replace(i);
    for (std::size_t k = 0; k < Parts().numbers.size(); ++k)
      for (const int8_t smaller : {0, 1})
        change(i, [&](Statement& s) { reduce(s.parts().numbers[k], smaller); });
    for (const Slot smaller : {0, 1})
      change(i, [&](Statement& s) { reduce(s.parts().second_out, smaller); });
  }

  /// Operands taken from an earlier result, nearest the beginning.
  void rewire(std::size_t i) {
    for (std::size_t earlier = 0; earlier < i; ++earlier) {
      const Slot slot = program_[earlier].out();
      if (slot == kNoSlot) continue;
      for (std::size_t k = 0; k < Parts().operands.size(); ++k)
        if (appears_before(slot, program_[i].operands()[k], i))
          change(i, [&](Statement& s) { *s.parts().operands[k] = slot; });
    }
  }

  /// Whether `slot` is made earlier than `other`; only such changes make progress.
  bool appears_before(Slot slot, Slot other, std::size_t end) const {
    if (slot == other || other == kNoSlot) return false;
    for (std::size_t i = 0; i < end; ++i) {
      if (program_[i].out() == slot) return true;
      if (program_[i].out() == other) return false;
    }
    return false;
  }

  /// Slots numbered by first appearance, if that changes nothing.
  void rename() {
    std::array<int, 256> name;
    name.fill(-1);
    int next = 0;
    const auto rename_slot = [&](Slot* slot) {
      if (!slot || *slot == kNoSlot) return;
      if (name[*slot] < 0) name[*slot] = next++;
      *slot = static_cast<Slot>(name[*slot]);
    };
    Program candidate = program_;
    for (Statement& s : candidate) {
      const Parts parts = s.parts();
      for (Slot* slot : parts.operands) rename_slot(slot);
      rename_slot(parts.out);
      rename_slot(parts.second_out);
    }
    if (next <= kSlots) keep(std::move(candidate));
  }

  Trial trial_;
  Program program_;
  Outcome outcome_;
  Failure failure_;
  bool changed_ = false;
};

}  // namespace

Program shrink(const Program& failing, const Settings& settings) {
  return Shrinker(failing, settings).run();
}

}  // namespace notape::verify::alias
