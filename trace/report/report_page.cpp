#include "trace/report/report_page.h"

#include <fmt/format.h>

#include <filesystem>
#include <system_error>

#include "autograd/error.h"
#include "trace/report/page.h"
#include "trace/report/sections.h"
#include "trace/report/words.h"
#include "trace/write/output_file.h"

namespace notape::trace {

std::vector<Section> report_sections(const Facts& facts) {
  return {trust_section(facts),      step_time_section(facts), slow_steps_section(facts),
          host_ahead_section(facts), dispatch_section(facts),  allocator_section(facts),
          first_step_section(facts), top_section(facts)};
}

namespace {

/// "t.json: ProfilerStep#101 to ProfilerStep#104, device 0", of what was selected.
std::string page_title(const Facts& facts, const Selection& selection) {
  std::string title(file_name(facts.model().path));
  const std::vector<const ModelStep*>& steps = facts.whole().steps();
  if (!steps.empty()) title += ": " + steps.front()->name;
  if (steps.size() > 1) title += " to " + steps.back()->name;
  if (selection.device) title += fmt::format(", device {}", *selection.device);
  return title;
}

}  // namespace

ReportPage report_page(const TraceModel& model, const Selection& selection) {
  if (model.is_of_several())
    return report_page(of_process(model, busiest_process(model)), selection);
  const Facts facts(model, selection);
  const std::vector<Section> sections = report_sections(facts);
  const std::string file = page_title(facts, selection);
  return {page_html(file, sections), page_markdown(file, sections)};
}

void write_report_page(const TraceModel& model, const std::string& folder,
                       const Selection& selection) {
  const ReportPage page = report_page(model, selection);
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
