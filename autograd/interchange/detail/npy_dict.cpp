// NpyDict: the header of an .npy file, a Python literal.
#include "autograd/interchange/detail/npy_dict.h"

#include <charconv>

#include "autograd/error.h"

namespace notape::interchange {
namespace {

class DictReader {
 public:
  DictReader(std::string_view text, const std::string& name) : rest_(text), name_(name) {}

  NpyDict read() {
    expect('{');
    while (!accept('}')) {
      read_entry();
      if (!accept(',')) {
        expect('}');
        break;
      }
    }
    skip_blanks();
    if (!rest_.empty()) fail("text follows the dictionary");
    if (seen_ != (kDescr | kOrder | kShape))
      fail("a key of descr, fortran_order, shape is missing");
    return std::move(dict_);
  }

 private:
  enum Key { kDescr = 1, kOrder = 2, kShape = 4 };

  [[noreturn]] void fail(const std::string& problem) const {
    throw FileError("{}: the header is no valid .npy header: {}", name_, problem);
  }

  void skip_blanks() {
    const std::size_t blanks = rest_.find_first_not_of(" \t\r\n");
    rest_.remove_prefix(blanks == std::string_view::npos ? rest_.size() : blanks);
  }
  bool accept(char c) {
    skip_blanks();
    if (rest_.empty() || rest_.front() != c) return false;
    rest_.remove_prefix(1);
    return true;
  }
  void expect(char c) {
    if (!accept(c)) fail(std::string("'") + c + "' expected");
  }
  bool accept_word(std::string_view word) {
    skip_blanks();
    if (!rest_.starts_with(word)) return false;
    rest_.remove_prefix(word.size());
    return true;
  }

  std::string read_string() {
    skip_blanks();
    if (rest_.empty() || (rest_.front() != '\'' && rest_.front() != '"')) fail("a string expected");
    const std::size_t end = rest_.find(rest_.front(), 1);
    if (end == std::string_view::npos) fail("a string without end");
    const std::string text(rest_.substr(1, end - 1));
    rest_.remove_prefix(end + 1);
    return text;
  }

  int64_t read_size() {
    skip_blanks();
    int64_t size = 0;
    const auto result = std::from_chars(rest_.data(), rest_.data() + rest_.size(), size);
    if (result.ec == std::errc::result_out_of_range) fail("a size is too large");
    if (result.ec != std::errc()) fail("a size expected");
    if (size < 0) fail("negative size " + std::to_string(size));
    rest_.remove_prefix(static_cast<std::size_t>(result.ptr - rest_.data()));
    accept('L');  // Python 2 wrote long integers so
    return size;
  }

  std::vector<int64_t> read_shape() {
    std::vector<int64_t> shape;
    expect('(');
    while (!accept(')')) {
      shape.push_back(read_size());
      if (accept(',')) continue;
      expect(')');
      if (shape.size() == 1) fail("the shape is no tuple");
      break;
    }
    return shape;
  }

  void begin_key(Key key) {
    if (seen_ & key) fail("a key stands twice");
    seen_ |= key;
    expect(':');
  }

  void read_entry() {
    const std::string key = read_string();
    if (key == "descr") {
      begin_key(kDescr);
      skip_blanks();
      if (!rest_.empty() && (rest_.front() == '[' || rest_.front() == '('))
        throw FileError("{}: structured dtypes are not supported", name_);
      dict_.descr = read_string();
    } else if (key == "fortran_order") {
      begin_key(kOrder);
      dict_.fortran_order = accept_word("True");
      if (!dict_.fortran_order && !accept_word("False")) fail("True or False expected");
    } else if (key == "shape") {
      begin_key(kShape);
      dict_.shape = read_shape();
    } else {
      fail("unknown key '" + key + "'");
    }
  }

  std::string_view rest_;
  const std::string& name_;
  NpyDict dict_;
  int seen_ = 0;
};

}  // namespace

NpyDict parse_npy_dict(std::string_view text, const std::string& name) {
  return DictReader(text, name).read();
}

}  // namespace notape::interchange
