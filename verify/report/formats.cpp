#include "verify/report/formats.h"

#include "verify/report/json.h"

namespace notape::verify {
namespace {

struct Row {
  Format format;
  std::string_view name, file;
  std::string (*render)(const std::vector<Record>& records, const Gates& gates);
};

constexpr Row kRows[] = {
    {Format::Json, "json", "certificates.jsonl.gz",
     [](const std::vector<Record>& records, const Gates&) { return bundle_json(records); }},
    {Format::Junit, "junit", "junit.xml", junit_xml},
    {Format::Sarif, "sarif", "verify.sarif", sarif_json},
    {Format::Markdown, "markdown", "summary.md", markdown},
    {Format::Github, "github", "", github_annotations},
    {Format::Html, "html", "index.html", html_page},
};

const Row& row_of(Format format) { return kRows[static_cast<int>(format)]; }

}  // namespace

std::string_view name_of(Format format) { return row_of(format).name; }

std::optional<Format> format_of(std::string_view name) {
  for (const Row& row : kRows)
    if (row.name == name) return row.format;
  return {};
}

std::string format_names() {
  std::string names;
  for (const Row& row : kRows) names += (names.empty() ? "" : ", ") + std::string(row.name);
  return names;
}

std::string_view file_of(Format format) { return row_of(format).file; }

std::string render(Format format, const std::vector<Record>& records, const Gates& gates) {
  return row_of(format).render(records, gates);
}

}  // namespace notape::verify
