// How the command reaches proofs, which live in a library of their own.
#pragma once
#include "verify/prove/proof.h"

namespace notape::prove {

using Prove = decltype(&notape_prove);
/// Null where libnotape_proofs.so is not there, as in a build without Arb.
Prove opened_proofs();

/// The hull of the domains that the row draws this case's argument from, at most a thousand wide on
/// either side of 0.
Interval domain_of(const OpSpec& spec, const OpCase& one);

}  // namespace notape::prove
