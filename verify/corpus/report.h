// A calibration for people and for programs.
#pragma once
#include "verify/corpus/calibration.h"

namespace notape::verify::corpus {

/// A line per family, every violation with its replay, and the sums.
std::string calibration_text(const Calibration& calibration);
/// One object, schema notape.calibration/1, with a line per function and mistake. `comparison`:
/// what against_torch() has as JSON.
std::string calibration_json(const Calibration& calibration, const std::string& comparison = "");
/// What the corpus has.
std::string corpus_list(const std::vector<Chosen>& chosen);

/// "notape verify calibrate gelu_tanh/constant --seed 17"
std::string replay_of(const Violation& violation);

}  // namespace notape::verify::corpus
