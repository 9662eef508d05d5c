#include "verify/runner/part_run.h"

#include <rapidcheck.h>

#include <algorithm>
#include <chrono>
#include <string_view>
#include <tuple>

#include "autograd/modes/grad_mode.h"
#include "verify/checks/check.h"
#include "verify/checks/given_inputs.h"
#include "verify/plugin/c_operator.h"
#include "verify/processes/interruption.h"
#include "verify/runner/case_source.h"
#include "verify/runner/shrink.h"

namespace notape::verify {
namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

/// Whether an operator takes a type. Those that have no 16 bits say so with a DtypeError (which
/// ones these are, ops/spec/every_row_in_16_bits_test.cpp knows).
bool takes(const OpSpec& spec, ScalarType dtype) {
  if (const auto declared = declared_dtypes(spec))
    return std::find(declared->begin(), declared->end(), dtype) != declared->end();
  if (dtype != kFloat64 && !spec.float32) return false;
  if (!is_reduced_floating_point(dtype) || !is_built_in(spec)) return true;
  ChoiceDraw draw(random_for(spec, dtype, 0, 0));
  const DrawnCase drawn = draw_case(spec, draw, dtype);
  try {
    const NoGradGuard no_grad;
    drawn.op.call(Subject(spec, drawn, dtype, Device()).inputs(0));
  } catch (const DtypeError&) {
    return false;
  } catch (const std::exception&) {  // for the checks to find
  }
  return true;
}

/// Whether a larger error could hide in the case of `one`; one that compared nothing, and one that
/// could not decide, only for want of a better one.
bool hides_more(const Outcome& one, const Outcome& other) {
  const auto rank = [](const Outcome& outcome) {
    return std::tuple(outcome.detectable, outcome.comparisons > 0, outcome.unresolved);
  };
  return rank(one) > rank(other);
}

/// Whether something makes this check red, too, which then would say what is beside the point.
bool is_explained(const Check& check, const std::vector<Certificate>& certificates) {
  const auto is_wrong_alone = [](const Certificate& one) {
    return std::string_view(one.check) == "reverse" && one.verdict == Verdict::Fail;
  };
  if (std::string_view(check.name) == "ties" &&  // a sum of entries that are wrong one by one
      std::any_of(certificates.begin(), certificates.end(), is_wrong_alone))
    return true;
  return std::any_of(certificates.begin(), certificates.end(), [&](const Certificate& one) {
    // What raises in one case may be wrong in another.
    if (!is_red(one.verdict) || one.verdict == Verdict::Rejected) return false;
    const Check* cause = find_check(one.check);
    if (!cause || cause == &check || (check.traits & cause->details.explains_all_but)) return false;
    return cause->details.explains_all_but != CheckDetails::kExplainsNothing &&
           (!(cause->traits & kExplainsUnequalBits) || one.verdict == Verdict::Nondeterministic);
  });
}

/// Of a function of a user's, whose longer inputs are held against slopes, with incoming gradients
/// of another layout: whether it is wrong for short ones and a plain reason already.
bool is_wrong_when_short(const Check& check, const Subject& subject,
                         const std::vector<Certificate>& all) {
  return std::string_view(check.name) == "long" && subject.is_opaque() &&
         std::any_of(all.begin(), all.end(), [](const Certificate& one) {
           const std::string_view name = one.check;
           return is_red(one.verdict) && (name == "reverse" || name == "strides");
         });
}

/// Whether a backward was refused for a gradient's shape, of which `shapes` says more.
bool is_refused_shape(const Certificate& certificate, const std::vector<Certificate>& all) {
  return certificate.verdict == Verdict::Rejected && certificate.detail == "InvalidGradient" &&
         std::any_of(all.begin(), all.end(), [](const Certificate& one) {
           return std::string_view(one.check) == "shapes" && one.verdict == Verdict::Fail;
         });
}

class PartRun {
 public:
  PartRun(const Slice& slice, const Options& options, Listener& listener,
          const std::vector<Crash>& crashes)
      : slice_(slice), options_(options), listener_(listener), crashes_(crashes) {
    part_.spec = slice.spec;
    part_.dtype = slice.dtype;
    for (const Check& check : all_checks())
      part_.certificates.push_back({.spec = slice.spec,
                                    .check = check.name,
                                    .dtype = slice.dtype,
                                    .device = options.device});
  }

  Part of_crash(const Crash& crash) {
    ++part_.cases;
    absorb_crash(0, crash);
    return std::move(part_);
  }

  Part run() {
    if (!takes(*part_.spec, part_.dtype)) {
      part_.certificates.clear();
      return std::move(part_);
    }
    const auto start = Clock::now();
    if (options_.only_case) {
      if (begin_case(0)) run_case(0, rc::shrinkable::just(*options_.only_case));
    } else {
      const auto choices = choices_for(*part_.spec, part_.dtype);
      for (int i = 0;
           (i < slice_.cases || wants_more(i)) && !Interruption::requested() && begin_case(i); ++i)
        run_case(i, choices(random_for(*part_.spec, part_.dtype, options_.seed, i)));
    }
    if (options_.evidence) keep_weakest();
    part_.seconds = seconds_since(start);
    return std::move(part_);
  }

 private:
  /// Whether a check has had nothing to compare, in few cases that were empty by chance.
  bool wants_more(int number) const {
    constexpr int kMost = 30;
    return number < kMost && is_built_in(*part_.spec) &&
           std::any_of(
               part_.certificates.begin(), part_.certificates.end(), [](const Certificate& one) {
                 return one.cases > 0 && one.comparisons == 0 && one.verdict == Verdict::Pass;
               });
  }

