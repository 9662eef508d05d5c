#include "verify/functions/function_report.h"
#include "verify/numeric/tolerance.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>

#include "autograd/modes/grad_mode.h"
#include "verify/checks/check.h"
#include "verify/checks/given_inputs.h"
#include "verify/checks/kept_tensors.h"
#include "verify/generate/choice_draw.h"
#include "verify/generate/drawn_case.h"
#include "verify/numeric/rounding_modes.h"
#include "verify/report/case_file.h"
#include "verify/report/table.h"
#include "verify/runner/case_source.h"
#include "verify/schedule/run.h"
#include "verify/unrepeated.h"

namespace notape::verify {
namespace {

Finding finding_of(const Certificate& certificate) {
  Finding finding{certificate.check,           certificate.verdict,
                  certificate.detail,          certificate.comparisons,
                  certificate.detectable,      certificate.undecided.text(),
                  certificate.undecided.slope, certificate.near_zero.text()};
  if (certificate.verdict == Verdict::Pass) return finding;
  Record record = record_of(certificate);
  tell_replay(record);
  finding.text = failure_text(record);
  return finding;
}

bool is_of_derivatives(const Finding& finding) {
  return check_has_trait(finding.check, kStatesPower);
}

/// A second order that was not asked for, as the gradient seems to have a kink or a jump there.
bool is_waived(const Finding& finding) {
  return finding.check == "second-order" && finding.verdict == Verdict::Kink &&
         finding.detail == "undeclared";
}

/// "a relative error above 4e-11", or, where all derivatives are 0, "a slope above 3e-16"; of the
/// decided entries, if some are not.
std::string power_text(const std::vector<Finding>& findings) {
  double relative = 0, absolute = 0;
  bool undecided = false;
  for (const Finding& finding : findings) {
    undecided = undecided || !finding.undecided.empty();
    if (!is_of_derivatives(finding)) continue;
    relative = std::max(relative, finding.detectable);
    absolute = std::max(absolute, finding.slope);
  }
  return (relative > 0 || absolute == 0 ? fmt::format("a relative error above {:.0e}", relative)
                                        : fmt::format("a slope above {:.0e}", absolute)) +
         (undecided ? " in the decided entries" : "");
}

/// At given inputs every case has the same entries: what decided none of them in one has said
/// nothing about them, whatever another could say for its own directions.
void judge_undecided(std::vector<Certificate>& certificates) {
  for (Certificate& one : certificates) {
    if (one.verdict != Verdict::Pass || one.undecided.of == 0 ||
        one.undecided.entries < one.undecided.of)
      continue;
    one.verdict = Verdict::Unresolved;
    one.detail = "no entry was decided";
  }
}

/// Leaves the cases where $NOTAPE_CASE finds them; codes that are nowhere are of no use.
void leave_cases(std::vector<Certificate>& certificates) {
  const auto forget = [&] {
    for (Certificate& one : certificates)
      if (one.failure) one.failure->code.clear();
  };
  if (Unrepeated::is_on()) return forget();
  std::vector<SavedCase> cases;
  for (const Certificate& one : certificates)
    if (one.failure && !one.failure->code.empty())
      cases.push_back(saved_case_of(one, one.failure->code));
  try {
    keep_cases(cases);
  } catch (const BadCase&) {
    forget();
  }
}

/// Only the case that $NOTAPE_CASE names, if it is one of this function. Throws BadCase.
Options with_wanted_case(Options options, const OpSpec& subject) {
  const std::string id = wanted_case();
  if (id.empty() || Unrepeated::is_on()) return options;
  const SavedCase one = find_case(id, cases_directory());
  if (one.op != subject.name) return options;
  const ScalarType dtype = dtype_named(one.dtype);
  if (std::find(options.dtypes.begin(), options.dtypes.end(), dtype) == options.dtypes.end())
    return options;
  options.dtypes = {dtype};
  options.only_case = decode_choices(one.code);
  if (!options.only_case) throw BadCase("NOTAPE_CASE: {} is no case of this version", id);
  return options;
}

/// What is known of the roundings inside a function without a formula; empty if other modes show
/// them.
std::string note_of_modes(const Subject& subject) {
  if (!modes_reach(subject.device)) return "rounding modes " + modes_text(subject.device);
  if (!subject.is_opaque() || !subject.is_differentiable()) return "";
  const auto numbers = [&] {
    const EnableGradGuard recording;
    const Run run = subject.run(subject.inputs(), subject.incoming_tensor());
    Numbers all = run.output;
    for (const Numbers& one : run.gradients) all.insert(all.end(), one.begin(), one.end());
    return all;
  };
  const Numbers spread = spread_over_modes(numbers, numbers());
  if (std::any_of(spread.begin(), spread.end(), [](double one) { return one > 0; })) return "";
  return "no number of it differs between rounding modes: it is exact, or rounds where they do "
         "not reach (another process, threads of its own)";
}

std::string note_of_kept_tensors(const Subject& subject) {
  if (!keeps_recorded_tensors(subject)) return "";
  return "tensors that it keeps and that require grad are constants here, and their `.grad` is "
         "left alone: to have them checked, make them inputs";
}

/// What the first case says besides verdicts.
void add_notes(std::string& note, const OpSpec& spec, const Options& options) {
  try {
    const ScalarType dtype = options.dtypes.front();
    ChoiceDraw draw(random_for(spec, dtype, options.seed, 0));
    const DrawnCase drawn = draw_case(spec, draw, dtype);
    const Subject subject(spec, drawn, dtype, options.device);
    for (const auto note_of : {note_of_modes, note_of_kept_tensors})
      if (const std::string more = note_of(subject); !more.empty())
        note += (note.empty() ? "" : "; ") + more;
  } catch (const std::exception&) {
    // The checks say why.
  }
}

/// What whoever asked can do about checks that could not decide.
constexpr const char* kAdvice =
    "values are too noisy or too flat, or a kink is too near, for differences to decide. Try "
    "inputs "
    "where the function neither cancels nor is saturated; or say which error does not matter, as "
    "by "
    ".atol or .rtol; or give a formula to judge by, .reference";

}  // namespace

Report report_of(std::shared_ptr<const OpSpec> subject, std::vector<Certificate> certificates,
                 std::string note) {
  struct Kept {
    std::shared_ptr<const OpSpec> subject;
    std::vector<Certificate> certificates;
  };
  const auto kept = std::make_shared<Kept>(Kept{std::move(subject), std::move(certificates)});
  Report report{.name = kept->subject->name,
                .note = std::move(note),
                .certificates = {kept, &kept->certificates}};
  for (const Certificate& certificate : kept->certificates)
    report.findings.push_back(finding_of(certificate));
  return report;
}

void tell_replay(Record& record) {
  record.replay.clear();
  if (!record.is_failure()) return;
  if (const SavedCase one = saved_case_of(record); !one.code.empty())
    record.replay = fmt::format("NOTAPE_CASE={} with this test", one.id());
}

Report run_checks(std::shared_ptr<const OpSpec> subject, const Options& options, std::string note) {
  Listener silent;
  std::vector<Certificate> certificates =
      run({subject.get()}, with_wanted_case(options, *subject), silent);
  // Where equal calls differ, nothing else can be judged.
  const auto differs = [](const Certificate& one) {
    return one.verdict == Verdict::Nondeterministic;
  };
  if (std::any_of(certificates.begin(), certificates.end(), differs))
    std::erase_if(certificates, std::not_fn(differs));
  ChoiceDraw draw{Choices{}};
  if (has_given_inputs(
          draw_case(*subject, draw, options.dtypes.empty() ? kFloat64 : options.dtypes[0])))
    judge_undecided(certificates);
  leave_cases(certificates);
  add_notes(note, *subject, options);
  Report report = report_of(std::move(subject), std::move(certificates), std::move(note));
  report.seed = options.seed;
  report.samples = options.samples;
  return report;
}

Verdict Report::verdict() const {
  if (findings.empty()) return Verdict::Vacuous;
  return std::max_element(findings.begin(), findings.end(),
                          [](const Finding& a, const Finding& b) { return a.verdict < b.verdict; })
      ->verdict;
}

bool Report::proven() const {
  return ok() && std::none_of(findings.begin(), findings.end(), [](const Finding& one) {
           return one.verdict == Verdict::Limit || !one.undecided.empty() || is_waived(one);
         });
}

double Report::detectable() const {
  double worst = 0;
  for (const Finding& finding : findings) {
    if (!is_of_derivatives(finding)) continue;
    worst =
        std::max(worst, is_red(finding.verdict) || !finding.undecided.empty() || is_waived(finding)
                            ? HUGE_VAL
                            : finding.detectable);
  }
  return worst;
}

Report Report::only(std::string_view check) const {
  Report result = *this;
  result.findings.clear();
  for (const Finding& finding : findings)
    if (finding.check == check || finding.verdict == Verdict::Nondeterministic)
      result.findings.push_back(finding);
  return result;
}

std::string Report::text() const {
  if (findings.empty()) return "VACUOUS: nothing was checked\n";
  std::string text, limits;
  std::size_t passed = 0;
  for (const Finding& finding : findings) {
    if (finding.verdict == Verdict::Limit)
      limits += (limits.empty() ? "" : ", ") + finding.check;
    else if (finding.verdict == Verdict::Pass)
      ++passed;
    else
      text += finding.text;
  }
  const auto together = [&](std::string Finding::*words) {
    std::string all;
    for (const Finding& finding : findings)
      if (!(finding.*words).empty() && !is_red(finding.verdict))
        all += (all.empty() ? "" : "; ") + finding.check + ": " + finding.*words;
    return all;
  };
  if (text.empty() && passed > 0)
    text = fmt::format("{}: {} checks pass; {} would have been seen\n", name, passed,
                       power_text(findings));
  const auto line = [&](const char* title, const std::string& value) {
    if (!value.empty()) text += fmt::format("  {:<10} {}\n", title, value);
  };
  const auto wants_advice = [](const Finding& one) {
    const bool says_itself =
        one.detail.starts_with("it takes no float64") || one.detail.starts_with("not judged");
    return one.verdict == Verdict::Unresolved && !says_itself;
  };
  if (verdict() == Verdict::Unresolved &&
      std::any_of(findings.begin(), findings.end(), wants_advice))
    line("advice", kAdvice);
  line("undecided", together(&Finding::undecided));
  line("near zero", together(&Finding::near_zero));
  line("not there", limits);
  line("note", note);
  return text;
}

}  // namespace notape::verify
