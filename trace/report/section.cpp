#include "trace/report/section.h"

#include <algorithm>

#include "trace/report/words.h"

namespace notape::trace {

const char* tone_name(Tone tone) {
  constexpr const char* kNames[] = {"good", "plain", "warning", "bad"};
  return kNames[static_cast<std::size_t>(tone)];
}

Sentence Finding::line() const {
  Sentence text(label.empty() ? "" : label + ": ");
  text.add(value);
  if (!meaning.empty()) text << ", " + meaning;
  if (!doubt.empty()) text << " (not reliable: " + doubt + ")";
  return text;
}

void Figure::explain(const char* classes, const char* label) {
  if (std::none_of(legend.begin(), legend.end(),
                   [&](const LegendEntry& entry) { return entry.classes == classes; }))
    legend.push_back({classes, label});
}

void Section::add(const Report& report, const std::vector<MetricLine>& lines) {
  for (const MetricLine& line : lines) {
    const Metric* metric = report.find(line.metric);
    if (metric && !metric->value.is_nothing())
      findings.push_back(
          {line.label, value_words(metric->value, line.look), line.meaning, metric->reason});
  }
}

void Section::add(FigureTable table) {
  if (!table.rows.empty()) tables.push_back(std::move(table));
}

Cell text_cell(Sentence text) { return {std::move(text), false, -1}; }

Cell name_cell(std::string_view name) { return {Sentence().name(name), false, -1}; }

Cell number_cell(std::string text, double bar) { return {Sentence(std::move(text)), true, bar}; }

std::string value_words(const Value& value, Look look) {
  if (value.is_nothing()) return "-";
  if (value.is_text()) return value.text();
  if (value.is_time()) return time_words(value.ns());
  if (value.is_count())
    return look == Look::Bytes ? bytes_words(value.count()) : count_words(value.count());
  return look == Look::Share ? share_words(value.number()) : ratio_words(value.number());
}

FigureTable table_of(FigureTable frame, const Table* table, const std::vector<Column>& columns,
                     const std::function<bool(const std::vector<Value>&)>& is_wanted) {
  if (!table) return frame;
  std::vector<const std::vector<Value>*> rows;
  for (const std::vector<Value>& row : table->rows)
    if (!is_wanted || is_wanted(row)) rows.push_back(&row);
  frame.rows.resize(rows.size());
  for (const Column& column : columns) {
    if (std::all_of(rows.begin(), rows.end(),
                    [&](const auto* row) { return (*row)[column.place].is_nothing(); }))
      continue;
    frame.columns.push_back(column.title);
    double most = 0;
    bool is_text = column.look == Look::Words;
    for (const std::vector<Value>* row : rows) {
      const Value& value = (*row)[column.place];
      is_text = is_text || value.is_text();
      if (!value.is_text() && !value.is_nothing()) most = std::max(most, value.number());
    }
    for (std::size_t i = 0; i < rows.size(); ++i) {
      const Value& value = (*rows[i])[column.place];
      std::string words = value_words(value, column.look);
      if (!is_text) {
        const bool has_bar = column.look == Look::Bar && !value.is_nothing() && most > 0;
        frame.rows[i].push_back(
            number_cell(std::move(words), has_bar ? std::max(0.0, value.number() / most) : -1));
      } else if (value.is_nothing()) {
        frame.rows[i].push_back(text_cell(""));
      } else {
        frame.rows[i].push_back(column.look == Look::Words ? text_cell(std::move(words))
                                                           : name_cell(short_name(words, 60)));
      }
    }
  }
  return frame;
}

}  // namespace notape::trace
