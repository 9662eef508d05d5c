// `notape trace report F --out DIR`: one page that answers what a profile is asked, with pictures.
#pragma once
#include <string>

#include "trace/analysis/scope.h"

namespace notape::trace {

struct ReportPage {
  std::string html;      ///< needs no other file
  std::string markdown;  ///< findings and tables, for a summary of CI
};

/// The same text for the same trace. Under 2 MB however large the trace is.
/// About the selected steps and device, or about all steps and the device with most operations.
ReportPage report_page(const TraceModel& model, const Selection& selection = {});

/// Writes index.html and summary.md, each whole or not at all, into a folder that is made if it is
/// not there. Throws FileError.
void write_report_page(const TraceModel& model, const std::string& folder,
                       const Selection& selection = {});

}  // namespace notape::trace
