// How the report's page looks.
#pragma once

namespace notape::trace {

/// CSS for the page, beside the palette and the rules of pictures.
extern const char* const kReportStyle;

}  // namespace notape::trace
