// Sentence: running text with names of a trace in it, which are hostile until they are escaped.
// Text and names stay apart until a format is chosen.
#pragma once
#include <string>
#include <string_view>
#include <vector>

namespace notape::trace {

class Sentence {
 public:
  Sentence() = default;
  Sentence(std::string text) { parts_.push_back({std::move(text), false}); }
  Sentence(const char* text) : Sentence(std::string(text)) {}

  /// Adds text, or a name, which is shown as code.
  Sentence& operator<<(std::string_view text);
  Sentence& add(const Sentence& other);
  Sentence& name(std::string_view name);

  bool empty() const { return parts_.empty(); }
  /// As it is read, without any markup.
  std::string plain() const;
  std::string html() const;
  /// In one line, also inside a cell of a table.
  std::string markdown() const;

 private:
  struct Part {
    std::string text;
    bool is_name;
  };
  std::vector<Part> parts_;
};

/// Text in which nothing is markup: not of Markdown, not of the HTML in it, no "@person".
std::string markdown_text(std::string_view text);
/// The same as code.
std::string markdown_code(std::string_view name);

}  // namespace notape::trace
