// Evidence: what the judgement of a derivative along one direction rests on, in full.
#pragma once
#include <string>
#include <vector>

#include "verify/numeric/ladder.h"

namespace notape::verify {

/// One way to get at the derivative.
struct Leg {
  std::string name;         ///< "reverse", "forward", "numeric"
  Wide value = 0;           ///< meaningless if absent
  Wide error = 0;           ///< how far off it may be
  std::string absent = {};  ///< why there is no value; empty if there is one
};

struct Evidence {
  std::string along;      ///< the direction in words
  std::vector<Leg> legs;  ///< the one under test first
  Wide scale = 0;         ///< S: the sum of the terms' sizes
  Wide radius = 0;        ///< how far apart the leg under test and its rival may be
  std::vector<Rung> rungs = {};
};

/// A leg whose value is `value()`, absent if that throws.
template <typename Value>
Leg leg_of(const char* name, const Value& value, Wide error = 0) {
  try {
    return {name, value(), error};
  } catch (const std::exception& problem) {
    return {name, 0, 0, problem.what()};
  }
}

}  // namespace notape::verify
