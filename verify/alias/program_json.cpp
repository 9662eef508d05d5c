#include "verify/alias/program_json.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "verify/alias/campaign.h"
#include "verify/alias/generator.h"
#include "verify/processes/interruption.h"

namespace notape::verify::alias {
namespace {

using Json = nlohmann::ordered_json;

/// Where in `from` the elements of its view `to` are.
Json positions(const Alias& from, const Alias& to) {
  Json result = Json::array();
  for (std::size_t i = 0; i < static_cast<std::size_t>(to.numel); ++i)
    result.push_back(std::find(from.cell.begin(), from.cell.begin() + from.numel, to.cell[i]) -
                     from.cell.begin());
  return result;
}

/// "add", "add_number", "add_", "add_number_".
std::string name_of(const Statement& s) {
  const bool unary = s.code == Code::Unary || s.code == Code::UnaryWrite;
  const bool writes = s.code == Code::UnaryWrite || s.code == Code::BinaryWrite;
  return fmt::format("{}{}{}", unary ? unary_ops()[s.which].name : binary_ops()[s.which].name,
                     unary ? "_number" : "", writes ? "_" : "");
}

Json statement_json(const Statement& s, const Trial& trial, const Alias& viewed) {
  switch (s.code) {
    case Code::Leaf:
    case Code::Constant: {
      Json values = Json::array();
      for (int i = 0; i < s.n[0]; ++i) values.push_back(static_cast<int>(pattern_value(s.n[4], i)));
      return {
          {"do", s.code == Code::Leaf ? "leaf" : "constant"}, {"out", s.out}, {"values", values}};
    }
    case Code::View:
      return {{"do", "view"},
              {"out", s.out},
              {"a", s.a},
              {"cells", positions(viewed, trial.oracle().alias(s.out))}};
    case Code::Grad: {
      Json incoming = Json::array();
      for (int i = 0; i < trial.oracle().alias(s.a).numel; ++i)
        incoming.push_back(static_cast<int>(weight_value(i)));
      return {{"do", "grad"}, {"a", s.a}, {"weights", incoming}};
    }
    default: {
      Json result = {{"do", name_of(s)}};
      if (s.out != kNoSlot) result["out"] = s.out;
      result["a"] = s.a;
      if (s.b != kNoSlot)
        result["b"] = s.b;
      else
        result["number"] = s.n[0];
      return result;
    }
  }
}

/// The class of the error that a trial met since it had met `before`, or null.
const char* new_error(const TrialResult& now, const TrialResult& before) {
  for (std::size_t i = 0; i < kFailures; ++i)
    if (now.required[i] + now.unwanted[i] > before.required[i] + before.unwanted[i])
      return kFailureNames[i];
  return nullptr;
}

Json gradients(const Trial& trial) {
  Json result = Json::array();
  if (trial.executor().gradients().empty()) return result;  // nothing was there to differentiate
  for (std::size_t l = 0; l < trial.executor().leaves().size(); ++l) {
    const Tensor gradient = trial.executor().gradients()[l];
    Json one = Json::array();
    for (int i = 0; i < trial.oracle().leaves()[l].count; ++i)
      one.push_back(gradient.defined() ? static_cast<int64_t>(element(gradient, i)) : 0);
    result.push_back(one);
  }
  return result;
}

}  // namespace

void emit_programs(const Settings& settings, int64_t count, uint64_t seed, std::FILE* out) {
  Trial writing(settings), running(settings);
  Generator generator(writing);
  Program program;
  for (int64_t i = 0; i < count; ++i) {
    Interruption::check();
    const uint64_t own_seed = program_seed(seed, i);
    generator.run_plain(own_seed, program);
    Json json = {{"seed", std::to_string(own_seed)}, {"statements", Json::array()}};
    running.begin();
    for (std::size_t at = 0; at < program.size(); ++at) {
      const Statement& s = program[at];
      const TrialResult before = running.result();
      const Alias viewed = s.a == kNoSlot ? Alias() : running.oracle().alias(s.a);
      running.step(s);
      json["statements"].push_back(statement_json(s, running, viewed));
      const char* error = new_error(running.result(), before);
      if (error && !json.contains("library"))
        json["library"] = {{"error", error}, {"statement", at}};
    }
    if (!json.contains("library")) json["library"] = {{"gradients", gradients(running)}};
    running.end();
    fmt::print(out, "{}\n", json.dump());
  }
}

}  // namespace notape::verify::alias
