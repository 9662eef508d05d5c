// notape bench dispatch, notape bench ops: what ./run bench measured, from bench/results/.
#include <fmt/ostream.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "autograd/printable.h"
#include "paper_examples/command/bench/bench.h"
#include "trace/write/output_file.h"

namespace notape::command::bench {
namespace {

namespace fs = std::filesystem;
using Record = nlohmann::json;

/// Of the folder that is named, else of the one here, else of the source tree that this was built
/// of.
Record record_called(const std::string& name, const std::string& folder) {
  std::string looked_in;
  for (const std::string& place :
       folder.empty() ? std::vector<std::string>{"bench/results", NOTAPE_BENCH_RESULTS}
                      : std::vector<std::string>{folder}) {
    const fs::path path = fs::path(place) / name;
    std::error_code ignored;
    if (fs::exists(path, ignored)) {
      try {
        return Record::parse(trace::read_file(path));
      } catch (const Record::exception&) {
        throw FileError("{}: not a record in JSON", path.string());
      }
    }
    looked_in += (looked_in.empty() ? "" : " and ") + place;
  }
  throw FileError("no {}: looked in {}; ./run bench writes it, --results DIR says where", name,
                  looked_in);
}

/// Fields that a record of another version lacks are a FileError, not a crash.
template <typename Print>
int show(const std::string& name, const std::string& folder, const Print& print) {
  const Record record = record_called(name, folder);
  try {
    print(record);
  } catch (const Record::exception& error) {
    throw FileError("{}: not a record of this version: {}", name, printable(error.what()));
  }
  return kFine;
}

std::string short_text(const Record& one) { return printable(one.get<std::string>()); }

double in_ns(double time, const std::string& unit) {
  return unit == "us" ? 1e3 * time : unit == "ms" ? 1e6 * time : unit == "s" ? 1e9 * time : time;
}

void print_dispatch(const Record& record) {
  const Record& context = record.at("context");
  fmt::print("{}, {} processors: ns an operation (./run bench)\n\n", short_text(context.at("date")),
             context.at("num_cpus").get<int>());
  for (const Record& row : record.at("benchmarks")) {
    double ns = in_ns(row.at("real_time"), row.at("time_unit"));
    const std::string name = short_text(row.at("name"));
    // A row that counts its operations is so much for one.
    if (row.contains("items_per_second") && name.starts_with("Chain"))
      ns = 1e9 / row.at("items_per_second").get<double>();
    fmt::print("{:28} {:>12.1f}\n", name, ns);
  }
}

/// The smallest of a row's ratios.
double beside_the_fastest(const Record& row) {
  double least = INFINITY;
  for (const Record& ratio : row.at("ratio_median")) least = std::min(least, ratio.get<double>());
  return least;
}

struct WhichOps {
  std::string text;  // in their names
  bool slower;       // than the fastest other library only
};

void print_ops(const Record& record, const WhichOps& which) {
  std::vector<Record> rows;
  for (const Record& row : record.at("rows"))
    if (row.at("name").get<std::string>().find(which.text) != std::string::npos &&
        !(which.slower && beside_the_fastest(row) >= 1))
      rows.push_back(row);
  if (rows.empty() && !which.slower) throw ValueError("no row has '{}' in its name", which.text);
  if (which.slower) std::ranges::stable_sort(rows, {}, beside_the_fastest);
  const auto libraries = record.at("libraries").get<std::vector<std::string>>();
  fmt::print("{}, {}, {} {}: times that ours is faster (./run bench)\n", short_text(record["date"]),
             short_text(record["cpu"]), record.at("threads").get<int>(),
             record["threads"] == 1 ? "thread" : "threads");
  for (const Record& line : record.at("summary")) fmt::print("  {}\n", short_text(line));
  fmt::print("\n{:58} {:>10}", "", "ours, us");
  for (const std::string& library : libraries) fmt::print(" {:>16}", printable(library));
  fmt::print("\n");
  for (const Record& row : rows) {
    fmt::print("{:58} {:>10.1f}", short_text(row.at("name")),
               row.at("notape_ns").get<double>() / 1e3);
    for (const std::string& library : libraries) {
      const Record& ratios = row.at("ratio_median");
      fmt::print(" {:>16}", ratios.contains(library)
                                ? fmt::format("{:.2f} x", ratios[library].get<double>())
                                : "-");
    }
    fmt::print("\n");
  }
}

/// A line for each machine, kind of instructions and number of threads.
void print_machines(const Record& record) {
  fmt::print("{:52} {:8} {:>7} {:10} {:>22} {:>22} {:>6}\n", "processor", "vectors", "threads",
             "date", "small: times faster", "large: times faster", "slower");
  for (const Record& row : record.at("rows")) {
    const auto means = [&](const char* kind) {
      std::string text;
      for (const auto& [library, mean] : row.at(kind).at("times_faster").items())
        text += fmt::format("{}{:.2f}", text.empty() ? "" : ", ", mean.get<double>());
      return text;
    };
    fmt::print("{:52} {:8} {:>7} {:10} {:>22} {:>22} {:>6}\n",
               short_text(row.at("cpu")) + ", " + short_text(row.at("model")),
               short_text(row.at("vectors")), row.at("threads").get<int>(),
               short_text(row.at("date")), means("short"), means("long"),
               fmt::format("{}/{}", row["long"].at("slower").get<int>(),
                           row["long"].at("cases").get<int>()));
  }
}

}  // namespace

int dispatch(const Arguments& arguments) {
  CLI::App app(
      "What small operations cost, with and without a graph, as ./run bench last measured "
      "it with Google Benchmark.",
      "notape bench dispatch");
  app.footer("Reads dispatch.json. To measure now, without Google Benchmark: notape latency.");
  std::string folder;
  app.add_option("--results", folder, "DIR with the records; else bench/results");
  return parse_and_run(app, arguments,
                       [&] { return show("dispatch.json", folder, print_dispatch); });
}

int ops(const Arguments& arguments) {
  CLI::App app("Operators beside each LibTorch there was, as ./run bench last measured them.",
               "notape bench ops");
  app.footer(
      "Reads side_by_side.json or two_threads.json, with --avx2 those that NOTAPE_ISA=avx2 ./run "
      "bench\n"
      "has left, with --machines machines.json: the means on each machine that ./run bench ran "
      "on.\n\n"
      "  notape bench ops --slower\n"
      "  notape bench ops conv2d --two-threads");
  std::string folder;
  WhichOps which{};
  bool two_threads = false, avx2 = false, machines = false;
  app.add_option("TEXT", which.text, "only rows with this in their names");
  app.add_option("--results", folder, "DIR with the records; else bench/results");
  app.add_flag("--slower", which.slower, "only rows slower than a library, the slowest first");
  app.add_flag("--two-threads", two_threads, "those of two threads");
  app.add_flag("--avx2", avx2, "those of all libraries with AVX2 alone");
  app.add_flag("--machines", machines, "a line for each machine");
  return parse_and_run(app, arguments, [&] {
    if (machines) return show("machines.json", folder, print_machines);
    return show(
        fmt::format("{}{}.json", two_threads ? "two_threads" : "side_by_side", avx2 ? "_avx2" : ""),
        folder, [&](const Record& record) { print_ops(record, which); });
  });
}

}  // namespace notape::command::bench
