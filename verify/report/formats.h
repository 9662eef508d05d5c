// The formats in which a run can be reported.
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

/// The story of one certificate in plain sentences.
std::string explain(const Record& record);

// Each is in the file of its form; for JSON see json.h.

/// Certificates as JUnit XML: an operator is a suite, a check a test case; red is a failure,
/// yellow is skipped.
std::string junit_xml(const std::vector<Record>& records, const Gates& gates = {});
/// Certificates as SARIF 2.1.0, for code scanning: what is not green becomes a result at the line
/// of the operator's row, ruled by "verdict/blame", with the check's id as its fingerprint.
std::string sarif_json(const std::vector<Record>& records, const Gates& gates = {});
/// A run in Markdown: counts, failures, the largest error that could have been missed per operator,
/// the slowest ten. Fits a job summary.
std::string markdown(const std::vector<Record>& records, const Gates& gates = {});
/// What is red as annotations of GitHub Actions: `::error file=...,line=...::message`, at most ten,
/// then how many more there are.
std::string github_annotations(const std::vector<Record>& records, const Gates& gates = {});
/// A run as one HTML page that needs nothing else: no server, no network. Failures come first, then
/// a row per operator with its power, its checks and the ladder of each derivative.
std::string html_page(const std::vector<Record>& records, const Gates& gates = {});

}  // namespace notape::verify
