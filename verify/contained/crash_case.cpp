#include "verify/contained/crash_case.h"
#include "verify/numeric/tolerance.h"

#include <algorithm>
#include <chrono>
#include <sstream>

#include "verify/plugin/loaded_plugin.h"
#include "verify/processes/orphans.h"
#include "verify/report/json.h"
#include "verify/runner/shrink.h"
#include "verify/schedule/wire.h"

namespace notape::verify {
namespace {

using Clock = std::chrono::steady_clock;

/// In the child: sends the case, then does what ended the child before.
void try_case(const CrashCase& crash, const Choices& candidate, const Choices* simplest,
              ToParent& parent) {
  be_silent();  // it has printed what it has to print before
  for (const PluginRow& row : load_plugin(crash.file)) {
    if (row.spec.name != crash.op) continue;
    const Check& check = *find_check(crash.check);
    const Choices choices = normalised(row.spec, crash.dtype, candidate);
    if (simplest && !is_simpler(choices, *simplest)) return;
    Certificate certificate{.spec = &row.spec, .check = check.name, .dtype = crash.dtype};
    ChoiceDraw draw(choices);
    certificate.failure.emplace().code = encode_choices(choices);
    show_inputs(*certificate.failure, draw_case(row.spec, draw, crash.dtype), crash.dtype, {});
    parent.send(line_of(certificate));
    outcome_of(row.spec, check, crash.dtype, {}, choices);
  }
}

/// The case as the child showed it, if it ended as `end` did.
std::optional<Exhibit> shown_if_same(const ChildEnd& now, const ChildEnd& end) {
  const bool timed_out = end.kind == ChildEnd::Kind::TooSlow;
  if (now.kind != end.kind || (!timed_out && now.detail != end.detail)) return {};
  const std::size_t line = now.said.find('\n');
  if (line == now.said.npos) return {};
  try {
    return parse_certificate(now.said.substr(0, line), "a crash").exhibit;
  } catch (const BadCertificate&) {
    return {};
  }
}

}  // namespace

std::string note_of(const CrashCase& at) {
  return format_message("{} {} {}", {name_of(at.dtype), at.check, encode_choices(at.choices)});
}

std::optional<CrashCase> crash_case_of(const std::string& file, const std::string& op,
                                       const std::string& note) {
  std::istringstream words(note);
  std::string dtype, check, code;
  if (!(words >> dtype >> check >> code) || !find_check(check)) return {};
  const auto choices = decode_choices(code);
  if (!choices) return {};
  return CrashCase{file, op, check, dtype_named(dtype), *choices};
}

Exhibit shrink_crash(const CrashCase& crash, const ChildEnd& end, const ChildLimits& limits) {
  ChildLimits each = limits;
  // A loop is known by a time that is short for the whole of a row and long for a case.
  const bool timed_out = end.kind == ChildEnd::Kind::TooSlow;
  if (timed_out) each.seconds = std::clamp(limits.seconds / 4, 0.05, 2.0);
  const std::chrono::duration<double> most(timed_out ? 6 * each.seconds : 4);
  const auto deadline = Clock::now() + std::chrono::duration_cast<Clock::duration>(most);
  const Orphans ended_with_it;
  Exhibit found{.code = encode_choices(crash.choices)};
  const auto still_fails = [&](const Choices& candidate,
                               const Choices* simplest) -> std::optional<Choices> {
    const ChildEnd now =
        run_in_child([&](ToParent& parent) { try_case(crash, candidate, simplest, parent); }, each);
    auto shown = shown_if_same(now, end);
    if (!shown) return {};
    found = std::move(*shown);
    return decode_choices(found.code);
  };
  const auto start = still_fails(crash.choices, nullptr);
  if (!start) return found;
  simplest_failure(
      *start,
      [&](const Choices& candidate, const Choices& best) { return still_fails(candidate, &best); },
      [&] { return Clock::now() >= deadline; });
  return found;
}

}  // namespace notape::verify
