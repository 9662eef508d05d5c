// Tables of numbers as text: a line per row, numbers separated by commas.
#pragma once
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "autograd/autograd.h"

namespace notape::data {

/// What the first line of a CSV file is.
enum class CsvHeader { None, Names };

struct CsvTable {
  std::vector<std::string> names;  ///< of the columns; empty without a header
  Tensor values;                   ///< (rows, columns), float64

  /// The column of that name, (rows). Throws ValueError, listing those that there are.
  Tensor column(const std::string& name) const;
};

/// Reads a file, gzip or not. Every row has as many numbers as the first line has entries; only at
/// the end may lines be empty. Throws
/// FileError in one line that names the file, the line and the byte in the inflated text.
CsvTable read_csv(const std::filesystem::path& path, CsvHeader header = CsvHeader::None);
/// The same from text; `name` is for messages.
CsvTable parse_csv(std::string_view text, std::string_view name,
                   CsvHeader header = CsvHeader::None);

}  // namespace notape::data
