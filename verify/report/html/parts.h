// Parts of the HTML report.
#pragma once
#include "verify/report/summary.h"

namespace notape::verify {

/// The page's style sheet, what it adds to interchange::kSvgRules for plots, and its script
/// (sorting and filtering; the page reads well without it).
extern const char* const kHtmlStyle;
extern const char* const kPlotRules;
extern const char* const kHtmlScript;

/// "red", "yellow", "green"
const char* class_of(Colour colour);
/// A coloured word.
std::string pill(Colour colour, std::string_view text);
/// "5.2e-13", "exact"
std::string detectable_html(double detectable);

/// The case of a record: legs, ladder, inputs.
std::string exhibit_html(const Record& record);
/// A red record in full.
std::string failure_card(const Record& record, Colour colour);

}  // namespace notape::verify
