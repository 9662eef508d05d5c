// notape bench dispatch, notape bench ops: what ./run bench measured, from bench/results/.
#include <fmt/ostream.h>

#include <algorithm>
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

void print_ops(const Record& record, const std::string& filter) {
  const Record& rows = record.at("rows");
  const auto is_chosen = [&](const Record& row) {
    return row.at("name").get<std::string>().find(filter) != std::string::npos;
  };
  if (std::none_of(rows.begin(), rows.end(), is_chosen))
    throw ValueError("no row has '{}' in its name", filter);
  const auto libraries = record.at("libraries").get<std::vector<std::string>>();
  fmt::print("{}, {}, {} {}: times that ours is faster (./run bench)\n", short_text(record["date"]),
             short_text(record["cpu"]), record.at("threads").get<int>(),
             record["threads"] == 1 ? "thread" : "threads");
  for (const Record& line : record.at("summary")) fmt::print("  {}\n", short_text(line));
  fmt::print("\n{:34} {:>12}", "", "ours, us");
  for (const std::string& library : libraries) fmt::print(" {:>16}", printable(library));
  fmt::print("\n");
  for (const Record& row : rows) {
    if (!is_chosen(row)) continue;
    fmt::print("{:34} {:>12.3f}", short_text(row.at("name")),
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
      "Reads side_by_side.json, or with --two-threads two_threads.json.\n\n"
      "  notape bench ops\n"
      "  notape bench ops conv2d --two-threads");
  std::string folder, filter;
  bool two_threads = false;
  app.add_option("TEXT", filter, "only rows with this in their names");
  app.add_option("--results", folder, "DIR with the records; else bench/results");
  app.add_flag("--two-threads", two_threads, "those of two threads");
  return parse_and_run(app, arguments, [&] {
    return show(two_threads ? "two_threads.json" : "side_by_side.json", folder,
                [&](const Record& record) { print_ops(record, filter); });
  });
}

}  // namespace notape::command::bench
