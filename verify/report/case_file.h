// Files of cases, so that a command line needs twelve characters only: one JSON object to a line
// (schema notape.case/1). A report has one beside it, and every run leaves one where the next
// command looks.
#pragma once
#include "verify/report/record.h"
#include "verify/runner/saved_case.h"

namespace notape::verify {

/// A file of cases that cannot be used, or a case that is nowhere. One line.
struct BadCase : ErrorOf<"BadCase"> {
  using ErrorOf::ErrorOf;
};

inline constexpr const char* kCaseFile = "cases.jsonl";

/// The code is empty if the record has no case.
SavedCase saved_case_of(const Record& record);

/// With the end of the line.
std::string case_line(const SavedCase& one);
/// The cases of the records that are too long for a command line.
std::vector<SavedCase> cases_of(const std::vector<Record>& records);

/// Where cases of earlier runs are: $NOTAPE_CASES, else notape/cases in $XDG_STATE_HOME, in
/// ~/.local/state, or in the directory for temporary files.
std::string cases_directory();
/// Leaves the cases there for later commands, in a file of their own. Where there are many, old
/// ones go: older than a day, so that whatever a run has printed can be run again after it, or, if
/// a day leaves absurdly many, the oldest; never those of this process. Nothing if there are no
/// cases. Throws BadCase.
void keep_cases(const std::vector<SavedCase>& cases);

/// The id that $NOTAPE_CASE names for check(); empty if it is empty or not set. Throws BadCase if
/// it is none.
std::string wanted_case();

/// The case of this id in a file, or in the newest file of a directory that has it. Throws BadCase.
SavedCase find_case(const std::string& id, const std::string& file_or_directory);

}  // namespace notape::verify
