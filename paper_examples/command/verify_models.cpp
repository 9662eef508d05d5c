// notape verify models [NAME...] [--seeds N] [--json]: the Taylor test of whole models.
#include <fmt/format.h>

#include <chrono>
#include <nlohmann/json.hpp>

#include "ops/ops.h"
#include "paper_examples/command/command.h"
#include "paper_examples/models/workload.h"
#include "verify/report/progress.h"
#include "verify/taylor.h"

namespace notape::command {
namespace {

using models::Workload;
using models::WorkloadKind;

constexpr int kUndecided = 3;  // as notape verify has it
constexpr unsigned kMostPoints = 8;

struct Result {
  const WorkloadKind* kind;
  uint64_t seed;
  unsigned points;  ///< how many were drawn until one decided
  int64_t parameters, tensors;
  verify::TaylorReport report;
  double seconds;
};

/// The loss of four samples along all parameters at once, in float64, so that what remains of the
/// difference is seen far below the gradient.
verify::TaylorReport taylor_of(const Workload& workload, uint64_t seed) {
  workload.model->to(kFloat64);
  Workload::Batch batch = workload.draw_batch(4);
  for (Tensor& one : batch)
    if (one.is_floating_point()) one = one.to(kFloat64);
  const std::vector<Tensor> parameters = workload.model->parameters();
  variable_list here;
  for (const Tensor& one : parameters) {
    here.push_back(one.detach());
    // Where biases are 0, what comes from a dead layer is, too: the kink of the next one.
    if (one.dim() == 1) here.back().add_(rand_like(here.back()), 0.1);
  }
  const auto put = [&](const variable_list& values) {
    for (std::size_t i = 0; i < values.size(); ++i)
      if (!values[i].is_same(parameters[i])) parameters[i].set_data(values[i]);
  };
  return verify::taylor_slope(
      [&](const variable_list& values) {
        put(values);
        const Tensor loss = workload.loss(batch);
        put(here);
        return loss;
      },
      parameters, seed);
}

Result checked(const WorkloadKind& kind, uint64_t seed) {
  const auto begin = std::chrono::steady_clock::now();
  Result result{&kind, seed, 0, 0, 0, {}, 0};
  while (result.points < kMostPoints && result.report.verdict == verify::Verdict::Unresolved) {
    const uint64_t point_seed = seed + (uint64_t{result.points++} << 32);
    manual_seed(point_seed);
    const Workload workload = kind.make(models::Scale::Tiny);
    result.report = taylor_of(workload, point_seed);
    result.parameters = result.tensors = 0;
    for (const Tensor& one : workload.model->parameters()) {
      result.parameters += one.numel();
      ++result.tensors;
    }
  }
  result.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  return result;
}

nlohmann::ordered_json json_of(const Result& one) {
  nlohmann::ordered_json levels = nlohmann::ordered_json::array();
  for (const verify::TaylorLevel& level : one.report.levels)
    levels.push_back(
        {{"step", level.step}, {"remainder", level.remainder}, {"clear", level.clear}});
  return {{"model", one.kind->name},
          {"seed", one.seed},
          {"points", one.points},
          {"parameters", one.parameters},
          {"tensors", one.tensors},
          {"verdict", verify::name_of(one.report.verdict)},
          {"reason", one.report.reason},
          {"slope", one.report.slope},
          {"directional_derivative", one.report.directional},
          {"noise", one.report.noise},
          {"seconds", one.seconds},
          {"levels", levels}};
}

void print(const std::vector<Result>& results) {
  fmt::print("{:<13} {:>5} {:>10} {:>8} {:>10} {:>7}  verdict\n", "model", "seed", "parameters",
             "tensors", "<g, u>", "slope");
  for (const Result& one : results)
    fmt::print("{:<13} {:>5} {:>10} {:>8} {:>10.3g} {:>7.3f}  {}{}\n", one.kind->title, one.seed,
               one.parameters, one.tensors, one.report.directional, one.report.slope,
               verify::name_of(one.report.verdict),
               one.points > 1 ? fmt::format(", at point {}", one.points) : "");
  for (const Result& one : results)
    if (one.report.verdict != verify::Verdict::Pass)
      fmt::print("\n{}, seed {}: {}\n", one.kind->title, one.seed, one.report.text());
}

int status_of(const std::vector<Result>& results) {
  int status = kFine;
  for (const Result& one : results) {
    if (verify::is_red(one.report.verdict)) return kFailed;
    if (one.report.verdict != verify::Verdict::Pass) status = kUndecided;
  }
  return status;
}

}  // namespace

int verify_models(const Arguments& arguments) {
  CLI::App app(
      "Checks the gradient of the whole loss of the benchmark's models, at reduced size, without "
      "dropout, in float64: along a random direction u of all parameters at once,\n"
      "|f(x + h u) - f(x) - h <g, u>| has to fall with h^2. Where a kink between the shortest "
      "steps "
      "leaves that\nundecided, another point is drawn, up to eight.",
      "notape verify models");
  app.footer(
      "  notape verify models                 all of them\n"
      "  notape verify models gnmt ncf        some\n"
      "  notape verify models --seeds 10      other parameters, batches and directions, too\n"
      "\nExit status: 0 all pass, 1 a gradient is wrong, 2 unusable arguments, 3 undecided.");
  std::vector<std::string> names;
  int seeds = 3;
  uint64_t first = 1;
  bool json = false;
  app.add_option("MODEL", names, "some of those that notape bench table1 measures");
  app.add_option("--seeds", seeds, "how many of each model")
      ->check(CLI::Range(1, 100'000))
      ->capture_default_str();
  app.add_option("--seed", first, "the first of them")->capture_default_str();
  app.add_flag("--json", json, "an array of objects");
  return parse_and_run(app, arguments, [&] {
    std::vector<const WorkloadKind*> kinds;
    for (const std::string& name : names) kinds.push_back(&models::find_workload(name));
    if (names.empty())
      for (const WorkloadKind& kind : models::workloads()) kinds.push_back(&kind);
    std::vector<Result> results;
    {
      verify::Progress progress(verify::progress_style(stderr), stderr);
      progress.begin(kinds.size() * static_cast<std::size_t>(seeds));
      for (const WorkloadKind* kind : kinds)
        for (int i = 0; i < seeds; ++i) {
          verify::Interruption::check();
          progress.working_on(kind->title);
          results.push_back(checked(*kind, first + static_cast<uint64_t>(i)));
          progress.step();
        }
    }
    if (json) {
      nlohmann::ordered_json all = nlohmann::ordered_json::array();
      for (const Result& one : results) all.push_back(json_of(one));
      std::cout << all.dump(2) << '\n';
    } else {
      print(results);
    }
    return status_of(results);
  });
}

}  // namespace notape::command
