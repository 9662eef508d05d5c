// A report of throughput for people, and for programs.
#include <fmt/chrono.h>
#include <fmt/ostream.h>

#include <algorithm>
#include <cstdlib>
#include <ctime>
#include <nlohmann/json.hpp>
#include <thread>

#include "autograd/printable.h"
#include "paper_examples/command/bench/paper_table.h"
#include "paper_examples/command/bench/throughput.h"
#include "verify/report/environment.h"

namespace notape::command::bench {
namespace {

using Json = nlohmann::ordered_json;

std::string rate_text(double value) {
  return value >= 1e6   ? fmt::format("{:.3f}M", value / 1e6)
         : value >= 1e4 ? fmt::format("{:.0f}", value)
                        : fmt::format("{:.4g}", value);
}

std::string rate_text(const SideResult& side) {
  if (side.rate.values.empty()) return "-";
  return rate_text(side.rate.median) + " ± " + rate_text(side.rate.mad);
}

/// fmt counts bytes, and ± is two.
std::string padded(const std::string& text, std::size_t width) {
  std::size_t letters = 0;
  for (const char one : text) letters += (one & 0xC0) != 0x80;
  return std::string(letters < width ? width - letters : 0, ' ') + text;
}

std::string now_text() { return fmt::format("{:%Y-%m-%d}", fmt::gmtime(std::time(nullptr))); }

/// A host that others use gives numbers that are worth little, above all to who waits in a loop.
void print_load(std::ostream& out, const ThroughputReport& report) {
  const double load = std::max(std::strtod(report.load_before.c_str(), nullptr),
                               std::strtod(report.load_after.c_str(), nullptr));
  const unsigned processors = std::thread::hardware_concurrency();
  if (processors > 0 && load > 1.5 * processors)
    fmt::print(
        out,
        "The host was busy with other work: a load of {:.1f} on {} processors. Rates are not to "
        "be\ntrusted; of one thread, CPU time is less disturbed.\n\n",
        load, processors);
}

void print_rates(std::ostream& out, const ThroughputReport& report) {
  const ThroughputOptions& o = report.options;
  fmt::print(out, "{:12} {:6} {:>8} {:5} {:>20} {:>20} {:>16} {:>9} {:>16}\n", "model", "unit",
             "batch", "math", "ours", "PyTorch", "ours/PyTorch", "roofline", "paper, GP100");
  for (const ThroughputRow& row : report.rows) {
    const std::size_t lines = std::max<std::size_t>(1, row.others.size());
    for (std::size_t i = 0; i < lines; ++i) {
      const bool is_beside = i < row.others.size();
      const std::string theirs = is_beside ? rate_text(row.others[i]) : "-";
      std::string ratio = "-";
      if (is_beside && !row.ratios[i].values.empty())
        ratio = fmt::format("{:.2f} ± {:.2f}", row.ratios[i].median, row.ratios[i].mad);
      if (i > 0) {  // the same row beside another PyTorch
        fmt::print(out, "{:34} {:>20} {} {}\n", "", "", padded(theirs, 20), padded(ratio, 16));
        continue;
      }
      const double part = row.part_of(report.peak_gflops);
      fmt::print(out, "{:12} {:6} {:>8} {:5} {} {} {} {:>9} {}\n", row.kind->title, row.kind->unit,
                 row.samples, o.math, padded(rate_text(row.ours), 20), padded(theirs, 20),
                 padded(ratio, 16), part > 0 ? fmt::format("{:.0f} %", 100 * part) : "-",
                 padded(paper_cell(row.kind->name).text(), 16));
    }
  }
}

void print_reasons(std::ostream& out, const ThroughputReport& report) {
  for (const ThroughputRow& row : report.rows) {
    std::vector<const SideResult*> sides = {&row.ours};
    for (const SideResult& other : row.others) sides.push_back(&other);
    for (const SideResult* side : sides)
      if (!side->reason.empty())
        fmt::print(out, "not measured: {} of {}: {}\n", row.kind->title, side->name,
                   printable(side->reason));
  }
}

void print_repeats(std::ostream& out, const ThroughputReport& report) {
  fmt::print(out, "\n{:12} {:34} {:>10} {:>8} {:>10} {:>8} {:>12} {:>11}\n", "model", "library",
             "mean", "sd", "median", "MAD", "CPU, ms/step", "memory, MB");
  for (const ThroughputRow& row : report.rows) {
    const auto print = [&](const SideResult& side) {
      if (side.rate.values.empty()) return;
      fmt::print(out, "{:12} {:34} {:>10} {:>8} {:>10} {:>8} {:>12.1f} {:>11.0f}\n",
                 row.kind->title, side.name, rate_text(side.rate.mean),
                 rate_text(side.rate.deviation), rate_text(side.rate.median),
                 rate_text(side.rate.mad), 1e3 * side.cpu_seconds, side.peak_bytes / 1e6);
    };
    print(row.ours);
    for (const SideResult& other : row.others) print(other);
  }
}

void print_shares(std::ostream& out, const ThroughputReport& report) {
  fmt::print(out,
             "\nOne recorded step of ours: in operators, their kernels included; in backward nodes "
             "beside these;\nin neither (models, engine, optimizer); and the operators that took "
             "longest.\n");
  for (const ThroughputRow& row : report.rows) {
    if (row.shares.empty()) continue;
    const Json shares = Json::parse(row.shares);
    const double step = shares["step_ms"];
    const auto percent = [&](const char* key) { return 100 * shares[key].get<double>() / step; };
    fmt::print(out, "{:12} {:.0f} ms: {:.1f} %, {:.1f} %, {:.1f} %;", row.kind->title, step,
               percent("operators_ms"), percent("nodes_ms"), percent("outside_ms"));
    for (std::size_t i = 0; i < std::min<std::size_t>(4, shares["longest"].size()); ++i) {
      const Json& one = shares["longest"][i];
      fmt::print(out, "{} {} {:.0f} %", i == 0 ? "" : ",", one["name"].get<std::string>(),
                 100 * one["self_ms"].get<double>() / step);
    }
    out << '\n';
  }
}

void print_claim(std::ostream& out) {
  out << "\nThe paper's claim, from its own table: PyTorch is within 17 % of the fastest.\n";
  for (const PaperGap& gap : paper_gaps())
    fmt::print(out, "  {:12} {:>16}  fastest {:>16} {:12} {:>6.1f} %\n",
               models::find_workload(gap.model).title, gap.pytorch.text(), gap.best.text(),
               gap.fastest, gap.percent);
}

Json to_json(const Spread& spread) {
  return {{"mean", spread.mean},
          {"sd", spread.deviation},
          {"median", spread.median},
          {"mad", spread.mad},
          {"values", spread.values}};
}

Json to_json(const SideResult& side) {
  Json result = {{"name", side.name}};
  if (!side.reason.empty()) {
    result["reason"] = side.reason;
    return result;
  }
  result["rate"] = to_json(side.rate);
  result["seconds"] = side.seconds;
  result["cpu_seconds_per_step"] = side.cpu_seconds;
  result["peak_bytes"] = side.peak_bytes;
  return result;
}

Json to_json(const ThroughputRow& row, const ThroughputReport& report) {
  Json others = Json::array();
  for (std::size_t i = 0; i < row.others.size(); ++i) {
    others.push_back(to_json(row.others[i]));
    if (!row.ratios[i].values.empty()) others.back()["ours_to_this"] = to_json(row.ratios[i]);
  }
  const PaperCell paper = paper_cell(row.kind->name);
  return {{"model", row.kind->name},
          {"unit", row.kind->unit},
          {"batch", row.samples},
          {"math", report.options.math},
          {"steps", row.steps},
          {"units_per_step", row.units},
          {"flop_per_step", row.flop},
          {"ours", to_json(row.ours)},
          {"others", std::move(others)},
          {"part_of_roofline", row.part_of(report.peak_gflops)},
          {"step", row.shares.empty() ? Json() : Json::parse(row.shares)},
          {"paper_gp100", paper.is_there() ? Json(paper.text()) : Json()}};
}

}  // namespace

void print_throughput(std::ostream& out, const ThroughputReport& report) {
  const ThroughputOptions& o = report.options;
  const verify::Environment& here = verify::environment();
  fmt::print(out,
             "Training throughput, float32, on {} ({}), {} {}, --scale {}{}, commit {}, {}\n"
             "{} {} of {} {} after {}; median ± MAD of units a second. A product of 2048 x "
             "2048 float32\nnumbers makes {:.0f} GFLOP/s here, which is the roofline.\n\n",
             o.device, verify::value_of(here, "cpu"), o.threads,
             o.threads == 1 ? "thread" : "threads", models::kScaleNames[static_cast<int>(o.scale)],
             o.scale == models::Scale::Tiny
                 ? " (sizes to try this out: nothing compares with the paper)"
                 : "",
             verify::value_of(here, "commit"), now_text(), o.repeats,
             o.repeats == 1 ? "repeat" : "repeats", o.steps, o.steps == 1 ? "step" : "steps",
             o.warmup, report.peak_gflops);
  print_load(out, report);
  print_rates(out, report);
  print_reasons(out, report);
  print_repeats(out, report);
  print_shares(out, report);
  print_claim(out);
  out << "The paper names six models; batches, optimizers, synthetic input, which MobileNet and "
         "all "
         "else are ours.\nThe GP100's numbers are of another chip and decade: a reference, no "
         "competitor.\n";
}

Json throughput_json(const ThroughputReport& report) {
  const ThroughputOptions& o = report.options;
  const verify::Environment& here = verify::environment();
  Json result = {{"date", now_text()},
                 {"commit", verify::value_of(here, "commit")},
                 {"cpu", verify::value_of(here, "cpu")},
                 {"openblas", verify::value_of(here, "openblas")},
                 {"device", o.device},
                 {"threads", o.threads},
                 {"scale", models::kScaleNames[static_cast<int>(o.scale)]},
                 {"warmup", o.warmup},
                 {"steps", o.steps},
                 {"repeats", o.repeats},
                 {"peak_gflops", report.peak_gflops},
                 {"loadavg_before", report.load_before},
                 {"loadavg_after", report.load_after},
                 {"rows", Json::array()},
                 {"paper_gaps_percent", Json::object()}};
  for (const ThroughputRow& row : report.rows) result["rows"].push_back(to_json(row, report));
  for (const PaperGap& gap : paper_gaps()) result["paper_gaps_percent"][gap.model] = gap.percent;
  return result;
}

}  // namespace notape::command::bench
