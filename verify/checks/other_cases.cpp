#include "verify/checks/other_cases.h"

#include "verify/checks/each_check.h"
#include "verify/checks/given_inputs.h"
#include "verify/generate/choice_draw.h"
#include "verify/plugin/foreign_case.h"

namespace notape::verify {
namespace {

/// Random, but for the first number that a C operator draws: its way.
class DrawInWay final : public ChoiceDraw {
 public:
  DrawInWay(const rc::Random& random, int64_t way) : ChoiceDraw(random), way_(way) {}
  int64_t integer(int64_t low, int64_t high) override {
    const bool first = !drawn_;
    drawn_ = true;
    return first ? way_ : ChoiceDraw::integer(low, high);
  }

 private:
  int64_t way_;
  bool drawn_ = false;
};

std::unique_ptr<OtherCase> tried(const Subject& subject, ChoiceDraw& draw) {
  try {
    auto other = std::make_unique<OtherCase>(subject, draw_case(subject.spec, draw, subject.dtype));
    other->subject.base();
    return other;
  } catch (const std::exception&) {
    return nullptr;  // other checks meet the operator there, too
  }
}

bool have_same_attributes(const ForeignCase& one, const ForeignCase& other) {
  for (std::size_t i = 0; i < one.attributes.size(); ++i)
    if (one.attributes[i].number != other.attributes[i].number) return false;
  return true;
}

}  // namespace

std::vector<std::unique_ptr<OtherCase>> other_cases(const Subject& subject) {
  constexpr uint64_t kTries = 4;
  std::vector<std::unique_ptr<OtherCase>> cases;
  if (has_given_inputs(subject.drawn) || !has_function_of_users(subject)) return cases;
  const auto random = [&](uint64_t stream) {
    return rc::Random(rc::Random::Key{subject.drawn.key, stream, 0, 0});
  };
  const ForeignCase* one = foreign_case_of(subject.drawn);
  for (uint64_t i = 0; one && !one->attributes.empty() && i < kTries && cases.empty(); ++i) {
    DrawInWay draw(random(i), one->way);
    auto other = tried(subject, draw);
    if (other && !have_same_attributes(*one, *foreign_case_of(other->drawn)))
      cases.push_back(std::move(other));
  }
  ChoiceDraw draw(random(kTries));
  if (auto other = tried(subject, draw)) cases.push_back(std::move(other));
  return cases;
}

}  // namespace notape::verify