  const Crash* known_crash(int number, int check) const {
    for (const Crash& crash : crashes_)
      if (crash.number == number && crash.check == check) return &crash;
    return nullptr;
  }

  /// The verdict on a check that would end this process. What cannot be run cannot be shrunk.
  void absorb_crash(std::size_t i, const Crash& crash) {
    Certificate& certificate = part_.certificates[i];
    ++certificate.cases;
    certificate.verdict = Verdict::Error;
    certificate.detail = "crash";
    certificate.failure = {
        .outcome = Outcome::of(Verdict::Error, "crash", "the process ended: " + crash.how),
        .code = crash.code};
  }

  /// False where the operator cannot even be called: other cases are as likely to end like that.
  bool begin_case(int number) {
    ++part_.cases;
    listener_.case_begin(number);
    const Crash* crash = known_crash(number, Crash::kMakingTheCase);
    if (crash) absorb_crash(0, *crash);
    return !crash;
  }

  void run_case(int number, const rc::Shrinkable<Choices>& choices) {
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
      if (Interruption::requested() || (options_.first_red_only && is_red_already())) return;
      if (!wants(options_, check.name) || is_red(certificate.verdict) ||
          !is_asked(check, *subject) || cause_below(i) || is_explained(check, part_.certificates) ||
          is_wrong_when_short(check, *subject, part_.certificates) ||
          ((check.traits & kOnce) && certificate.cases > 0 && has_given_inputs(*drawn)))
        continue;
      if (const Crash* crash = known_crash(number, static_cast<int>(i))) {
        absorb_crash(i, *crash);
        continue;
      }
      listener_.check_begin(certificate, choices.value());
      const auto start = Clock::now();
      absorb(i, run_check(check, *subject), choices);
      certificate.seconds += seconds_since(start);
    }
  }

  bool is_red_already() const {
    return std::any_of(part_.certificates.begin(), part_.certificates.end(),
                       [](const Certificate& one) { return is_red(one.verdict); });
  }

  /// A derivative of a higher order says nothing if a lower one is wrong, and long cases say
  /// nothing if short ones are.
  bool cause_below(std::size_t i) {
    const Check& check = all_checks()[i];
    for (std::size_t k = 0; k < all_checks().size(); ++k) {
      if (!is_red(part_.certificates[k].verdict)) continue;
      const Check& other = all_checks()[k];
      const bool is_lower = 0 < other.details.order && other.details.order < check.details.order;
      const bool is_shorter =
          (check.traits & kOfLongerCases) && (other.traits & kOfShortCases) != 0;
      if (!is_lower && !is_shorter) continue;
      part_.certificates[i].cases += part_.certificates[i].cases == 0;
      part_.certificates[i].verdict = Verdict::Unresolved;
      part_.certificates[i].detail =
          is_lower ? "not judged: a lower order is wrong" : "not judged: shorter cases are wrong";
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
    certificate.undecided.add(outcome.undecided);
    certificate.near_zero.add(outcome.near_zero);
    if (outcome.verdict <= certificate.verdict) return;
    certificate.verdict = outcome.verdict;
    certificate.detail = outcome.reason;
    const Check& check = all_checks()[i];
    if (outcome.reason == "undeclared")  // its message says what nobody declared
      certificate.weakest =
          exhibit_of(*part_.spec, check, part_.dtype, options_.device, choices.value(), outcome);
    if (!is_red(outcome.verdict)) return;
    certificate.failure =
        options_.only_case
            ? exhibit_of(*part_.spec, check, part_.dtype, options_.device, choices.value(),
                         std::move(outcome))
            : shrink_failure(*part_.spec, check, part_.dtype, options_.device, choices, outcome);
  }

  void keep_weakest() {
    for (std::size_t i = 0; i < part_.certificates.size(); ++i)
      if (!part_.certificates[i].exhibit() && weakest_[i].choices)
        part_.certificates[i].weakest =
            exhibit_of(*part_.spec, all_checks()[i], part_.dtype, options_.device,
                       *weakest_[i].choices, std::move(weakest_[i].outcome));
  }

  struct Weakest {
    std::optional<Choices> choices = {};
    Outcome outcome = {};
    bool is_beaten_by(const Outcome& other) const {
      return !is_red(other.verdict) && (!choices || hides_more(other, outcome));
    }
  };

  const Slice& slice_;
  const Options& options_;
  Listener& listener_;
  const std::vector<Crash>& crashes_;
  Part part_;
  std::vector<Weakest> weakest_ = std::vector<Weakest>(all_checks().size());
};

}  // namespace

Part run_slice(const Slice& slice, const Options& options, Listener& listener,
               const std::vector<Crash>& crashes) {
  return PartRun(slice, options, listener, crashes).run();
}

Part crashed_part(const Slice& slice, const Options& options, const Crash& crash) {
  Listener silent;
  return PartRun(slice, options, silent, {}).of_crash(crash);
}

void conclude(Part& part, const Options& options) {
  const auto unused = [&](const Certificate& certificate) {
    if (certificate.cases == 0) return true;
    // One case alone, of no elements for example, need not give every check something to do.
    return options.only_case && certificate.verdict == Verdict::Pass &&
           certificate.comparisons == 0;
  };
  std::erase_if(part.certificates, unused);
  // An earlier case may have found what only a later one explains.
  const std::vector<Certificate> all = part.certificates;
  std::erase_if(part.certificates, [&](const Certificate& certificate) {
    const Check* check = find_check(certificate.check);
    return (check && is_explained(*check, all)) || is_refused_shape(certificate, all);
  });
  for (Certificate& certificate : part.certificates) {
    if (certificate.failure) certificate.weakest.reset();
    conclude(certificate, options.gates.power_gate(certificate.dtype));
  }
}

}  // namespace notape::verify
