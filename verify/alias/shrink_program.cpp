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

  void simplify(std::size_t i) {
    if (program_[i].no_grad) change(i, [](Statement& s) { s.no_grad = false; });
    if (program_[i].code == Code::Leaf || program_[i].code == Code::Constant) {
      for (const Numbers& simple :
           {Numbers{1, 0, 0, 0, 0, 1}, Numbers{2, 0, 0, 0, 0, 1}, Numbers{3, 0, 0, 0, 0, 1}})
        if (program_[i].n > simple && change(i, [&](Statement& s) { s.n = simple; })) break;
    }
    if (program_[i].code == Code::Grad) {
      change(i, [](Statement& s) { s.b = kNoSlot; });
      change(i, [](Statement& s) { s.which = 0; });
    }
    if (program_[i].code == Code::View || program_[i].code == Code::Function) {
      const int kinds = static_cast<int>(program_[i].code == Code::View ? view_kinds().size()
                                                                        : function_kinds().size());
      for (int which = 0; which < std::min<int>(program_[i].which, kinds); ++which)
        for (const Numbers& simple : {program_[i].n, Numbers{0, 0, 1, 1}, Numbers{}})
          change(i, [&](Statement& s) {
            if (which < s.which) s.which = static_cast<uint8_t>(which), s.n = simple;
          });
    }
    for (std::size_t k = 0; k < program_[i].n.size(); ++k)
      for (int8_t smaller : {0, 1})
        if (program_[i].n[k] > smaller) change(i, [&](Statement& s) { s.n[k] = smaller; });
  }

  /// Operands taken from an earlier result, nearest the beginning.
  void rewire(std::size_t i) {
    for (std::size_t earlier = 0; earlier < i; ++earlier) {
      const uint8_t slot = program_[earlier].out;
      if (slot == kNoSlot) continue;
      if (appears_before(slot, program_[i].a, i)) change(i, [&](Statement& s) { s.a = slot; });
      if (appears_before(slot, program_[i].b, i)) change(i, [&](Statement& s) { s.b = slot; });
    }
  }

  /// Whether `slot` is made earlier than `other`; only such changes make progress.
  bool appears_before(uint8_t slot, uint8_t other, std::size_t end) const {
    if (slot == other || other == kNoSlot) return false;
    for (std::size_t i = 0; i < end; ++i) {
      if (program_[i].out == slot) return true;
      if (program_[i].out == other) return false;
    }
    return false;
  }

  /// Slots numbered by first appearance, if that changes nothing.
  void rename() {
    std::array<int, 256> name;
    name.fill(-1);
    int next = 0;
    const auto renamed = [&](uint8_t slot) {
      if (slot == kNoSlot) return slot;
      if (name[slot] < 0) name[slot] = next++;
      return static_cast<uint8_t>(name[slot]);
    };
    Program candidate = program_;
    for (Statement& s : candidate) {
      s.a = renamed(s.a);
      s.b = renamed(s.b);
      s.out = renamed(s.out);
      const bool second_output =
          s.code == Code::Function && function_kinds()[s.which].effect == FunctionKind::Effect::Two;
      if (second_output) s.n[0] = static_cast<int8_t>(renamed(static_cast<uint8_t>(s.n[0])));
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
