// What a report says, before anyone decides how to show it: a section per question, with findings,
// figures and tables, and how each figure is computed.
#pragma once
#include <string>
#include <vector>

#include "trace/report/sentence.h"

namespace notape::trace {

enum class Tone : unsigned char { Good, Plain, Warning, Bad };
/// "good", "plain", "warning", "bad"
const char* tone_name(Tone tone);

struct Finding {
  Sentence text;
  Tone tone = Tone::Plain;
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
  std::string doubt = {};       ///< why not to rely on it; empty if nothing speaks against it
  std::vector<LegendEntry> legend = {};
};

struct Cell {
  Sentence text = {};
  bool is_number = true;
  double bar = -1;  ///< a bar behind the text, of the width: 0 to 1; negative: none
};

struct FigureTable {
  std::string id = {};
  std::string title = {};
  std::string definition = {};
  std::string doubt = {};
  std::vector<std::string> columns = {};
  std::vector<std::vector<Cell>> rows = {};
};

struct Section {
  std::string id = {};
  std::string question = {};
  std::vector<Finding> findings = {};
  std::vector<Figure> figures = {};
  std::vector<FigureTable> tables = {};
  std::vector<Definition> definitions = {};

  void say(Tone tone, Sentence text) { findings.push_back({std::move(text), tone}); }
};

/// A cell of text, of a name, of a figure with a bar.
Cell text_cell(Sentence text);
Cell name_cell(std::string_view name);
Cell number_cell(std::string text, double bar = -1);

/// ", though this is not reliable: " and the reason; nothing if there is none.
std::string doubt_words(const std::string& reason);

}  // namespace notape::trace
