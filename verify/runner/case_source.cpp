#include "verify/runner/case_source.h"

#include <rapidcheck.h>

#include <algorithm>

#include "verify/generate/drawn_case.h"
#include "verify/plugin/c_operator.h"

namespace notape::verify {
namespace {

/// Ways that are tried one after another before any is drawn; later ones are left to chance. So are
/// all where there are absurdly many, as of a plugin to which the way is a seed: sources that lead
/// to one of them are too rare to be looked for.
int ways_in_turn(const OpSpec& spec) {
  constexpr int32_t kMost = 100, kTooMany = 1000;
  const int32_t ways = ways_of(spec);
  return ways > kTooMany ? 0 : std::min(ways, kMost);
}

/// The way that a random source leads to, as draw_case() draws: after the key.
int64_t way_from(const rc::Random& source, int32_t ways) {
  ChoiceDraw draw(source);
  draw.bits();
  return draw.integer(0, ways - 1);
}

}  // namespace

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

int cases_of(const OpSpec& spec, int samples) { return std::max(samples, ways_in_turn(spec)); }

namespace {

/// Which cases belong to a type. Stays what it is when types are added between others.
uint64_t stream_of(ScalarType dtype) {
  switch (dtype) {
    case kFloat32:
      return 4;
    case kFloat64:
      return 5;
    default:
      return 0x100 + static_cast<uint64_t>(element_type(dtype).digits);
  }
}

}  // namespace

rc::Random random_for(const OpSpec& spec, ScalarType dtype, uint64_t seed, int number) {
  uint64_t name = 14695981039346656037u;  // FNV-1a
  for (const char* c = spec.name; *c; ++c)
    name = (name ^ static_cast<uint8_t>(*c)) * 1099511628211u;
  const auto source = [&](uint64_t attempt) {
    return rc::Random(rc::Random::Key{seed, name, stream_of(dtype),
                                      static_cast<uint64_t>(number) + (attempt << 32)});
  };
  const int in_turn = ways_in_turn(spec);
  uint64_t attempt = 0;
  if (number < in_turn)
    while (way_from(source(attempt), ways_of(spec)) != number) ++attempt;
  return source(attempt);
}

}  // namespace notape::verify
