// notape verify prove: derivative rules of elementwise operators, proved as functions of real
// numbers.
#include "verify/command/prove.h"

#include <dlfcn.h>
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <chrono>
#include <fstream>
#include <nlohmann/json.hpp>

#include "autograd/interchange/output_file.h"
#include "autograd/tensor/factories.h"
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
  notape verify prove                        every elementwise operator
  notape verify prove tanh gelu --json FILE  also as lines of a file
  notape verify prove --least 60             also fails unless so many are proved

Operators of two arguments are proved on lines only: along either argument, for three numbers as the other.

A proof covers the operator's domain by cells. On each, the operator's own formula and its derivative
rule, up to the third order, run on Taylor series whose coefficients are intervals (Arb's); on either side
of every comparison. The difference of the rule and the formula's derivative is enclosed, and is below
2^-46 of the largest derivative on the cell: what constants that are rounded to doubles may do. Left out
are places around jumps and poles, which the table names. Nothing is said of rounding: that is what
`notape verify exhaustive` walks.
Exit codes: 0 nothing is refuted, 1 a rule is wrong, or fewer than --least are proved, 2 bad usage, 5 this build has no Arb.)";

/// Rows that are not tried.
struct Unprovable {
  std::string_view row;
  const char* reason;
};
constexpr Unprovable kUnprovable[] = {
    {"sinc", "its formula near 0 is a series that ends where it rounds"},
    {"special_erfcx", "its formula is a continued fraction of a length that its numbers choose"},
    {"erfinv", "its formula iterates, and intervals grow in each step"},
};

std::string interval_text(const Interval& where) {
  return where.high == where.low ? fmt::format("{:.6g}", where.low)
                                 : fmt::format("[{:.6g}, {:.6g}]", where.low, where.high);
}

std::string verdict_of(const Proof& proof) {
  if (!proof.refuted.empty()) return "REFUTED";
  return proof.is_proved() ? "PROVED" : "UNPROVED";
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

/// The places of a row, each with why.
std::string places_text(const Json& row, const char* key, const char* before) {
  std::string text;
  for (const Json& one : row.contains(key) ? row[key] : Json::array())
    text += fmt::format("{}{}: {}", text.empty() ? before : "; ",
                        interval_text({one["from"], one["to"]}), one["why"].get<std::string>());
  return text;
}
std::string table_row(const Json& row) {
  const auto parameters = row["parameters"].get<std::string>();
  return fmt::format(
      "{:<28} {:>20} {:>6} {:>6} {:>8.1g}  {}{}{}{}\n",
      row["operator"].get<std::string>() + (parameters.empty() ? "" : " ") + parameters,
      interval_text({row["domain"][0], row["domain"][1]}), row["orders"].get<int>(),
      row["cells"].get<int>(), row["within"].get<double>(), row["verdict"].get<std::string>(),
      row.contains("reason") ? ": " : "", row.value("reason", ""),
      places_text(row, "refuted", " at ") + places_text(row, "left", " but at "));
}

/// What a file of `--json` has.
Json rows_of(const std::string& path) {
  std::ifstream file(path);
  const Json rows = Json::parse(file, nullptr, false);
  if (!rows.is_array())
    throw verify::UsageError("'{}' is no file of `notape verify prove --json`", path);
  return rows;
}

/// One argument varies, the other is this number.
OpCase line_of(const OpCase& one, std::size_t varies, double other) {
  OpCase line = one;
  const auto with = [varies](auto x, auto fixed) {
    return varies == 0 ? std::vector{x, fixed} : std::vector{fixed, x};
  };
  line.label +=
      fmt::format("{}{} = {}", one.label.empty() ? "" : ", ", varies == 0 ? "b" : "a", other);
  line.arguments = {one.arguments[varies]};
  line.call = [=](const variable_list& x) {
    return one.call(with(x[0], full(x[0].sizes(), other, kFloat64)));
  };
  line.reference = [=](const WideList& x) {
    WideTensor fixed(x[0].sizes);
    std::fill(fixed.values.begin(), fixed.values.end(), Wide(other));
    return one.reference(with(x[0], fixed));
  };
  return line;
}

/// Lines through the domain of an operator of two arguments, along either.
std::vector<OpCase> lines_of(const OpSpec& spec) {
  verify::ChoiceDraw draw{verify::Choices()};
  const OpCase one = spec.draw(draw);
  const auto is_real = [](const Argument& a) { return a.kind == Argument::Kind::Real; };
  if (one.arguments.size() != 2 || !one.reference.is_elementwise ||
      !std::all_of(one.arguments.begin(), one.arguments.end(), is_real))
    return {};
  std::vector<OpCase> lines;
  for (std::size_t varies = 0; varies < 2; ++varies) {
    const Domain& other = one.arguments[1 - varies].domain;
    for (const double at : {0.171875, 0.59375, 0.921875})
      lines.push_back(line_of(one, varies, other.low + (other.high - other.low) * at));
  }
  return lines;
}

}  // namespace

