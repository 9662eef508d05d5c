// Pictures as SVG: what those of graphs, timelines and step ladders share. A picture is made of
// elements with CSS classes; its rules name colours of one palette, which has a light and a dark
// form.
#pragma once
#include <string>
#include <string_view>

namespace notape::interchange {

/// Elements at a place, with CSS classes; the text is escaped. Classes "end" and "middle" anchor
/// it, "title" and "code" set it.
std::string svg_text(double x, double y, std::string_view classes, std::string_view text);
std::string svg_line(double x1, double y1, double x2, double y2, std::string_view classes);
std::string svg_rect(double x, double y, double width, double height, std::string_view classes);

/// How wide a text in class "code" is, which has 11 pixels and letters of one width.
double svg_width(std::string_view text);

/// The palette as CSS variables, `--ink` and so on, in both forms: for a page with pictures in it.
std::string palette_css();
/// The rules that all pictures share, for the same page.
extern const char* const kSvgRules;

struct SvgPicture {
  double width = 0, height = 0;
  std::string title = {};     ///< for screen readers
  std::string rules = {};     ///< CSS beside kSvgRules; var(--NAME) is a colour of the palette
  std::string elements = {};  ///< inside `width` and `height`
};

/// The picture as a file that stands alone, on a background of its own and in the light or dark
/// colours that the reader's system asks for. Viewers that know no CSS variables show it, too.
std::string svg_file(const SvgPicture& picture);

}  // namespace notape::interchange
