// ChoiceDraw: a Draw that writes down every choice it makes, or makes the choices it is given.
#pragma once
#include <rapidcheck/Random.h>

#include <optional>

#include "ops/spec/op_spec.h"
#include "verify/generate/choices.h"

namespace notape::verify {

class ChoiceDraw : public Draw {
 public:
  /// Fresh choices.
  explicit ChoiceDraw(const rc::Random& random) : random_(random) {}
  /// These choices, and the lowest ones after them.
  explicit ChoiceDraw(Choices replay) : replay_(std::move(replay)) {}

  /// Throws ValueError if there is no such number.
  int64_t integer(int64_t low, int64_t high) override;
  uint32_t bits() { return choose(uint64_t{1} << 32); }
  /// Uniform in [0, 1), 53 bits; simpler choices give shorter fractions.
  double fraction();

  /// What was chosen, reduced to what mattered: replaying it gives the same case.
  const Choices& made() const { return made_; }

 private:
  /// A number below `bound`, which is at most 2^32.
  uint32_t choose(uint64_t bound);

  std::optional<rc::Random> random_;
  Choices replay_, made_;
};

}  // namespace notape::verify
