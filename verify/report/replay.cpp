#include "verify/report/replay.h"

#include <fmt/format.h>

#include <algorithm>

#include "verify/report/case_file.h"
#include "verify/report/hex.h"
#include "verify/report/json.h"
#include "verify/report/ladder_view.h"
#include "verify/runner/shrink.h"

namespace notape::verify {
namespace {

using Named = std::vector<Replay::Item>;

/// Everything comparable in an exhibit; `then` is filled.
Named numbers_in(const Exhibit& exhibit) {
  Named all;
  const auto add = [&](std::string leg, std::string name, std::string text) {
    all.push_back({std::move(leg), std::move(name), std::move(text), ""});
  };
  const Outcome& outcome = exhibit.outcome;
  add("outcome", "verdict", std::string(name_of(outcome.verdict)));
  add("outcome", "reason", outcome.reason);
  add("outcome", "comparisons", std::to_string(outcome.comparisons));
  add("outcome", "detectable", hex(outcome.detectable));
  if (outcome.guilty) {
    add("outcome", "guilty", outcome.guilty->where);
    add("outcome", "expected", hex(outcome.guilty->expected));
    add("outcome", "got", hex(outcome.guilty->got));
  }
  if (exhibit.bits) {
    add("value", "all entries", exhibit.bits->output);
    add("reverse", "all gradients", exhibit.bits->gradients);
  }
  if (!exhibit.evidence) return all;
  for (const Leg& leg : exhibit.evidence->legs)
    add(leg.name, "slope", leg.absent.empty() ? hex(leg.value) : "none");
  for (const Rung& rung : exhibit.evidence->rungs) {
    const std::string level = fmt::format("level {}", rung.exponent);
    add("numeric", level + " D", hex(rung.quotient));
    add("numeric", level + " R", hex(rung.extrapolated));
    add("numeric", level + " e", hex(rung.error));
  }
  return all;
}

/// `then` and `now` side by side; what only one of them has is compared with nothing.
Named side_by_side(Named then, const Named& now, const std::string& leg) {
  for (const Replay::Item& item : now) {
    const auto found = std::find_if(then.begin(), then.end(), [&](const Replay::Item& other) {
      return other.leg == item.leg && other.name == item.name;
    });
    if (found != then.end())
      found->now = item.then;
    else
      then.push_back({item.leg, item.name, "nothing", item.then});
  }
  if (!leg.empty()) std::erase_if(then, [&](const Replay::Item& item) { return item.leg != leg; });
  return then;
}

const Check& check_of(const Record& record) {
  if (const Check* check = find_check(record.check)) return *check;
  throw BadCertificate("{}: there is no check '{}' here", record.id, record.check);
}

}  // namespace

std::size_t Replay::differing() const {
  return static_cast<std::size_t>(
      std::count_if(items.begin(), items.end(), [](const Item& item) { return !item.same(); }));
}

Verdict Replay::verdict(const Record& record) const {
  const bool unstable =
      differing() > 0 &&
      differences(record.environment, environment_on(Device(record.device))).empty();
  return unstable ? std::max(again.outcome.verdict, Verdict::Nondeterministic)
                  : again.outcome.verdict;
}

Replay replay_case(const Record& record, const OpSpec& spec, const std::string& leg) {
  if (!record.exhibit)
    throw BadCertificate("{}: it holds no case; certificates written with --out do", record.id);
  const Check& check = check_of(record);
  const auto choices = decode_choices(record.exhibit->code);
  if (!choices)
    throw BadCertificate("{}: '{}' is no case code of this version", record.id,
                         record.exhibit->code.substr(0, 60));
  const Device device(record.device);
  Replay replay;
  replay.again = exhibit_of(spec, check, record.dtype, device, *choices,
                            outcome_of(spec, check, record.dtype, device, *choices));
  try {
    ChoiceDraw draw(*choices);
    const DrawnCase drawn = draw_case(spec, draw, record.dtype);
    replay.run = Subject(spec, drawn, record.dtype, device).base();
  } catch (const std::exception&) {
    // The outcome tells.
  }
  replay.items = side_by_side(numbers_in(*record.exhibit), numbers_in(replay.again), leg);
  if (replay.items.empty())
    throw BadCertificate("{}: it says nothing about the leg '{}'", record.id, leg);
  return replay;
}

std::string replay_text(const Record& record, const Replay& replay) {
  std::string text =
      fmt::format("{}, case {}\n", record.id, saved_case_of(record).on_command_line());
  std::string leg;
  std::size_t count = 0, same = 0;
  const auto finish_leg = [&] {
    if (count > 0)
      text += fmt::format("  {:<9} {}\n", leg,
                          same == count ? fmt::format("{} the same", count)
                                        : fmt::format("{} of {} differ", count - same, count));
    count = same = 0;
  };
  Named items = replay.items;
  std::stable_sort(items.begin(), items.end(),
                   [](const Replay::Item& a, const Replay::Item& b) { return a.leg < b.leg; });
  for (const Replay::Item& item : items) {
    if (item.leg != leg) finish_leg();
    leg = item.leg;
    ++count;
    same += item.same();
    if (!item.same())
      text +=
          fmt::format("  {:<9} {}: {} then, {} now\n", item.leg, item.name, item.then, item.now);
  }
  finish_leg();
  if (replay.differing() == 0) return text + "  the same bits\n";
  const auto changes = differences(record.environment, environment_on(Device(record.device)));
  if (changes.empty())
    return text +
           "  other bits in the same environment: the operator has changed, or its results "
           "are left to chance\n";
  text += "  other bits, and another environment:\n";
  for (const std::string& change : changes) text += "    " + change + "\n";
  return text;
}

std::string trace_text(const Replay& replay) {
  std::string text;
  const auto list = [&](const std::string& title, const Numbers& numbers) {
    text += fmt::format("  {:<14}", title);
    for (const double number : numbers) text += fmt::format(" {} ({:.17g})", hex(number), number);
    text += "\n";
  };
  for (std::size_t a = 0; a < replay.again.inputs.size(); ++a)
    list(fmt::format("input {}", a), replay.again.inputs[a].values);
  if (replay.again.incoming) list("incoming", replay.again.incoming->values);
  list("output", replay.run.output);
  for (std::size_t a = 0; a < replay.run.gradients.size(); ++a)
    if (replay.run.defined[a]) list(fmt::format("gradient {}", a), replay.run.gradients[a]);
  if (!replay.again.evidence) return text;
  text += fmt::format("  along {}\n", replay.again.evidence->along);
  for (const Leg& leg : replay.again.evidence->legs)
    text +=
        fmt::format("  {:<14} {}\n", leg.name, leg.absent.empty() ? hex(leg.value) : leg.absent);
  for (const Rung& rung : replay.again.evidence->rungs)
    text += fmt::format("  h = 2^-{:<3} D {}  R {}  e {:.2g}\n", rung.exponent, hex(rung.quotient),
                        hex(rung.extrapolated), static_cast<double>(rung.error));
  return text;
}

}  // namespace notape::verify
