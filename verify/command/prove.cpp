// notape verify prove: derivative rules of elementwise operators, proved as functions of real numbers.
#include "verify/prove/proof.h"

#include <dlfcn.h>
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <chrono>
#include <nlohmann/json.hpp>

#include "autograd/interchange/output_file.h"
#include "ops/parallel.h"
#include "verify/command/plugin.h"
#include "verify/command/subcommands.h"
#include "verify/command/words.h"
#include "verify/exhaustive/walk.h"
#include "verify/generate/choice_draw.h"
#include "verify/runner/selector.h"

namespace notape::prove {
namespace {

using Json = nlohmann::ordered_json;
constexpr int kRefuted = 1, kNoArb = 5;

constexpr const char* kProveExamples = R"(Examples:
  notape verify prove                        every elementwise operator of one argument
  notape verify prove tanh gelu --json FILE  also as lines of a file

A proof covers the operator's domain by cells. On each, the operator's own formula and its derivative
rule, up to the third order, run on Taylor series whose coefficients are intervals (Arb's); on either side
of every comparison. The difference of the rule and the formula's derivative is enclosed, and is below
2^-48 of the largest derivative on the cell: what constants that are rounded to doubles may do. Left out
are places around jumps and poles, which the table names. Nothing is said of rounding: that is what
`notape verify exhaustive` walks.
Exit codes: 0 nothing is refuted, 1 a rule is wrong, 2 bad usage, 5 this build has no Arb.)";

using Prove = decltype(&notape_prove);
Prove opened() {
  void* const library = dlopen("libnotape_proofs.so", RTLD_NOW | RTLD_LOCAL);
  return library ? reinterpret_cast<Prove>(dlsym(library, "notape_prove")) : nullptr;
}

std::string interval_text(const Interval& where) {
  return where.high == where.low ? fmt::format("{:.6g}", where.low)
                                 : fmt::format("[{:.6g}, {:.6g}]", where.low, where.high);
}

std::string verdict_of(const Proof& proof) {
  if (!proof.refuted.empty()) return "REFUTED";
  return proof.is_proved() ? "PROVED" : "UNPROVED";
}
std::string remark_of(const Proof& proof) {
  if (!proof.reason.empty()) return proof.reason;
  std::string text;
  for (const Left& left : proof.refuted)
    text += fmt::format("order {} at {}: {}", left.order, interval_text(left.where), left.why);
  for (const Left& left : proof.left)
    text += fmt::format("{}{}: {}", text.empty() ? "but " : "; ", interval_text(left.where), left.why);
  return text;
}

Json json_of(const std::string& name, const OpCase& one, const Proof& proof, double seconds) {
  Json row = {{"operator", name},
              {"parameters", one.label},
              {"verdict", verdict_of(proof)},
              {"by", "enclosure"},
              {"domain", {proof.domain.low, proof.domain.high}},
              {"orders", proof.orders},
              {"cells", proof.cells},
              {"within", proof.within}};
  if (!proof.reason.empty()) row["reason"] = proof.reason;
  for (const auto& [key, places] : {std::pair{"left", &proof.left}, {"refuted", &proof.refuted}})
    for (const Left& left : *places)
      row[key].push_back({{"from", left.where.low},
                          {"to", left.where.high},
                          {"order", left.order},
                          {"why", left.why}});
  row["seconds"] = std::round(seconds * 10) / 10;
  return row;
}

}  // namespace

Interval domain_of(const OpSpec& spec, const OpCase& one) {
  Interval hull{one.arguments[0].domain.low, one.arguments[0].domain.high};
  for (uint64_t seed = 0; seed < 64; ++seed) {
    verify::ChoiceDraw draw{rc::Random(seed)};
    const OpCase other = spec.draw(draw);
    if (other.label != one.label || other.arguments.size() != 1) continue;
    hull.low = std::max(-1e3, std::min(hull.low, other.arguments[0].domain.low));
    hull.high = std::min(1e3, std::max(hull.high, other.arguments[0].domain.high));
  }
  return hull;
}

int run_command(std::vector<std::string> words, const verify::SpecList& specs, std::FILE* out,
                std::FILE* err) {
  std::vector<std::string> selectors;
  std::string parameters = "0", file_name;
  CLI::App app("Proves derivative rules of elementwise operators.", "notape verify prove");
  app.add_option("SELECTOR", selectors, "operator name, glob, or 'all' (none: all)");
  app.add_option("--parameters", parameters, "drawn parameters beside the simplest (default 0)");
  app.add_option("--json", file_name, "a file of each operator, too");
  app.footer(kProveExamples);
  if (!verify::parse_words(app, std::move(words), out)) return 0;
  verify::refuse_plugin(selectors, "prove");
  const auto others = verify::number_within<std::size_t>(parameters, "--parameters", 0, 50);
  const Prove prove = opened();
  if (!prove) {
    fmt::print(err, "notape verify: this build has no Arb (Debian: libflint-arb-dev)\n");
    return kNoArb;
  }
  set_num_threads(1);
  std::optional<interchange::OutputFile> file;
  if (!file_name.empty()) file.emplace(file_name);
  Json rows = Json::array();
  bool is_right = true;
  int proved = 0, subjects = 0;
  fmt::print(out, "{:<24} {:>20} {:>6} {:>6} {:>8}  {}\n", "operator", "domain", "orders", "cells",
             "within", "verdict");
  for (const OpSpec* spec : verify::select(specs, selectors))
    for (const OpCase& one : verify::exhaustive::unary_cases(*spec, others)) {
      const auto start = std::chrono::steady_clock::now();
      Proof proof;
      prove(one, {.domain = domain_of(*spec, one), .orders = spec->order}, proof);
      const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
      const std::string subject = one.label.empty() ? spec->name : spec->name + (" " + one.label);
      fmt::print(out, "{:<24} {:>20} {:>6} {:>6} {:>8.1g}  {} {}\n", subject,
                 interval_text(proof.domain), proof.orders, proof.cells, proof.within,
                 verdict_of(proof), remark_of(proof));
      std::fflush(out);
      rows.push_back(json_of(spec->name, one, proof, seconds.count()));
      is_right = is_right && proof.refuted.empty();
      proved += proof.is_proved();
      ++subjects;
    }
  fmt::print(out, "\n{} of {} proved\n", proved, subjects);
  if (file) {
    file->write(rows.dump(1) + "\n");
    file->commit();
  }
  return is_right ? 0 : kRefuted;
}

}  // namespace notape::prove
