// Where cases come from: RapidCheck's generator of choices, keyed by seed, operator and number.
#pragma once
#include <rapidcheck/Gen.h>

#include "ops/spec/op_spec.h"
#include "verify/generate/choices.h"

namespace notape::verify {

/// The choices of random cases of an operator; they shrink to those of simpler cases.
rc::Gen<Choices> choices_for(const OpSpec& spec, ScalarType dtype);
/// How many cases there are if `samples` are wanted: at least one for every way of a C operator.
int cases_of(const OpSpec& spec, int samples);
/// The n-th random source of an operator under a seed; of a C operator, one that leads to its n-th
/// way, as long as there are ways, so that none is left to chance.
rc::Random random_for(const OpSpec& spec, ScalarType dtype, uint64_t seed, int number);

}  // namespace notape::verify
