// What `notape verify --budget` knows before it starts.
#pragma once
#include "verify/command/session.h"
#include "verify/schedule/budget.h"

namespace notape::verify {

struct Arguments;

/// The operators by risk: by git, by earlier certificates in --history or --out, by --mutation.
/// Throws UsageError and BadCertificate for a --history that cannot be read; what is in --out and
/// cannot be read is told and ignored.
Budget budget_of(const Arguments& arguments, const SpecList& specs, const Session& session);

}  // namespace notape::verify
