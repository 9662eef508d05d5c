// Where cases come from: RapidCheck's generator of choices, keyed by seed, operator and number.
#pragma once
#include <rapidcheck/Gen.h>

#include "ops/spec/op_spec.h"
#include "verify/generate/choices.h"

namespace notape::verify {

/// The choices of random cases of an operator; they shrink to those of simpler cases.
rc::Gen<Choices> choices_for(const OpSpec& spec, ScalarType dtype);
/// The n-th random source of an operator under a seed.
rc::Random random_for(const OpSpec& spec, ScalarType dtype, uint64_t seed, int number);

}  // namespace notape::verify
