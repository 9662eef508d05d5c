// Checks of reverse gradients at fixed inputs, for compare.py to time. Reads lines and answers:
//   "list"                 names of cases, then "."
//   "inputs CASE"          the inputs as JSON: [{"sizes": [8], "values": [...]}, ...]
//   "time CASE TIMES"      the processor time that so many checks took, in nanoseconds
//   "power CASE"           the largest relative error that could have passed
//   "time_all CASE TIMES"  the same for so many rounds of all checks
//   "checks CASE"          how many checks such a round makes
#include <ctime>
#include <iostream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "ops/ops.h"
#include "ops/parallel.h"
#include "verify/checks/check.h"
#include "verify/runner/case_source.h"

using namespace notape;
using namespace notape::verify;

namespace {

using Function = Tensor (*)(const variable_list&);

struct Case {
  std::string name;
  OpSpec spec;
  DrawnCase drawn;
};

/// A call of the operator on arguments of these sizes. A row of the registry lends its reference in
/// 113-bit arithmetic; without one there is the function alone, as gradcheck has it.
Case make_case(const std::string& op, Function call, const std::vector<std::vector<int64_t>>& sizes,
               bool with_reference) {
  Case made{op, find_op_spec(op), {}};
  OpCase one;
  for (const auto& size : sizes) {
    one.arguments.push_back({.sizes = size, .domain = {.low = 0.5, .high = 2}});
    for (std::size_t d = 0; d < size.size(); ++d)
      made.name += (d == 0 ? "_" : "x") + std::to_string(size[d]);
  }
  one.call = call;
  if (with_reference) {
    ChoiceDraw simplest{Choices()};
    one.reference = made.spec.draw(simplest).reference;
    made.name += "_referenced";
  }
  made.spec.draw = [one](Draw&) { return one; };
  ChoiceDraw values(rc::Random(rc::Random::Key{1, 2, 3, 4}));
  made.drawn = draw_case(made.spec, values, kFloat64);
  return made;
}

std::vector<Case> all_cases() {
  using List = const variable_list&;
  std::vector<Case> cases;
  const std::pair<const char*, Function> unary[] = {
      {"exp", [](List x) { return exp(x[0]); }},
      {"tanh", [](List x) { return tanh(x[0]); }},
      {"sigmoid", [](List x) { return sigmoid(x[0]); }},
      {"square", [](List x) { return square(x[0]); }}};
  for (const auto& [name, call] : unary)
    for (int64_t n : {8, 64, 256})
      for (bool with_reference : {false, true})
        cases.push_back(make_case(name, call, {{n}}, with_reference));
  const std::pair<const char*, Function> binary[] = {
      {"mul", [](List x) { return mul(x[0], x[1]); }},
      {"div", [](List x) { return div(x[0], x[1]); }}};
  for (const auto& [name, call] : binary)
    for (bool with_reference : {false, true})
      cases.push_back(make_case(name, call, {{64}, {64}}, with_reference));
  cases.push_back(make_case(
      "mm", [](List x) { return mm(x[0], x[1]); }, {{8, 8}, {8, 8}}, false));
  cases.push_back(make_case(
      "bmm", [](List x) { return bmm(x[0], x[1]); }, {{2, 4, 4}, {2, 4, 4}}, false));
  return cases;
}

Outcome checked(const Case& one) {
  const Subject subject(one.spec, one.drawn, kFloat64, Device());
  Outcome outcome = run_check(*find_check("reverse"), subject);
  if (outcome.verdict != Verdict::Pass || outcome.comparisons == outcome.unresolved)
    throw ValueError("{} does not pass: {}", one.name, outcome.message);
  return outcome;
}

/// Everything that `notape verify` asks of such a case; how many checks that were.
int check_all(const Case& one) {
  const Subject subject(one.spec, one.drawn, kFloat64, Device());
  int checks = 0;
  for (const Check& check : all_checks()) {
    if (!is_asked(check, subject)) continue;
    const Outcome outcome = run_check(check, subject);
    if (is_red(outcome.verdict)) throw ValueError("{}: {}", one.name, outcome.message);
    checks += outcome.comparisons > outcome.unresolved;
  }
  return checks;
}

template <typename Work>
double nanoseconds(int times, Work work) {
  const std::clock_t start = std::clock();
  for (int i = 0; i < times; ++i) work();
  return 1e9 * static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
}

nlohmann::json inputs_of(const Case& one) {
  nlohmann::json inputs = nlohmann::json::array();
  for (const DrawnArgument& argument : one.drawn.arguments)
    inputs.push_back({{"sizes", argument.argument.sizes}, {"values", argument.values}});
  return inputs;
}

}  // namespace

int main() {
  set_num_threads(1);
  const std::vector<Case> cases = all_cases();
  for (std::string line; std::getline(std::cin, line);) {
    std::istringstream words(line);
    std::string word, name;
    int times = 0;
    words >> word >> name >> times;
    for (const Case& one : cases) {
      if (word == "list") std::cout << one.name << '\n';
      if (one.name != name) continue;
      if (word == "inputs") std::cout << inputs_of(one).dump() << std::endl;
      if (word == "power") std::cout << checked(one).detectable << std::endl;
      if (word == "time") std::cout << nanoseconds(times, [&] { checked(one); }) << std::endl;
      if (word == "checks") std::cout << check_all(one) << std::endl;
      if (word == "time_all") std::cout << nanoseconds(times, [&] { check_all(one); }) << std::endl;
    }
    if (word == "list") std::cout << "." << std::endl;
  }
}
