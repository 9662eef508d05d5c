// Report: what an analysis found, as figures and tables, before anyone decides how to show it.
#pragma once
#include <ostream>
#include <string>
#include <string_view>
#include <vector>

#include "trace/analysis/metric.h"

namespace notape::trace {

struct Table {
  std::string name;
  std::vector<std::string> columns;
  std::vector<std::vector<Value>> rows;
};

struct Report {
  std::string title;
  std::vector<Metric> metrics;
  std::vector<Table> tables;
  std::vector<std::string> notes;      ///< what a reader should know, a line each
  std::vector<std::string> anomalies;  ///< what is wrong with the file, a line each

  /// The first metric of this name, null if there is none.
  const Metric* find(std::string_view name) const;
  /// The same; throws std::out_of_range if there is none.
  const Metric& operator[](std::string_view name) const;
  /// Null if there is no table of this name.
  const Table* find_table(std::string_view name) const;
  /// The same; throws std::out_of_range if there is none.
  const Table& table(std::string_view name) const;
};

enum class ReportFormat { Table, Json, Csv };

/// JSON: one object. CSV: the metrics, then each table after an empty line.
void write_report(std::ostream& out, const Report& report, ReportFormat format);

}  // namespace notape::trace
