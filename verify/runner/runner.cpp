#include "verify/runner/runner.h"

#include <rapidcheck.h>

#include <algorithm>
#include <chrono>
#include <tuple>

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

  /// A derivative of a higher order says nothing if a lower one is wrong.
  bool cause_below(std::size_t i) {
    const auto order_of = [](const char* check) {
      constexpr std::string_view orders[] = {"reverse", "second-order", "third-order"};
      return std::find(std::begin(orders), std::end(orders), check) - std::begin(orders);
    };
    const auto order = order_of(all_checks()[i].name);
    if (order == order_of("")) return false;
    for (const Certificate& other : part_.certificates)
      if (order_of(other.check) < order && is_red(other.verdict)) {
        part_.certificates[i].cases += part_.certificates[i].cases == 0;
        part_.certificates[i].verdict = Verdict::Unresolved;
        part_.certificates[i].detail = "not judged: a lower order is wrong";
        return true;
      }
    return false;
  }

  void absorb(std::size_t i, Outcome outcome, const rc::Shrinkable<Choices>& choices) {
    Certificate& certificate = part_.certificates[i];
    ++certificate.cases;
    certificate.comparisons += outcome.comparisons;
    certificate.unresolved += outcome.unresolved;
    if (options_.evidence && weakest_[i].is_beaten_by(outcome))
      weakest_[i] = {choices.value(), outcome};
    certificate.detectable = std::max(certificate.detectable, outcome.detectable);
    if (outcome.verdict <= certificate.verdict) return;
    certificate.verdict = outcome.verdict;
    certificate.detail = outcome.reason;
    if (!is_red(outcome.verdict)) return;
    const Check& check = all_checks()[i];
    certificate.failure =
        options_.only_case
            ? exhibit_of(*part_.spec, check, part_.dtype, options_.device, choices.value(),
                         std::move(outcome))
            : shrink_failure(*part_.spec, check, part_.dtype, options_.device, choices, outcome);
  }

  void conclude() {
    const auto unused = [&](const Certificate& certificate) {
      if (certificate.cases == 0) return true;
      // One case alone, of no elements for example, need not give every check something to do.
      return options_.only_case && certificate.verdict == Verdict::Pass &&
             certificate.comparisons == 0;
    };
    if (options_.evidence) keep_weakest();
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
      } else if (const double gate = options_.gates.power_gate(certificate.dtype);
                 certificate.detectable > gate) {
        certificate.verdict = Verdict::Unresolved;
        certificate.detail = format_message("an error of {} could have passed, the gate is {}",
                                            {certificate.detectable, gate});
      }
    }
  }

  void keep_weakest() {
    for (std::size_t i = 0; i < part_.certificates.size(); ++i)
      if (!part_.certificates[i].failure && weakest_[i].choices)
        part_.certificates[i].weakest =
            exhibit_of(*part_.spec, all_checks()[i], part_.dtype, options_.device,
                       *weakest_[i].choices, std::move(weakest_[i].outcome));
  }

  /// The case in which the largest error could have hidden; one that compared nothing, and one that
  /// could not decide, only for want of a better one.
  struct Weakest {
    std::optional<Choices> choices = {};
    Outcome outcome = {};
    bool is_beaten_by(const Outcome& other) const {
      if (is_red(other.verdict)) return false;
      const auto rank = [](const Outcome& one) {
        return std::tuple(one.detectable, one.comparisons > 0, one.unresolved);
      };
      return !choices || rank(other) > rank(outcome);
    }
  };

  const Options& options_;
  Listener& listener_;
  Part part_;
  std::vector<Weakest> weakest_ = std::vector<Weakest>(all_checks().size());
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

}  // namespace notape::verify
