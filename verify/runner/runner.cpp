#include "verify/runner/runner.h"

#include <rapidcheck.h>

#include <algorithm>
#include <chrono>
#include <cstring>

#include "verify/runner/case_source.h"
#include "verify/runner/shrink.h"

namespace notape::verify {
namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

/// One operator in one dtype.
class PartRun {
 public:
  PartRun(const OpSpec& spec, ScalarType dtype, const Options& options, Listener& listener)
      : options_(options), listener_(listener) {
    part_.spec = &spec;
    part_.dtype = dtype;
    for (const Check& check : all_checks())
      part_.certificates.push_back(
          {.spec = &spec, .check = check.name, .dtype = dtype, .device = options.device});
  }

  Part run() {
    const auto start = Clock::now();
    if (options_.only_case) {
      run_case(rc::shrinkable::just(*options_.only_case));
    } else {
      const auto choices = choices_for(*part_.spec, part_.dtype);
      for (int i = 0; i < options_.samples; ++i)
        run_case(choices(random_for(*part_.spec, part_.dtype, options_.seed, i)));
    }
    conclude();
    part_.seconds = seconds_since(start);
    return std::move(part_);
  }

 private:
  void run_case(const rc::Shrinkable<Choices>& choices) {
    ++part_.cases;
    const OpSpec& spec = *part_.spec;
    listener_.check_begin(part_.certificates[0], choices.value());
    std::optional<DrawnCase> drawn;
    std::optional<Subject> subject;
    try {
      ChoiceDraw draw(choices.value());
      drawn = draw_case(spec, draw, part_.dtype);
      subject.emplace(spec, *drawn, part_.dtype, options_.device);
    } catch (...) {
      absorb(0, outcome_of_exception(spec), choices);
      return;
    }
    for (std::size_t i = 0; i < all_checks().size(); ++i) {
      const Check& check = all_checks()[i];
      Certificate& certificate = part_.certificates[i];
      if (is_red(certificate.verdict) || !check.applies(*subject) || cause_below(i)) continue;
      listener_.check_begin(certificate, choices.value());
      const auto start = Clock::now();
      absorb(i, run_check(check, *subject), choices);
      certificate.seconds += seconds_since(start);
    }
  }

  /// A derivative of the second order says nothing if the first is wrong.
  bool cause_below(std::size_t i) {
    if (std::strcmp(all_checks()[i].name, "second-order") != 0) return false;
    for (const Certificate& other : part_.certificates)
      if (std::strcmp(other.check, "reverse") == 0 && is_red(other.verdict)) {
        part_.certificates[i].cases += part_.certificates[i].cases == 0;
        part_.certificates[i].verdict = Verdict::Unresolved;
        part_.certificates[i].detail = "not judged: the first order is wrong";
        return true;
      }
    return false;
  }

  void absorb(std::size_t i, Outcome outcome, const rc::Shrinkable<Choices>& choices) {
    Certificate& certificate = part_.certificates[i];
    ++certificate.cases;
    certificate.comparisons += outcome.comparisons;
    certificate.unresolved += outcome.unresolved;
    certificate.detectable = std::max(certificate.detectable, outcome.detectable);
    if (outcome.verdict <= certificate.verdict) return;
    certificate.verdict = outcome.verdict;
    certificate.detail = outcome.reason;
    if (!is_red(outcome.verdict)) return;
    if (options_.only_case) {
      certificate.failure =
          describe_case(*part_.spec, part_.dtype, options_.device, choices.value());
      certificate.failure->outcome = std::move(outcome);
    } else {
      certificate.failure = shrink_failure(*part_.spec, all_checks()[i], part_.dtype,
                                           options_.device, choices, outcome);
    }
  }

  void conclude() {
    const auto unused = [&](const Certificate& certificate) {
      if (certificate.cases == 0) return true;
      // One case alone, of no elements for example, need not give every check something to do.
      return options_.only_case && certificate.verdict == Verdict::Pass &&
             certificate.comparisons == 0;
    };
    std::erase_if(part_.certificates, unused);
    for (Certificate& certificate : part_.certificates) {
      if (certificate.verdict != Verdict::Pass) continue;
      if (certificate.comparisons == 0) {
        certificate.verdict = Verdict::Vacuous;
        certificate.detail = "no comparison was made";
      } else if (2 * certificate.unresolved > certificate.comparisons) {
        certificate.verdict = Verdict::Unresolved;
        certificate.detail = format_message("{} of {} comparisons could not decide",
                                            {certificate.unresolved, certificate.comparisons});
      }
    }
  }

  const Options& options_;
  Listener& listener_;
  Part part_;
};

}  // namespace

std::vector<Certificate> run(const SpecList& specs, const Options& options, Listener& listener) {
  std::vector<Certificate> all;
  listener.begin(specs.size() * options.dtypes.size());
  for (const OpSpec* spec : specs) {
    bool red = false;
    for (ScalarType dtype : options.dtypes) {
      listener.part_begin(*spec, dtype);
      const Part part = PartRun(*spec, dtype, options, listener).run();
      listener.part_end(part);
      for (const Certificate& certificate : part.certificates) {
        red = red || is_red(certificate.verdict);
        all.push_back(certificate);
      }
    }
    if (red && options.fail_fast) break;
  }
  return all;
}

int exit_code_of(const std::vector<Certificate>& certificates) {
  const auto any = [&](std::initializer_list<Verdict> verdicts) {
    return std::any_of(certificates.begin(), certificates.end(), [&](const Certificate& one) {
      return std::find(verdicts.begin(), verdicts.end(), one.verdict) != verdicts.end();
    });
  };
  int64_t comparisons = 0;
  for (const Certificate& certificate : certificates) comparisons += certificate.comparisons;
  if (any({Verdict::Error})) return 6;
  if (any({Verdict::Fail, Verdict::Nonfinite, Verdict::Rejected})) return 1;
  if (any({Verdict::Nondeterministic})) return 4;
  if (any({Verdict::Vacuous}) || comparisons == 0) return 5;
  return 0;
}

}  // namespace notape::verify
