#include "verify/report/formats.h"

#include <fmt/format.h>

#include <algorithm>

#include "verify/report/ladder_view.h"
#include "verify/report/summary.h"

namespace notape::verify {
namespace {

std::string short_number(Wide value) { return fmt::format("{:.3g}", static_cast<double>(value)); }

std::string question_of(const Record& record) {
  if (record.check == kFreshProcess) return "Are the bits the same in a new process?";
  const Check* check = find_check(record.check);
  return check ? check->question : "";
}

std::string beginning(const Record& record) {
  std::string text = fmt::format("{} on {}: {}, {}.\n\n", title_of(record), record.device,
                                 name_of(record.verdict), meaning_of(record.verdict));
  if (!record.detail.empty() && record.detail != "value")
    text += fmt::format("The reason given: {}.\n", record.detail);
  const std::string question = question_of(record);
  if (!question.empty()) text += fmt::format("The check '{}' asks: {}\n", record.check, question);
  if (is_of_user(record))
    text += fmt::format("The function {} is checked at {}.\n", record.op, place_of(record));
  else
    text += fmt::format("The operator {} ({}) has its row and its derivative at {}.\n", record.op,
                        record.family, place_of(record));
  text += fmt::format("{} (seed {}) gave {} in {:.3g} s", counted(record.cases, "random case"),
                      record.seed, counted(record.comparisons, "comparison"), record.seconds);
  text += record.unresolved == 0
              ? "; each could decide.\n"
              : fmt::format("; {} of them could not decide.\n", grouped(record.unresolved));
  if (is_red(record.verdict)) return text;
  if (record.verdict == Verdict::Limit)
    return text + "So no derivative of this order was judged, and nothing is said about one.\n";
  if (record.undecided) text += record.undecided->text() + ".\n";
  if (record.near_zero) text += record.near_zero->text() + ".\n";
  if (knows_nothing(record)) return text;
  return text + (record.detectable > 0
                     ? fmt::format("A relative error above {:.2g} would have been seen.\n",
                                   record.detectable)
                     : "The numbers had to be equal: any error would have been seen.\n");
}

std::string the_case(const Record& record, const Exhibit& exhibit) {
  std::string text = record.is_failure() ? "\nThe simplest case found that fails"
                     : record.verdict == Verdict::Limit
                         ? "\nOne case of this limit"
                         : "\nThe weakest case, in which the largest error could have hidden";
  text += exhibit.label.empty() ? ":\n" : fmt::format(" ({}):\n", exhibit.label);
  for (std::size_t a = 0; a < exhibit.inputs.size(); ++a)
    text += fmt::format("  input {}   {}\n", a, exhibit.inputs[a].text());
  if (exhibit.incoming) text += fmt::format("  incoming  {}\n", exhibit.incoming->text());
  if (!exhibit.outcome.message.empty())
    text += fmt::format("\nWhat was seen: {}.\n", exhibit.outcome.message);
  if (const auto& guilty = exhibit.outcome.guilty)
    text += fmt::format("The guilty entry is the {}: expected {}, got {}; apart by {}.\n",
                        guilty->where, number_text(guilty->expected, record.dtype),
                        number_text(guilty->got, record.dtype), apart_text(*guilty));
  if (!exhibit.outcome.blame.empty())
    text += fmt::format("Blame falls on {}.\n", exhibit.outcome.blame);
  return text;
}

/// "reverse = forward != numeric = dual": each leg beside the first one that it equals.
std::string agreement(const Evidence& evidence) {
  struct Group {
    Wide value;
    std::string names;
  };
  std::vector<Group> groups;
  for (const Leg& leg : evidence.legs) {
    if (!leg.absent.empty()) continue;
    const auto same = std::find_if(groups.begin(), groups.end(), [&](const Group& group) {
      return magnitude(group.value - leg.value) <= evidence.radius;
    });
    if (same == groups.end())
      groups.push_back({leg.value, leg.name});
    else
      same->names += " = " + leg.name;
  }
  std::string text;
  for (const Group& group : groups) text += (text.empty() ? "" : " != ") + group.names;
  return text;
}

std::string the_legs(const Evidence& evidence) {
  std::string text =
      fmt::format("\nThe derivative along {}, by {} ways:\n", evidence.along, evidence.legs.size());
  for (const Leg& leg : evidence.legs)
    text += leg.absent.empty()
                ? fmt::format("  {:<9} {:<24}{}\n", leg.name,
                              number_text(static_cast<double>(leg.value), kFloat64),
                              leg.error > 0 ? "  off by at most " + short_number(leg.error) : "")
                : fmt::format("  {:<9} none: {}\n", leg.name, leg.absent);
  const std::string agreed = agreement(evidence);
  if (!agreed.empty())
    text += fmt::format(
        "That is, {}, where = means at most {} apart; the terms behind the "
        "derivative add up to {}.\n",
        agreed, short_number(evidence.radius), short_number(evidence.scale));
  if (const auto view = ladder_view(evidence))
    text += "\nHow the numeric slope settles as its steps h shrink:\n\n" +
            ladder_text(*view, evidence.legs.front().name);
  return text;
}

}  // namespace

std::string explain(const Record& record) {
  std::string text = beginning(record);
  if (record.exhibit) {
    text += the_case(record, *record.exhibit);
    if (record.exhibit->evidence && !record.exhibit->evidence->legs.empty())
      text += the_legs(*record.exhibit->evidence);
    if (!record.replay.empty()) text += fmt::format("\nRun the case again: {}\n", record.replay);
  }
  return text +
         fmt::format("Made by notape {} ({}), compiler {}, on {}{}.\n",
                     value_of(record.environment, "notape"), value_of(record.environment, "commit"),
                     value_of(record.environment, "compiler"), value_of(record.environment, "cpu"),
                     record.plugin ? "; plugin: " + value_of(record.environment, kPlugin) : "");
}

}  // namespace notape::verify
