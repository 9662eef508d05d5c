#include "verify/checks/known_loss.h"

#include "ops/spec/known_by_result.h"
#include "verify/numeric/last_place.h"

namespace notape::verify {

Wide known_loss(const Subject& subject, const Numbers& v,
                std::initializer_list<const Direction*> u) {
  const KnownByResult* known = known_by_result(subject.spec.name);
  if (!known || subject.is_opaque()) return 0;
  // Such an operator has one argument, of the result's shape.
  const WideTensor y = subject.reference(subject.wide());
  Wide sum = 0;
  for (std::size_t i = 0; i < y.values.size() && i < v.size(); ++i) {
    Wide term = loss_of(*known, static_cast<int>(u.size()), y.values[i],
                        last_place(y.values[i], subject.dtype)) *
                magnitude(Wide(v[i]));
    for (const Direction* one : u) {
      const Numbers& part = one->parts.front();
      term *= part.empty() ? Wide(0) : magnitude(Wide(part[i]));
    }
    sum += term;
  }
  return sum;
}

}  // namespace notape::verify
