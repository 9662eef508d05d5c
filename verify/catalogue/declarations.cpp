#include "verify/catalogue/declarations.h"

#include <algorithm>
#include <optional>
#include <regex>

namespace notape::verify::catalogue {
namespace {

std::vector<std::string> lines_of(std::string_view text) {
  std::vector<std::string> lines;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    lines.emplace_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return lines;
}

std::string trimmed(const std::string& text) {
  const std::size_t begin = text.find_first_not_of(' ');
  return begin == text.npos ? "" : text.substr(begin, text.find_last_not_of(' ') - begin + 1);
}

void append(std::string& text, const std::string& more) {
  if (!text.empty() && !more.empty()) text += ' ';
  text += more;
}

/// What a result may be, and its name.
const std::regex& beginning() {
  static const std::regex expression(
      R"(^(?:inline )?(?:const )?(?:Tensor|TensorList|std::(?:tuple|vector|pair)<[^()]*>|bool|double|int64_t|void|ScalarType|Scalar)&? (\w+)\()");
  return expression;
}

std::optional<std::string> name_in(const std::string& line) {
  std::smatch match;
  if (!std::regex_search(line, match, beginning())) return {};
  return match[1].str();
}

/// From its first word to the end of its arguments.
bool is_whole(const std::string& text) {
  int depth = 0;
  for (const char one : text) depth += one == '(' ? 1 : one == ')' ? -1 : 0;
  return depth == 0 && (text.ends_with(';') || text.ends_with('{') || text.ends_with('}'));
}

std::string without(std::string text, const std::string& part) {
  for (std::size_t at; (at = text.find(part)) != text.npos;) text.erase(at, part.size());
  return text;
}

/// "Tensor tanh(const Tensor& self)"
std::string signature_of(const std::string& declaration) {
  std::string text =
      without(without(declaration, ", At at = At::current()"), "At at = At::current()");
  text = without(text, ", At at");
  int depth = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    depth += text[i] == '(' ? 1 : text[i] == ')' ? -1 : 0;
    if (text[i] == ')' && depth == 0) return text.substr(0, i + 1);
  }
  return text;
}

/// "///" or "//", and what follows it.
std::optional<std::string> comment_in(const std::string& line, const char* sign) {
  if (!line.starts_with(sign)) return {};
  return trimmed(line.substr(std::string_view(sign).size()));
}

/// A statement from line `i` on, until the semicolon or brace that ends it.
std::string statement_at(const std::vector<std::string>& lines, std::size_t i) {
  std::string text;
  int depth = 0;
  for (; i < lines.size(); ++i) {
    text += lines[i] + "\n";
    for (const char one : lines[i])
      depth += one == '(' || one == '{' ? 1 : one == ')' || one == '}' ? -1 : 0;
    if (depth == 0 && (trimmed(lines[i]).ends_with(';') || lines[i] == "}")) break;
  }
  return text;
}

}  // namespace

std::vector<Declaration> declarations_in(std::string_view header, Of of) {
  const bool members = of == Of::Members;
  std::vector<Declaration> found;
  std::string doc, declaration;
  int inner = 0;  // namespaces and classes of its own
  bool after_comment = false;
  for (const std::string& raw : lines_of(header)) {
    const std::string line = trimmed(raw);
    if (line.starts_with("namespace ") && !line.starts_with("namespace notape {")) ++inner;
    if (line.starts_with("}  // namespace") && !line.starts_with("}  // namespace notape")) --inner;
    if (const auto comment = comment_in(line, "///")) {
      if (!after_comment) doc.clear();
      append(doc, *comment);
      after_comment = true;
      continue;
    }
    if (line.starts_with("//") || line.empty()) {
      doc.clear();
      after_comment = false;
      continue;
    }
    after_comment = false;
    const bool is_inside = raw.starts_with(' ') && !members;
    if (declaration.empty() && (inner > 0 || is_inside || !name_in(line))) continue;
    append(declaration, line);
    if (!is_whole(declaration)) continue;
    const std::string name = *name_in(declaration);
    const bool is_first = found.empty() || found.back().doc != doc;
    const bool is_below = is_first || (found.back().name == name && found.back().is_below_doc);
    found.push_back({name, signature_of(declaration), doc, is_below});
    declaration.clear();
  }
  return found;
}

OperatorFile read_operator_file(std::string_view text) {
  OperatorFile file;
  const std::vector<std::string> lines = lines_of(text);
  std::size_t i = 0;
  for (; i < lines.size() && lines[i].starts_with("//"); ++i)
    file.comment += trimmed(lines[i].substr(2)) + "\n";
  for (; i < lines.size(); ++i) {
    const std::string& line = lines[i];
    if (const auto name = name_in(line);
        name &&
        file.functions.end() == std::find(file.functions.begin(), file.functions.end(), *name))
      file.functions.push_back(*name);
    if (!line.starts_with("constexpr ") && !line.starts_with("const auto ")) continue;
    const std::string both = line + (i + 1 < lines.size() ? lines[i + 1] : "");
    const std::string statement = statement_at(lines, i);
    if (both.find("derivative(") != both.npos || statement.find("Backward") != statement.npos)
      file.derivatives.push_back(statement);
  }
  return file;
}

}  // namespace notape::verify::catalogue
