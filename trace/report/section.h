// What a report says, before anyone decides how to show it: a section per question, with figures
// and one line that explains each, pictures and tables, and how all of them are computed.
#pragma once
#include <functional>
#include <string>
#include <vector>

#include "trace/analysis/report.h"
#include "trace/report/sentence.h"

namespace notape::trace {

enum class Tone : unsigned char { Good, Plain, Warning, Bad };
/// "good", "plain", "warning", "bad"
const char* tone_name(Tone tone);

/// A figure, or without a label a remark, which is its value.
struct Finding {
  std::string label = {};
  Sentence value = {};
  std::string meaning = {};  ///< the figure in one line
  std::string doubt = {};    ///< why not to rely on it; empty if nothing speaks against it
  Tone tone = Tone::Plain;

  /// "label: value, meaning (not reliable: doubt)"
  Sentence line() const;
};

/// How a figure is computed, in a sentence or two.
struct Definition {
  std::string id;  ///< of letters and "-"
  std::string title;
  std::string text;
};

struct LegendEntry {
  std::string classes = {};  ///< of CSS, of the mark
  std::string label = {};
};

struct Figure {
  std::string id = {};
  std::string title = {};
  std::string svg = {};         ///< one <svg> element
  std::string definition = {};  ///< its id
  std::string doubt = {};
  std::vector<LegendEntry> legend = {};

  /// Unless it is in the legend.
  void explain(const char* classes, const char* label);
};

struct Cell {
  Sentence text = {};
  bool is_number = true;
  double bar = -1;  ///< a bar in the background, share of the width: 0 to 1; negative: none
};

struct FigureTable {
  std::string id = {};
  std::string title = {};
  std::string definition = {};
  std::string doubt = {};
  std::vector<std::string> columns = {};
  std::vector<std::vector<Cell>> rows = {};
};

/// How a value is shown: by its type, as a share, as bytes, with a bar, as text of ours.
enum class Look : unsigned char { Plain, Share, Bytes, Bar, Words };

/// A metric of an analysis as a finding.
struct MetricLine {
  const char *metric, *label, *meaning;
  Look look = Look::Plain;
};

struct Section {
  std::string id = {};
  std::string question = {};
  std::vector<Finding> findings = {};
  std::vector<Figure> figures = {};
  std::vector<FigureTable> tables = {};
  std::vector<Definition> definitions = {};

  void say(Tone tone, Sentence remark) {
    findings.push_back({.value = std::move(remark), .tone = tone});
  }
  /// Those of which the report has a value.
  void add(const Report& report, const std::vector<MetricLine>& lines);
  /// Unless it has no rows.
  void add(FigureTable table);
};

/// A cell of text, of a name, of a figure with a bar.
Cell text_cell(Sentence text);
Cell name_cell(std::string_view name);
Cell number_cell(std::string text, double bar = -1);

/// "43.4 s", "12,345", "2.89", "41 %", "a name", "-".
std::string value_words(const Value& value, Look look = Look::Plain);

/// A column of an analysis's table, by its place there.
struct Column {
  const char* title;
  std::size_t place;
  Look look = Look::Plain;
};

/// Fills `frame` with the wanted rows, and with the columns in which at least one has a value. A
/// bar is a share of the column's largest value.
FigureTable table_of(FigureTable frame, const Table* table, const std::vector<Column>& columns,
                     const std::function<bool(const std::vector<Value>&)>& is_wanted = {});

}  // namespace notape::trace
