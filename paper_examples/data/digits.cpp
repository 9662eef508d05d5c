#include "paper_examples/data/digits.h"

#include <array>
#include <charconv>
#include <string>
#include <vector>

#include "ops/ops.h"
#include "paper_examples/data/gz_file.h"

namespace notape::data {
namespace {

constexpr int kPixels = 64, kBrightest = 16, kClasses = 10;

/// Walks the text number by number.
class Parser {
 public:
  Parser(std::string_view text, std::string_view name)
      : begin_(text.data()), at_(begin_), end_(begin_ + text.size()), name_(name) {}

  bool at_end() const { return at_ == end_; }

  /// One line of numbers separated by commas; the last of them is the class.
  std::array<int, kPixels + 1> line() {
    ++line_;
    std::array<int, kPixels + 1> values;
    for (int i = 0; i < kPixels; ++i) {
      values[i] = number(i, kBrightest);
      expect(',', i + 1);
    }
    values[kPixels] = number(kPixels, kClasses - 1);
    if (!at_end() && *at_ == '\r') ++at_;
    if (!at_end()) expect('\n', kPixels + 1);
    return values;
  }

 private:
  int number(int index, int largest) {
    int value = 0;
    const auto [stop, error] = std::from_chars(at_, end_, value);
    if (error == std::errc::invalid_argument) fail("no number", index + 1);
    if (error != std::errc() || value < 0 || value > largest)
      fail("number outside 0.." + std::to_string(largest), index + 1);
    at_ = stop;
    return value;
  }

  void expect(char wanted, int numbers) {
    if (at_end() || *at_ != wanted)
      fail(wanted == ',' ? "no comma after the number" : "more than 65 numbers", numbers);
    ++at_;
  }

  [[noreturn]] void fail(const std::string& what, int index) const {
    throw FileError(
        "{}: line {}, number {} (byte {} of the text): {}; expected 64 pixels 0..16 and "
        "the class 0..9",
        name_, line_, index, at_ - begin_, what);
  }

  const char *begin_, *at_, *end_;
  std::string_view name_;
  int64_t line_ = 0;
};

}  // namespace

Dataset parse_digits(std::string_view text, std::string_view name) {
  std::vector<float> pixels;
  std::vector<int64_t> classes;
  Parser parser(text, name);
  while (!parser.at_end()) {
    const auto values = parser.line();
    for (int i = 0; i < kPixels; ++i) pixels.push_back(static_cast<float>(values[i]) / kBrightest);
    classes.push_back(values[kPixels]);
  }
  if (classes.empty()) throw FileError("{}: no digits in it", name);
  return {tensor(pixels).view({-1, 1, 8, 8}), tensor(classes)};
}

Dataset read_digits(const std::filesystem::path& path) {
  return parse_digits(read_gz(path), path.string());
}

}  // namespace notape::data
