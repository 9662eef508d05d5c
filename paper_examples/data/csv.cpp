#include "paper_examples/data/csv.h"

#include <algorithm>
#include <charconv>
#include <cmath>

#include "autograd/interchange/known_format.h"
#include "autograd/printable.h"
#include "ops/ops.h"
#include "paper_examples/data/gz_file.h"

namespace notape::data {
namespace {

/// Walks the text line by line.
class Lines {
 public:
  Lines(std::string_view text, std::string_view name) : text_(text), name_(name) {
    if (text.starts_with("\xef\xbb\xbf"))
      next_ = 3;  // the mark that some programs begin UTF-8 with
  }

  /// Empty lines may follow.
  bool at_end() const { return text_.find_first_not_of("\r\n", next_) == text_.npos; }

  /// The entries of the next line, between commas.
  std::vector<std::string_view> entries() {
    ++line_;
    first_ = next_;
    const std::size_t end = std::min(text_.find('\n', first_), text_.size());
    next_ = std::min(end + 1, text_.size());
    std::string_view line = text_.substr(first_, end - first_);
    if (line.ends_with('\r')) line.remove_suffix(1);
    std::vector<std::string_view> result;
    while (true) {
      const std::size_t comma = line.find(',');
      result.push_back(line.substr(0, comma));
      if (comma == line.npos) return result;
      line.remove_prefix(comma + 1);
    }
  }

  double number(std::string_view entry) const {
    double value = 0;
    const char* const end = entry.data() + entry.size();
    const bool has_plus = entry.starts_with('+') && !entry.starts_with("+-");
    auto [stop, error] = std::from_chars(entry.data() + has_plus, end, value);
    if (error == std::errc::result_out_of_range) {
      long double wide = 0;  // has a larger range: what is too small for float64 is rounded to 0
      error = std::from_chars(entry.data() + has_plus, end, wide).ec;
      if (error != std::errc() || std::abs(wide) > 1) fail(entry, "a number beyond float64");
      value = static_cast<double>(wide);
    }
    if (error != std::errc() || stop != end)
      fail(entry, "no number: '" + printable_lines(std::string(entry.substr(0, 40))) + "'" +
                      (line_ == 1 ? "; a line of names is CsvHeader::Names" : ""));
    return value;
  }

  [[noreturn]] void fail(std::string_view where, const std::string& what) const {
    throw FileError("{}: line {} (byte {} of the text): {}", name_, line_,
                    where.data() - text_.data(), what);
  }

 private:
  std::string_view text_, name_;
  std::size_t first_ = 0, next_ = 0;
  int64_t line_ = 0;
};

}  // namespace

Tensor CsvTable::column(const std::string& name) const {
  const auto found = std::find(names.begin(), names.end(), name);
  if (found != names.end()) return values.select(1, found - names.begin());
  std::string list;
  for (const std::string& each : names) list += (list.empty() ? "" : ", ") + each;
  throw ValueError("CsvTable: there is no column '{}' in: {}", name, list);
}

CsvTable parse_csv(std::string_view text, std::string_view name, CsvHeader header) {
  Lines lines(text, name);
  std::vector<std::string> names;
  std::size_t columns = 0;
  if (header == CsvHeader::Names && !lines.at_end())
    for (std::string_view entry : lines.entries()) names.emplace_back(entry);
  columns = names.size();
  std::vector<double> numbers;
  int64_t rows = 0;
  for (; !lines.at_end(); ++rows) {
    const std::vector<std::string_view> entries = lines.entries();
    if (columns == 0) columns = entries.size();
    for (std::string_view entry : entries) numbers.push_back(lines.number(entry));
    if (entries.size() != columns)
      lines.fail(entries.back(), std::to_string(entries.size()) + " numbers, the first line has " +
                                     std::to_string(columns) + " entries");
  }
  if (rows == 0) throw FileError("{}: no rows in it", name);
  return {std::move(names), tensor(numbers, kFloat64).view({rows, static_cast<int64_t>(columns)})};
}

CsvTable read_csv(const std::filesystem::path& path, CsvHeader header) {
  const std::string text = read_plain_or_gz(path);
  const std::string start = text.substr(0, 16);
  if (text.find('\0') != text.npos)
    throw FileError("{}: is no CSV text{}", path.string(), interchange::seems_to_be(start));
  return parse_csv(text, path.string(), header);
}

}  // namespace notape::data
