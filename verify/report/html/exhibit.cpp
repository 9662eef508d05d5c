// One case in HTML.
#include <fmt/format.h>

#include "autograd/interchange/markup.h"
#include "verify/report/html/parts.h"
#include "verify/report/html/svg.h"
#include "verify/report/summary.h"

namespace notape::verify {
namespace {

using interchange::escaped;

std::string row(std::string_view name, const std::string& value) {
  return fmt::format("<tr><th>{}</th><td>{}</td></tr>", escaped(name), value);
}

std::string code(const std::string& text) { return fmt::format("<code>{}</code>", escaped(text)); }

std::string legs_table(const Evidence& evidence) {
  std::string text = "<table class=\"facts legs\">";
  for (const Leg& leg : evidence.legs) {
    const std::string value =
        leg.absent.empty()
            ? fmt::format("<b class=\"number\">{}</b>{}",
                          number_text(static_cast<double>(leg.value), kFloat64),
                          leg.error > 0 ? fmt::format(" <span class=\"quiet\">± {:.1e}</span>",
                                                      static_cast<double>(leg.error))
                                        : "")
            : fmt::format("<span class=\"quiet\">{}</span>", escaped(leg.absent));
    text += row(leg.name, value);
  }
  return text + "</table>";
}

std::string guilty_table(const Record& record, const Guilty& guilty) {
  return "<table class=\"facts guilty\">" + row("entry", escaped(guilty.where)) +
         row("expected", fmt::format("<b class=\"number\">{}</b>",
                                     number_text(guilty.expected, record.dtype))) +
         row("got",
             fmt::format("<b class=\"number bad\">{}</b>", number_text(guilty.got, record.dtype))) +
         row("apart", apart_text(guilty)) + "</table>";
}

std::string inputs_table(const Exhibit& exhibit) {
  std::string text = "<table class=\"facts\">";
  if (!exhibit.label.empty()) text += row("called with", code(exhibit.label));
  for (std::size_t a = 0; a < exhibit.inputs.size(); ++a)
    text += row(fmt::format("input {}", a), code(exhibit.inputs[a].text()));
  if (exhibit.incoming) text += row("incoming", code(exhibit.incoming->text()));
  return text + "</table>";
}

std::string plot(const Evidence& evidence) {
  const auto view = ladder_view(evidence);
  if (!view) return "";
  return fmt::format(
      "<figure>{}<figcaption>How the numeric slope settles along {} as the step shrinks; the "
      "shaded "
      "band is what may pass.</figcaption></figure>",
      ladder_svg(*view, evidence.legs.front().name), escaped(evidence.along));
}

std::string replay_line(const Record& record) {
  return record.replay.empty() ? "" : "<p class=\"replay\">" + code(record.replay) + "</p>";
}

}  // namespace

std::string exhibit_html(const Record& record) {
  if (!record.exhibit) return "";
  const Exhibit& exhibit = *record.exhibit;
  std::string left = inputs_table(exhibit);
  if (exhibit.evidence) left = legs_table(*exhibit.evidence) + left;
  if (exhibit.outcome.guilty) left = guilty_table(record, *exhibit.outcome.guilty) + left;
  return fmt::format("<div class=\"exhibit\"><div>{}{}</div>{}</div>", left, replay_line(record),
                     exhibit.evidence ? plot(*exhibit.evidence) : "");
}

std::string failure_card(const Record& record, Colour colour) {
  std::string text = fmt::format(
      "<article class=\"card {}\"><header>{}<h3>{} <span class=\"quiet\">{} · {} · {}</span></h3>"
      "<span class=\"place\">{}</span></header>",
      class_of(colour), pill(colour, name_of(record.verdict)), escaped(record.op),
      escaped(record.check), name_of(record.dtype), escaped(record.device),
      escaped(place_of(record)));
  const std::string why = why_of(record);
  text += fmt::format("<p>{}</p>", escaped(why.empty() ? meaning_of(record.verdict) : why));
  if (record.exhibit && !record.exhibit->outcome.blame.empty())
    text += fmt::format("<p class=\"blame\">Blame: {}</p>", escaped(record.exhibit->outcome.blame));
  return text + exhibit_html(record) + "</article>\n";
}

}  // namespace notape::verify
