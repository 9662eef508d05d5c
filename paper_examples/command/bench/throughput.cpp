#include "paper_examples/command/bench/throughput.h"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <memory>

#include "paper_examples/command/bench/step_process.h"

namespace notape::command::bench {
namespace {

namespace fs = std::filesystem;

double middle_of(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  const std::size_t n = values.size();
  return n % 2 == 1 ? values[n / 2] : (values[n / 2 - 1] + values[n / 2]) / 2;
}

std::string loadavg() {
  std::ifstream file("/proc/loadavg");
  std::string line;
  std::getline(file, line);
  return line;
}

/// In the source tree, or beside the installed command.
fs::path torch_program() {
  const fs::path installed = own_program().parent_path().parent_path() / NOTAPE_DATA_FOLDER;
  for (const fs::path& folder : {fs::path(NOTAPE_TORCH_STEPS_FOLDER), installed}) {
    std::error_code ignored;
    if (fs::exists(folder / "torch_steps.py", ignored)) return folder / "torch_steps.py";
  }
  throw trace::ProcessError("no torch_steps.py: looked in {} and {}", NOTAPE_TORCH_STEPS_FOLDER,
                            installed.string());
}

struct Side {
  SideResult result;
  std::vector<std::string> command;
  std::unique_ptr<StepProcess> process;

  /// Whatever it throws is the reason why there are no numbers.
  template <typename Function>
  void attempt(const Function& function) {
    if (!result.reason.empty()) return;
    try {
      function();
    } catch (const trace::ProcessError& error) {
      result.reason = error.what_without_backtrace();
      process.reset();
    }
  }
};

std::vector<Side> sides_of(const models::WorkloadKind& kind, int64_t samples,
                           const ThroughputOptions& o) {
  const std::vector<std::string> words = {kind.name, models::kScaleNames[static_cast<int>(o.scale)],
                                          std::to_string(samples), o.device,
                                          std::to_string(o.threads)};
  std::vector<Side> sides(1);
  sides[0].result.name = "notape";
  sides[0].command = {own_program(), "bench", "step"};
  sides[0].command.insert(sides[0].command.end(), words.begin(), words.end());
  for (const std::string& python : o.pythons) {
    Side& side = sides.emplace_back();
    side.result.name = python;
    side.attempt([&] { side.command = {python, torch_program()}; });
    side.command.insert(side.command.end(), words.begin(), words.end());
    side.command.push_back(o.math);
  }
  return sides;
}

/// Returns how many steps each repeat took.
int take_turns(std::vector<Side>& sides, const ThroughputOptions& o) {
  const std::string threads = std::to_string(o.threads);
  for (Side& side : sides)
    side.attempt([&] {
      side.process = std::make_unique<StepProcess>(
          side.command, std::vector<std::string>{"OMP_NUM_THREADS=" + threads});
      side.result.name = side.process->name();
    });
  // A step of each of the batches that take turns.
  int batches = 1;
  std::string lengths = "-";
  sides[0].attempt([&] {
    batches = static_cast<int>(sides[0].process->number("batches"));
    lengths = sides[0].process->ask("lengths");
  });
  const auto whole = [&](int steps) { return (steps + batches - 1) / batches * batches; };
  const int steps = whole(o.steps);
  for (Side& side : sides)
    side.attempt([&] {
      if (lengths != "-" && &side != sides.data()) side.process->ask("lengths " + lengths);
      side.process->number("steps " + std::to_string(whole(o.warmup)));
      side.result.cpu_seconds = -side.process->number("cpu");
    });
  for (int repeat = 0; repeat < o.repeats; ++repeat)
    for (Side& side : sides)
      side.attempt([&] {
        side.result.seconds.push_back(side.process->number("steps " + std::to_string(steps)));
      });
  for (Side& side : sides)
    side.attempt([&] {
      side.result.cpu_seconds += side.process->number("cpu");
      side.result.cpu_seconds /= o.repeats * steps;
      side.result.peak_bytes = side.process->number("memory");
    });
  return steps;
}

ThroughputRow measured(const models::WorkloadKind& kind, const ThroughputOptions& o) {
  ThroughputRow row;
  row.kind = &kind;
  row.samples = o.samples > 0                     ? o.samples
                : o.scale == models::Scale::Paper ? kind.samples
                                                  : kind.small_samples;
  std::vector<Side> sides = sides_of(kind, row.samples, o);
  row.steps = take_turns(sides, o);
  Side& own = sides[0];
  own.attempt([&] {
    row.units = own.process->number("units");
    row.flop = own.process->number("flop");
    row.shares = own.process->ask("shares");
  });
  for (Side& side : sides) {
    side.attempt([&] {
      if (row.units > 0 && side.process->number("units") != row.units)
        throw trace::ProcessError("{}: a batch is not what ours is", side.result.name);
    });
    if (!side.result.reason.empty()) continue;
    std::vector<double> rates;
    for (const double one : side.result.seconds) rates.push_back(row.units * row.steps / one);
    side.result.rate = Spread(rates);
  }
  row.ours = own.result;
  for (auto side = sides.begin() + 1; side != sides.end(); ++side) {
    std::vector<double> ratios;
    const std::vector<double>& theirs = side->result.rate.values;
    for (std::size_t i = 0; i < std::min(theirs.size(), row.ours.rate.values.size()); ++i)
      ratios.push_back(row.ours.rate.values[i] / theirs[i]);
    row.ratios.emplace_back(ratios);
    row.others.push_back(side->result);
  }
  return row;
}

/// 0 if it cannot be measured; then the rows say why.
double peak_of_product(const ThroughputOptions& o) {
  try {
    StepProcess process(
        {own_program(), "bench", "step", "ncf", "tiny", "1", o.device, std::to_string(o.threads)},
        {});
    return process.number("peak");
  } catch (const trace::ProcessError&) {
    return 0;
  }
}

}  // namespace

Spread::Spread(std::vector<double> given) : values(std::move(given)) {
  if (values.empty()) return;
  const auto n = static_cast<double>(values.size());
  for (const double one : values) mean += one / n;
  for (const double one : values) deviation += (one - mean) * (one - mean);
  deviation = values.size() < 2 ? 0 : std::sqrt(deviation / (n - 1));
  median = middle_of(values);
  std::vector<double> distances;
  for (const double one : values) distances.push_back(std::abs(one - median));
  mad = middle_of(distances);
}

double ThroughputRow::part_of(double peak) const {
  return units > 0 && peak > 0 ? ours.rate.median / units * flop / (peak * 1e9) : 0;
}

ThroughputReport measure_throughput(const std::vector<const models::WorkloadKind*>& models,
                                    const ThroughputOptions& options, std::ostream& progress) {
  ThroughputReport report;
  report.options = options;
  report.load_before = loadavg();
  try {
    report.peak_gflops = peak_of_product(options);
    for (const models::WorkloadKind* kind : models) {
      progress << "measuring " << kind->title << " (" << report.rows.size() + 1 << " of "
               << models.size() << ")" << std::endl;
      report.rows.push_back(measured(*kind, options));
    }
  } catch (const verify::Interrupted&) {
  }
  report.load_after = loadavg();
  return report;
}

}  // namespace notape::command::bench
