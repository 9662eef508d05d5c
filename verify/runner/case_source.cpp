#include "verify/runner/case_source.h"

#include <rapidcheck.h>

#include "verify/generate/drawn_case.h"

namespace notape::verify {
rc::Gen<Choices> choices_for(const OpSpec& spec, ScalarType dtype) {
  return [&spec, dtype](const rc::Random& random, int) {
    ChoiceDraw draw(random);
    try {
      draw_case(spec, draw, dtype);
    } catch (...) {
      // The row's generator itself is at fault; replaying its choices shows it as a verdict.
    }
    return shrinkable(draw.made());
  };
}

rc::Random random_for(const OpSpec& spec, ScalarType dtype, uint64_t seed, int number) {
  uint64_t name = 14695981039346656037u;  // FNV-1a
  for (const char* c = spec.name; *c; ++c)
    name = (name ^ static_cast<uint8_t>(*c)) * 1099511628211u;
  return rc::Random(
      rc::Random::Key{seed, name, static_cast<uint64_t>(dtype), static_cast<uint64_t>(number)});
}

}  // namespace notape::verify
