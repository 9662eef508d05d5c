#include "verify/alias/program_json.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "verify/alias/campaign.h"
#include "verify/alias/generator.h"
#include "verify/alias/operations.h"
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

// What plain programs are made of; other kinds have no JSON.

Json json_of(const Make& s, const Trial&, const Alias&) {
  Json values = Json::array();
  for (int i = 0; i < s.numel(); ++i)
    values.push_back(static_cast<int>(pattern_value(s.pattern, i)));
  return {{"do", s.is_leaf ? "leaf" : "constant"}, {"out", s.out}, {"values", values}};
}

Json json_of(const View& s, const Trial& trial, const Alias& viewed) {
  return {{"do", "view"},
          {"out", s.out},
          {"a", s.a},
          {"cells", positions(viewed, trial.oracle().alias(s.out))}};
}

Json json_of(const Gradient& s, const Trial& trial, const Alias&) {
  Json incoming = Json::array();
  for (int i = 0; i < trial.oracle().alias(s.a).numel; ++i)
    incoming.push_back(static_cast<int>(weight_value(i)));
  return {{"do", "grad"}, {"a", s.a}, {"weights", incoming}};
}

/// "add_number", "add_number_"
Json json_of(const Unary& s, const Trial&, const Alias&) {
  Json result = {{"do", fmt::format("{}_number{}", unary_ops()[s.op].name, s.in_place ? "_" : "")}};
  if (s.out != kNoSlot) result["out"] = s.out;
  result["a"] = s.a;
  result["number"] = s.number;
  return result;
}

/// "add", "add_"
Json json_of(const Binary& s, const Trial&, const Alias&) {
  Json result = {{"do", fmt::format("{}{}", binary_ops()[s.op].name, s.in_place ? "_" : "")}};
  if (s.out != kNoSlot) result["out"] = s.out;
  result["a"] = s.a;
  result["b"] = s.b;
  return result;
}

Json statement_json(const Statement& s, const Trial& trial, const Alias& viewed) {
  return std::visit(
      [&](const auto& kind) -> Json {
        if constexpr (requires { json_of(kind, trial, viewed); })
          return json_of(kind, trial, viewed);
        return nullptr;
      },
      s.what);
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
      const Slot a = s.operands()[0];
      const Alias viewed = a == kNoSlot ? Alias() : running.oracle().alias(a);
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
