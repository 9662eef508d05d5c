#include "trace/analysis/report.h"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

#include "autograd/error.h"
#include "autograd/printable.h"

namespace notape::trace {
namespace {

using Row = std::vector<std::string>;

/// The letters of a name that a column of a table has room for.
constexpr std::size_t kWidest = 60;

std::string cut(std::string text) {
  if (text.size() <= kWidest) return text;
  std::size_t length = kWidest - 3;
  while (length > 0 && (static_cast<unsigned char>(text[length]) & 0xc0) == 0x80) --length;
  return text.substr(0, length) + "...";
}

/// `is_left[i]`: column i holds names.
void write_aligned(std::ostream& out, const std::vector<Row>& rows,
                   const std::vector<bool>& is_left) {
  std::vector<std::size_t> widths(is_left.size());
  for (const Row& row : rows)
    for (std::size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], row[i].size());
  for (const Row& row : rows) {
    std::string line;
    for (std::size_t i = 0; i < row.size(); ++i)
      line += is_left[i] ? fmt::format("{:<{}}  ", row[i], widths[i])
                         : fmt::format("{:>{}}  ", row[i], widths[i]);
    line.erase(line.find_last_not_of(' ') + 1);
    out << line << '\n';
  }
}

std::string owner(const Metric& metric) {
  std::string text = metric.process.empty() ? "" : "process " + printable(metric.process);
  if (metric.window.kind != "file") text += (text.empty() ? "" : ", ") + metric.window.name;
  if (metric.device) text += fmt::format("{}device {}", text.empty() ? "" : ", ", *metric.device);
  if (metric.stream) text += fmt::format(" stream {}", *metric.stream);
  return text;
}

void write_text(std::ostream& out, const Report& report) {
  out << report.title << '\n';
  std::vector<Row> rows{{"metric", "value", "unit", "n", "of", "not reliable because"}};
  for (const Metric& metric : report.metrics)
    rows.push_back({metric.name, cut(metric.value.shown()), metric.unit, std::to_string(metric.n),
                    owner(metric), metric.reason});
  if (rows.size() > 1) write_aligned(out, rows, {true, false, true, false, true, true});
  for (const Table& table : report.tables) {
    out << '\n' << table.name << '\n';
    std::vector<Row> lines{table.columns};
    std::vector<bool> is_left(table.columns.size());
    for (const std::vector<Value>& row : table.rows) {
      Row& line = lines.emplace_back();
      for (std::size_t i = 0; i < row.size(); ++i) {
        line.push_back(cut(row[i].shown()));
        is_left[i] = is_left[i] || row[i].is_text();
      }
    }
    write_aligned(out, lines, is_left);
  }
  if (!report.notes.empty() || !report.anomalies.empty()) out << '\n';
  for (const std::string& note : report.notes) out << "note: " << note << '\n';
  for (const std::string& anomaly : report.anomalies) out << "anomaly: " << anomaly << '\n';
}

std::string joined(const std::vector<std::string>& parts, const char* separator) {
  return fmt::format("{}", fmt::join(parts, separator));
}

std::string json_list(const std::vector<std::string>& texts) {
  std::vector<std::string> parts;
  for (const std::string& text : texts) parts.push_back(Value(text).json());
  return "[" + joined(parts, ", ") + "]";
}

void write_json(std::ostream& out, const Report& report) {
  std::vector<std::string> metrics, tables;
  for (const Metric& metric : report.metrics) metrics.push_back("  " + metric.json());
  for (const Table& table : report.tables) {
    std::vector<std::string> rows;
    for (const std::vector<Value>& row : table.rows) {
      std::vector<std::string> cells;
      for (const Value& value : row) cells.push_back(value.json());
      rows.push_back("    [" + joined(cells, ", ") + "]");
    }
    tables.push_back(fmt::format("  {{\"name\": {}, \"columns\": {}, \"rows\": [\n{}]}}",
                                 json_quote(table.name), json_list(table.columns),
                                 joined(rows, ",\n")));
  }
  out << fmt::format(
      "{{\"title\": {},\n\"metrics\": [\n{}],\n\"tables\": [\n{}],\n\"notes\": {},\n"
      "\"anomalies\": {}}}\n",
      Value(report.title).json(), joined(metrics, ",\n"), joined(tables, ",\n"),
      json_list(report.notes), json_list(report.anomalies));
}

std::string csv_cell(const Value& value) {
  if (value.is_nothing()) return "";
  if (!value.is_text()) return value.json();
  const std::string text = value.shown();
  if (text.find_first_of(",\"\n") == std::string::npos) return text;
  std::string quoted = "\"";
  for (const char c : text) quoted += c == '"' ? std::string("\"\"") : std::string(1, c);
  return quoted + "\"";
}

void write_csv_rows(std::ostream& out, const Table& table) {
  out << joined(table.columns, ",") << '\n';
  for (const std::vector<Value>& row : table.rows) {
    std::vector<std::string> cells;
    for (const Value& value : row) cells.push_back(csv_cell(value));
    out << joined(cells, ",") << '\n';
  }
}

void write_csv(std::ostream& out, const Report& report) {
  Table metrics{
      "", {"metric", "value", "unit", "n", "window", "device", "stream", "reliable", "reason"}, {}};
  const bool has_processes =
      std::any_of(report.metrics.begin(), report.metrics.end(),
                  [](const Metric& metric) { return !metric.process.empty(); });
  if (has_processes) metrics.columns.push_back("process");
  const auto number = [](const std::optional<int64_t>& value) {
    return value ? Value(*value) : Value();
  };
  for (const Metric& metric : report.metrics)
    metrics.rows.push_back({metric.name, metric.value, metric.unit, metric.n,
                            metric.window.kind == "file" ? "file" : metric.window.name,
                            number(metric.device), number(metric.stream),
                            metric.is_reliable() ? "true" : "false", metric.reason});
  for (std::size_t i = 0; has_processes && i < metrics.rows.size(); ++i)
    metrics.rows[i].push_back(report.metrics[i].process);
  write_csv_rows(out, metrics);
  for (const Table& table : report.tables) {
    out << "\n" << table.name << "\n";
    write_csv_rows(out, table);
  }
}

}  // namespace

const Metric* Report::find(std::string_view name) const {
  const auto found = std::find_if(metrics.begin(), metrics.end(),
                                  [&](const Metric& metric) { return metric.name == name; });
  return found == metrics.end() ? nullptr : &*found;
}

const Metric& Report::operator[](std::string_view name) const {
  if (const Metric* found = find(name)) return *found;
  throw std::out_of_range("there is no metric " + std::string(name));
}

const Table* Report::find_table(std::string_view name) const {
  const auto found = std::find_if(tables.begin(), tables.end(),
                                  [&](const Table& table) { return table.name == name; });
  return found == tables.end() ? nullptr : &*found;
}

const Table& Report::table(std::string_view name) const {
  if (const Table* found = find_table(name)) return *found;
  throw std::out_of_range("there is no table " + std::string(name));
}

void write_report(std::ostream& out, const Report& report, ReportFormat format) {
  switch (format) {
    case ReportFormat::Table:
      return write_text(out, report);
    case ReportFormat::Json:
      return write_json(out, report);
    case ReportFormat::Csv:
      return write_csv(out, report);
  }
}

}  // namespace notape::trace
