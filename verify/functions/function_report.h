// function_report: the checks of the runner on a row that is in no registry, as a Report.
#pragma once
#include "verify/gradcheck.h"
#include "verify/report/record.h"
#include "verify/runner/runner.h"

namespace notape::verify {

/// `certificates`, kept with `subject`, which they point to.
Report report_of(std::shared_ptr<const OpSpec> subject, std::vector<Certificate> certificates,
                 std::string note = {});
/// All checks on `subject`.
Report run_checks(std::shared_ptr<const OpSpec> subject, const Options& options,
                  std::string note = {});
/// The line that runs the case of a failure again, which is for the test that made it: the command
/// knows no functions of a test's. Empty where no case was kept.
void tell_replay(Record& record);

}  // namespace notape::verify
