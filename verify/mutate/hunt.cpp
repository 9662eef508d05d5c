#include "verify/mutate/hunt.h"

#include <ctime>

#include "verify/runner/case_source.h"

namespace notape::verify::mutate {
namespace {

/// After a kill by another check, how many cases the check that was meant to do it still gets.
constexpr int kFurtherCases = 10;

Choices choices_of(const OpSpec& spec, ScalarType dtype, uint64_t seed, int number) {
  ChoiceDraw draw(random_for(spec, dtype, seed, number));
  draw_case(spec, draw, dtype);
  return draw.made();
}

/// A case of a planted operator, ready for checks.
struct Sighting {
  DrawnCase drawn;
  Subject subject;

  Sighting(const OpSpec& planted, const Mutant& mutant, const Choices& choices, ScalarType dtype)
      : drawn(make(planted, mutant, choices, dtype)), subject(planted, drawn, dtype, Device()) {}

  static DrawnCase make(const OpSpec& planted, const Mutant& mutant, const Choices& choices,
                        ScalarType dtype) {
    ChoiceDraw draw(choices);
    DrawnCase result = draw_case(planted, draw, dtype);
    if (mutant.prepare) mutant.prepare(result);
    return result;
  }
};

bool alarms(const Check& check, const Subject& subject) {
  return is_asked(check, subject) && is_red(run_check(check, subject).verdict);
}

class Hunt {
 public:
  Hunt(const OpSpec& spec, const Mutant& mutant, const HuntOptions& options)
      : spec_(spec),
        mutant_(mutant),
        options_(options),
        right_(plant(spec, no_mutant())),
        planted_(plant(spec, mutant)),
        meant_(find_check(mutant.leg)),
        cell_{.mutant = &mutant, .spec = &spec} {}

  Cell run() {
    const std::clock_t start = std::clock();
    if (is_wrong_somewhere()) {
      cell_.fate = Fate::Survived;
      cell_.cases = 0;
      for (ScalarType dtype : {kFloat64, kFloat32})
        if (dtype == kFloat64 || !mutant_.float64_only)
          for (int i = 0; i < options_.samples && cell_.fate != Fate::Killed; ++i)
            look_at(dtype, i);
    }
    cell_.seconds = static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
    return cell_;
  }

 private:
  bool has_place(const Choices& choices) const {
    ChoiceDraw draw(choices);
    draw.bits();  // the key, which is drawn first
    const OpCase one = spec_.draw(draw);
    const Target target(spec_, one);
    return !target.real.empty() && spec_.order > 0 && mutant_.plant(target).has_value();
  }

  bool is_wrong_somewhere() {
    for (int i = 0; i < options_.samples; ++i) {
      const Choices choices = choices_of(spec_, kFloat64, options_.seed, i);
      if (!has_place(choices)) continue;
      const Sighting right(right_, mutant_, choices, kFloat64);
      if (!right.subject.is_differentiable()) continue;
      cell_.fate = Fate::Equivalent;
      ++cell_.cases;
      if (mutant_.is_wrong) {
        if (mutant_.is_wrong(right.subject)) return true;
        continue;
      }
      try {
        const Sighting planted(planted_, mutant_, choices, kFloat64);
        if (differs(right.subject, planted.subject)) return true;
      } catch (const std::exception&) {
        return true;  // it does not even run
      }
    }
    return false;
  }

  void look_at(ScalarType dtype, int number) {
    ++cell_.cases;
    const Choices choices = choices_of(spec_, dtype, options_.seed, number);
    const Sighting seen(planted_, mutant_, choices, dtype);
    const Check* killer = meant_ && alarms(*meant_, seen.subject) ? meant_ : nullptr;
    cell_.as_meant = killer != nullptr;
    for (const Check& check : all_checks())
      if (!killer && &check != meant_ && alarms(check, seen.subject)) killer = &check;
    if (!killer) return;
    cell_.fate = Fate::Killed;
    cell_.leg = killer->name;
    const int last = std::min(options_.samples, number + 1 + kFurtherCases);
    for (int i = number + 1; meant_ && !cell_.as_meant && i < last; ++i)
      cell_.as_meant = alarms(
          *meant_,
          Sighting(planted_, mutant_, choices_of(spec_, dtype, options_.seed, i), dtype).subject);
  }

  const OpSpec& spec_;
  const Mutant& mutant_;
  const HuntOptions& options_;
  const OpSpec right_, planted_;
  const Check* meant_;
  Cell cell_;
};

}  // namespace

Cell hunt(const OpSpec& spec, const Mutant& mutant, const HuntOptions& options) {
  return Hunt(spec, mutant, options).run();
}

std::vector<FalseAlarm> false_alarms(const OpSpec& spec, const HuntOptions& options, int cases) {
  const OpSpec right = plant(spec, no_mutant());
  std::vector<FalseAlarm> found;
  for (ScalarType dtype : {kFloat64, kFloat32})
    for (int i = 0; i < cases && found.empty(); ++i) {
      const Choices choices = choices_of(spec, dtype, options.seed, i);
      const Sighting seen(right, no_mutant(), choices, dtype);
      for (const Check& check : all_checks()) {
        if (!is_asked(check, seen.subject)) continue;
        const Outcome outcome = run_check(check, seen.subject);
        if (is_red(outcome.verdict))
          found.push_back({&spec, check.name, dtype, encode_choices(choices), outcome.message});
      }
    }
  return found;
}

}  // namespace notape::verify::mutate
