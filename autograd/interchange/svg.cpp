#include "autograd/interchange/svg.h"

#include <fmt/format.h>

#include <algorithm>

#include "autograd/interchange/markup.h"

namespace notape::interchange {
namespace {

struct Colour {
  std::string_view name, light, dark;
};
constexpr Colour kColours[] = {
    {"page", "#f6f7f9", "#11151c"},        {"card", "#ffffff", "#1a202a"},
    {"ink", "#1d2330", "#e6eaf2"},         {"quiet", "#667085", "#94a0b4"},
    {"line", "#e3e7ee", "#2c3442"},        {"green", "#16794c", "#4fcf92"},
    {"green-soft", "#d9f2e4", "#15392a"},  {"yellow", "#8a5a00", "#f0c14b"},
    {"yellow-soft", "#fdf0cf", "#3b300f"}, {"red", "#b42318", "#ff8a80"},
    {"red-soft", "#fde4e1", "#45201e"},    {"blue", "#2f6fde", "#7aa7ff"},
    {"blue-soft", "#e3edfd", "#1b2c4d"},   {"teal", "#0d9488", "#3fd0c0"},
    {"teal-soft", "#d5f1ee", "#123935"},   {"orange", "#d9730d", "#ffad5c"},
};

std::string variables(std::string_view Colour::*form) {
  std::string text;
  for (const Colour& colour : kColours)
    text += fmt::format(" --{}: {};", colour.name, colour.*form);
  return text;
}

/// The rules with colours in place of their names.
std::string coloured(std::string rules, std::string_view Colour::*form) {
  for (const Colour& colour : kColours) {
    const std::string name = fmt::format("var(--{})", colour.name);
    for (std::size_t at = 0; (at = rules.find(name, at)) != std::string::npos;)
      rules.replace(at, name.size(), colour.*form);
  }
  return rules;
}

/// An element a line, so that versions of a file can be compared. Text has no "<" of its own.
std::string in_lines(std::string_view elements) {
  std::string text;
  for (std::size_t i = 0; i < elements.size(); ++i) {
    text += elements[i];
    const bool next_opens = elements.substr(i + 1, 1) == "<" && elements.substr(i + 2, 1) != "/";
    if (elements[i] == '>' && next_opens) text += '\n';
  }
  return text;
}

}  // namespace

const char* const kSvgRules = R"(
svg { font: 12px system-ui, -apple-system, "Segoe UI", Roboto, "DejaVu Sans", sans-serif; }
svg text { fill: var(--quiet); }
svg text.title { fill: var(--ink); font-weight: 600; }
svg text.code { font: 11px ui-monospace, "SF Mono", Menlo, Consolas, "DejaVu Sans Mono", monospace; }
svg .end { text-anchor: end; }
svg .middle { text-anchor: middle; }
)";

std::string svg_text(double x, double y, std::string_view classes, std::string_view text) {
  return fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\" class=\"{}\">{}</text>", x, y, classes,
                     escaped(text));
}

std::string svg_line(double x1, double y1, double x2, double y2, std::string_view classes) {
  return fmt::format("<line x1=\"{:.1f}\" y1=\"{:.1f}\" x2=\"{:.1f}\" y2=\"{:.1f}\" class=\"{}\"/>",
                     x1, y1, x2, y2, classes);
}

std::string svg_rect(double x, double y, double width, double height, std::string_view classes) {
  return fmt::format(
      "<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{:.1f}\" class=\"{}\"/>", x, y,
      width, height, classes);
}

double svg_width(std::string_view text) {
  constexpr double kLetter = 6.65;  // of 11 pixels: 0.602 of them, and some more for other fonts
  const auto letters = std::count_if(
      text.begin(), text.end(), [](char c) { return (static_cast<uint8_t>(c) & 0xC0) != 0x80; });
  return kLetter * static_cast<double>(letters);
}

std::string palette_css() {
  return fmt::format(
      "\n:root {{ color-scheme: light dark;{} }}\n"
      "@media (prefers-color-scheme: dark) {{\n  :root {{{} }}\n}}\n",
      variables(&Colour::light), variables(&Colour::dark));
}

std::string svg_file(const SvgPicture& picture) {
  const std::string rules = ".page { fill: var(--card); }" + (kSvgRules + picture.rules);
  const std::string title = escaped(picture.title);
  return fmt::format(
             "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0:.0f}\" height=\"{1:.0f}\" "
             "viewBox=\"0 0 {0:.0f} {1:.0f}\" role=\"img\" "
             "aria-label=\"{2}\">\n<title>{2}</title>\n",
             picture.width, picture.height, title) +
         "<style>\n" + coloured(rules, &Colour::light) + "@media (prefers-color-scheme: dark) {\n" +
         coloured(rules, &Colour::dark) + "}\n</style>\n" +
         fmt::format("<rect class=\"page\" width=\"{:.0f}\" height=\"{:.0f}\" rx=\"8\"/>\n",
                     picture.width, picture.height) +
         in_lines(picture.elements) + "\n</svg>\n";
}

}  // namespace notape::interchange