Prove opened_proofs() {
  void* const library = dlopen("libnotape_proofs.so", RTLD_NOW | RTLD_LOCAL);
  return library ? reinterpret_cast<Prove>(dlsym(library, "notape_prove")) : nullptr;
}

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
  std::string parameters = "0", least = "0", file_name, shown;
  CLI::App app("Proves derivative rules of elementwise operators.", "notape verify prove");
  app.add_option("SELECTOR", selectors, "operator name, glob, or 'all' (none: all)");
  app.add_option("--parameters", parameters, "drawn parameters beside the simplest (default 0)");
  app.add_option("--least", least,
                 "so many operators of one argument are to be proved (default 0)");
  app.add_option("--json", file_name, "a file of each operator, too");
  app.add_option("--show", shown, "print the table of such a file, and prove nothing");
  app.footer(kProveExamples);
  if (!verify::parse_words(app, std::move(words), out)) return 0;
  verify::refuse_plugin(selectors, "prove");
  const auto others = verify::number_within<std::size_t>(parameters, "--parameters", 0, 50);
  const auto expected = verify::number_within<int>(least, "--least", 0, 1'000'000);
  fmt::print(out, "{:<28} {:>20} {:>6} {:>6} {:>8}  {}\n", "operator", "domain", "orders", "cells",
             "within", "verdict");
  if (!shown.empty()) {
    for (const Json& row : rows_of(shown)) fmt::print(out, "{}", table_row(row));
    return 0;
  }
  const Prove prove = opened_proofs();
  if (!prove) {
    fmt::print(err, "notape verify: this build has no Arb (Debian: libflint-arb-dev)\n");
    return kNoArb;
  }
  set_num_threads(1);
  std::optional<interchange::OutputFile> file;
  if (!file_name.empty()) file.emplace(file_name);
  Json rows = Json::array();
  bool is_right = true;
  int proved = 0, on_lines = 0, subjects = 0;
  for (const OpSpec* spec : verify::select(specs, selectors)) {
    std::vector<OpCase> cases = verify::exhaustive::unary_cases(*spec, others);
    const bool has_lines = cases.empty();
    if (has_lines) cases = lines_of(*spec);
    bool is_proved = !cases.empty();
    for (const OpCase& one : cases) {
      const auto start = std::chrono::steady_clock::now();
      Proof proof;
      const auto known = std::find_if(std::begin(kUnprovable), std::end(kUnprovable),
                                      [&](const auto& each) { return each.row == spec->name; });
      proof.domain = domain_of(*spec, one);
      if (known != std::end(kUnprovable))
        proof.reason = known->reason;
      else
        prove(one, {.domain = proof.domain, .orders = spec->order}, proof);
      const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
      rows.push_back(json_of(spec->name, one, proof, seconds.count()));
      fmt::print(out, "{}", table_row(rows.back()));
      std::fflush(out);
      is_right = is_right && proof.refuted.empty();
      is_proved = is_proved && proof.is_proved();
    }
    (has_lines ? on_lines : proved) += is_proved;
    subjects += !cases.empty();
  }
  fmt::print(out, "\n{} operators: {} proved, {} of two arguments on lines\n", subjects, proved,
             on_lines);
  if (file) {
    file->write(rows.dump(1) + "\n");
    file->commit();
  }
  return is_right && proved >= expected ? 0 : kRefuted;
}

}  // namespace notape::prove
