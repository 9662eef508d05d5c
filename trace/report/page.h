// The report as a page and as a summary.
#pragma once
#include <string>
#include <vector>

#include "trace/report/section.h"

namespace notape::trace {

/// One HTML page that needs no other file, in the light or dark colours that the reader's system
/// asks for. `file`: the trace's name.
std::string page_html(const std::string& file, const std::vector<Section>& sections);
/// The findings and tables as Markdown, for a summary of CI.
std::string page_markdown(const std::string& file, const std::vector<Section>& sections);

}  // namespace notape::trace
