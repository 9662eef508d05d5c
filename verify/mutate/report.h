// The kill matrix for people and for programs.
#pragma once
#include "verify/mutate/kill_matrix.h"
#include "verify/runner/saved_case.h"

namespace notape::verify::mutate {

/// A line per mutant, operators below 100 %, survivors, and the score.
std::string matrix_text(const KillMatrix& matrix);
/// One object, schema notape.mutation/1, with a line for every pair that was wrong.
std::string matrix_json(const KillMatrix& matrix);
/// For the file where later commands find it.
SavedCase case_of(const FalseAlarm& alarm);
/// What there is to plant.
std::string mutant_list(const std::vector<const Mutant*>& mutants);

}  // namespace notape::verify::mutate
