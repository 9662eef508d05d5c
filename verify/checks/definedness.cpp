#include "verify/checks/definedness.h"

#include <rapidcheck/Random.h>

namespace notape::verify {

bool may_be_undefined(const Subject& subject, std::size_t argument) {
  constexpr int kSiblings = 20;
  for (int number = 0; number < kSiblings; ++number) {
    ChoiceDraw draw(rc::Random(static_cast<uint64_t>(number)));
    const DrawnCase drawn = draw_case(subject.spec, draw, subject.dtype);
    if (argument >= drawn.arguments.size() || drawn.arguments[argument].values.empty()) continue;
    const Subject sibling(subject.spec, drawn, subject.dtype, subject.device);
    if (sibling.is_differentiable() && !sibling.base().defined[argument]) return true;
  }
  return false;
}

}  // namespace notape::verify
