#include "trace/report/report_page.h"

#include <filesystem>
#include <system_error>

#include "autograd/error.h"
#include "trace/output_file.h"
#include "trace/report/page.h"
#include "trace/report/sections.h"
#include "trace/report/words.h"

namespace notape::trace {

std::vector<Section> report_sections(const Facts& facts) {
  return {trust_section(facts),    step_time_section(facts), host_ahead_section(facts),
          dispatch_section(facts), allocator_section(facts), first_step_section(facts),
          top_section(facts)};
}

ReportPage report_page(const TraceModel& model) {
  const std::vector<Section> sections = report_sections(Facts(model));
  const std::string file(file_name(model.path));
  return {page_html(file, sections), page_markdown(file, sections)};
}

void write_report_page(const TraceModel& model, const std::string& folder) {
  const ReportPage page = report_page(model);
  const std::filesystem::path path = folder.empty() ? "." : folder;
  std::error_code error;
  std::filesystem::create_directories(path, error);
  if (error) throw FileError("{}: cannot be made: {}", path.string(), error.message());
  OutputFile html((path / "index.html").string()), markdown((path / "summary.md").string());
  html.write(page.html);
  markdown.write(page.markdown);
  html.commit();
  markdown.commit();
}

}  // namespace notape::trace
