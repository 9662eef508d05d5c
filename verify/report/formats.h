// The forms in which a run can be told.
#pragma once
#include "verify/report/record.h"

namespace notape::verify {

enum class Format : uint8_t { Json, Junit, Sarif, Markdown, Github, Html };

/// "json", "junit", ...
std::string_view name_of(Format format);
/// The format of a name; none for another word.
std::optional<Format> format_of(std::string_view name);
/// "json, junit, sarif, markdown, github, html"
std::string format_names();
/// What its file is called in --out; empty for annotations, which go to standard output.
std::string_view file_of(Format format);

std::string render(Format format, const std::vector<Record>& records, const Gates& gates);

}  // namespace notape::verify
