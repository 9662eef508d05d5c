// A failing program made small: as few statements, operands and elements as still fail alike.
#pragma once
#include "verify/alias/trial.h"

namespace notape::verify::alias {

/// A program with the same outcome (and class of error) under the same settings; no statement,
/// size or number in it can be taken away alone.
Program shrink(const Program& failing, const Settings& settings);

}  // namespace notape::verify::alias
