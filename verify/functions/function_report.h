// function_report: the checks of the runner on a row that is in no registry, as a Report.
#pragma once
#include "verify/gradcheck.h"
#include "verify/runner/runner.h"

namespace notape::verify {

/// `certificates`, kept with `subject`, which they point to.
Report report_of(std::shared_ptr<const OpSpec> subject, std::vector<Certificate> certificates,
                 std::string note = {});
/// All checks on `subject`.
Report run_checks(std::shared_ptr<const OpSpec> subject, const Options& options,
                  std::string note = {});

}  // namespace notape::verify
