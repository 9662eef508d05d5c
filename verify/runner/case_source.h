// Where cases come from: RapidCheck's generator of choices, keyed by seed, operator and number.
#pragma once
#include <rapidcheck/Gen.h>

#include "verify/generate/choices.h"
#include "verify/runner/certificate.h"

namespace notape::verify {

/// The choices of random cases of an operator; they shrink to those of simpler cases.
rc::Gen<Choices> choices_for(const OpSpec& spec, ScalarType dtype);
/// The n-th random source of an operator under a seed.
rc::Random random_for(const OpSpec& spec, ScalarType dtype, uint64_t seed, int number);

/// The case in words, for a failure.
Failure describe_case(const OpSpec& spec, ScalarType dtype, Device device, const Choices& choices);

}  // namespace notape::verify
