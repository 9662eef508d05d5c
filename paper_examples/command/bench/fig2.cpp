// notape bench fig2: what the first iterations take longer for than those that follow.
#include <fmt/format.h>

#include <iostream>

#include "paper_examples/command/bench/bench.h"
#include "paper_examples/command/bench/recorded_steps.h"
#include "paper_examples/command/command.h"
#include "trace/analysis/analyses.h"
#include "trace/analysis/whole_file.h"
#include "trace/report/paper_figures.h"

namespace notape::command::bench {
namespace {

using Json = nlohmann::ordered_json;
using trace::ApiKind;
using trace::Interval;
using trace::TraceModel;

constexpr int64_t kIterations = 10, kEmptied = 5;

struct Figure2Words : FigureWords {
  int64_t batch = 32;
};

double ms(int64_t ns) { return static_cast<double>(ns) / 1e6; }

/// Calls of a kind that begin in the window.
struct Calls {
  Calls(const TraceModel& model, const Interval& window, ApiKind kind) {
    for (const trace::ApiCall& call : model.calls) {
      if (call.kind != kind || !window.contains(call.time.begin)) continue;
      ++count;
      ns += call.time.length();
    }
  }
  int64_t count = 0, ns = 0;
};

Json iteration(const trace::Scope& scope, const trace::ModelStep& step) {
  const TraceModel& model = scope.model();
  const Interval window{step.time.begin, step.mark_end};
  const Calls made(model, window, ApiKind::DeviceAllocation), freed(model, window, ApiKind::Free);
  int64_t requests = 0, live = 0, reserved = 0;
  for (const trace::MemoryEvent& event : model.memory) {
    if (event.device_type == 0 || event.time > window.end) continue;
    live = event.total_allocated;
    reserved = event.total_reserved;
    requests += event.bytes > 0 && event.time >= window.begin;
  }
  const trace::IntervalSet busy = scope.file().busy(scope.devices().front()).within(window);
  int64_t longest_gap = 0;
  const trace::IntervalSet gaps = trace::IntervalSet({window}) - busy;
  for (const Interval& gap : gaps.parts()) longest_gap = std::max(longest_gap, gap.length());
  return {{"iteration", step.number},
          {"wall_ms", ms(window.length())},
          {"malloc_calls", made.count},
          {"malloc_ms", ms(made.ns)},
          {"free_calls", freed.count},
          {"free_ms", ms(freed.ns)},
          {"requests", requests},
          {"hit_rate",
           requests ? 1 - static_cast<double>(made.count) / static_cast<double>(requests) : 0.0},
          {"live_bytes", live},
          {"reserved_bytes", reserved},
          {"busy_share", static_cast<double>(busy.length()) / static_cast<double>(window.length())},
          {"longest_gap_ms", ms(longest_gap)}};
}

/// What of the excess of the first iteration is whose.
Json excess_of(const trace::Scope& scope) {
  const trace::Report report = trace::first_iteration(scope);
  Json causes = Json::object();
  if (const trace::Table* table = report.find_table("excess by cause"))
    for (const auto& row : table->rows)
      if (!row[1].is_nothing() && row[1].ns() != 0) causes[row[0].text()] = ms(row[1].ns());
  return {{"excess_ms", report["first_iteration.excess"].value.number() / 1e3},
          {"by_cause_ms", causes}};
}

Json run_of(const char* name, const TraceModel& model) {
  const trace::Scope scope(model, {});
  Json run = {{"allocator", name}, {"iterations", Json::array()}};
  for (const trace::ModelStep& step : model.steps)
    run["iterations"].push_back(iteration(scope, step));
  int64_t unrounded = 0, live = 0, reserved = 0;
  for (const trace::MemoryEvent& event : model.memory) {
    if (event.device_type == 0) continue;
    unrounded += event.bytes % 512 != 0;
    live = std::max(live, event.total_allocated);
    reserved = std::max(reserved, event.total_reserved);
  }
  run["sizes_not_multiples_of_512"] = unrounded;
  run["peak_live_bytes"] = live;
  run["peak_reserved_bytes"] = reserved;
  run["first_iteration"] = excess_of(scope);
  return run;
}

class Criteria {
 public:
  void add(const std::string& text, bool holds) {
    list_.push_back({{"criterion", text}, {"holds", holds}});
    all_hold_ &= holds;
  }
  const Json& list() const { return list_; }
  bool all_hold() const { return all_hold_; }

 private:
  Json list_ = Json::array();
  bool all_hold_ = true;
};

/// `is_one(iteration)` of all from one to another.
template <typename Predicate>
bool holds_for(const Json& run, int64_t first, int64_t last, const Predicate& is_one) {
  const Json& all = run["iterations"];
  return std::all_of(all.begin(), all.end(), [&](const Json& one) {
    const int64_t number = one["iteration"];
    return number < first || number > last || is_one(one);
  });
}
bool has_calls(const Json& one) { return one["malloc_calls"] > 0 || one["free_calls"] > 0; }
bool has_none(const Json& one) { return !has_calls(one); }

Criteria judge(const Json& caching, const Json& off, const Json& emptied) {
  Criteria criteria;
  const Json &first = caching["iterations"][0], &last = caching["iterations"][kIterations - 1];
  criteria.add("iteration 1 calls cudaMalloc", first["malloc_calls"] > 0);
  criteria.add("iterations 3 to 10 call neither cudaMalloc nor cudaFree",
               holds_for(caching, 3, kIterations, has_none));
  criteria.add("iteration 1 takes longer than iteration 10", first["wall_ms"] > last["wall_ms"]);
  criteria.add("the GPU is busy for a larger share of iteration 10",
               first["busy_share"] < last["busy_share"]);
  criteria.add("all sizes are multiples of 512 bytes", caching["sizes_not_multiples_of_512"] == 0);
  criteria.add("without caching every iteration calls both",
               holds_for(off, 1, kIterations, [](const Json& one) {
                 return one["malloc_calls"] > 0 && one["free_calls"] > 0;
               }));
  criteria.add("after the cache was emptied iteration 5 calls both, and 7 to 10 neither",
               holds_for(emptied, kEmptied, kEmptied, has_calls) &&
                   holds_for(emptied, kEmptied + 2, kIterations, has_none));
  return criteria;
}

void print_run(const Json& run) {
  std::cout << fmt::format(
      "\n{}\n{:>9} {:>9} {:>11} {:>9} {:>9} {:>9} {:>9} {:>9} {:>9} {:>6} {:>9}\n",
      run["allocator"].get<std::string>(), "iteration", "wall ms", "cudaMalloc", "ms", "cudaFree",
      "ms", "hit rate", "live MB", "reserved", "busy", "gap ms");
  for (const Json& one : run["iterations"]) {
    const auto number = [&](const char* name) { return one[name].get<double>(); };
    std::cout << fmt::format(
        "{:>9} {:>9.3f} {:>11} {:>9.3f} {:>9} {:>9.3f} {:>7.1f} % {:>9.1f} {:>9.1f} {:>4.0f} % "
        "{:>9.3f}\n",
        one["iteration"].get<int64_t>(), number("wall_ms"), one["malloc_calls"].get<int64_t>(),
        number("malloc_ms"), one["free_calls"].get<int64_t>(), number("free_ms"),
        100 * number("hit_rate"), number("live_bytes") / 1e6, number("reserved_bytes") / 1e6,
        100 * number("busy_share"), number("longest_gap_ms"));
  }
}

void print_figure2(const Json& report) {
  std::cout << fmt::format(
      "Figure 2 of the 2019 paper: {}, batch {}, from the first iteration on\n{}\n",
      report["model"].get<std::string>(), report["batch"].get<int64_t>(),
      report["device"].get<std::string>());
  for (const Json& run : report["runs"])
    if (run.contains("iterations"))
      print_run(run);
    else
      std::cout << '\n'
                << run["allocator"].get<std::string>() << ": " << run["reason"].get<std::string>()
                << '\n';
  const Json& excess = report["runs"][0]["first_iteration"];
  std::cout << fmt::format("\nexcess of the first iteration: {:.3f} ms\n",
                           excess["excess_ms"].get<double>());
  for (const auto& [cause, time] : excess["by_cause_ms"].items())
    std::cout << fmt::format("  {:24} {:>9.3f}\n", cause, time.get<double>());
  std::cout << '\n';
  for (const Json& one : report["criteria"])
    std::cout << (one["holds"] ? "holds: " : "FAILS: ") << one["criterion"].get<std::string>()
              << '\n';
}

int measure(const Figure2Words& words) {
  check_files(words);
  Json report = {{"figure", "2019, Figure 2"}, {"model", words.model}, {"scale", words.scale},
                 {"batch", words.batch},       {"device", ""},         {"runs", Json::array()}};
  std::string picture;
  const auto run = [&](const char* name, std::vector<std::string> variables, int emptied) {
    std::cerr << name << std::endl;
    RecordedSteps steps(words, words.batch, std::move(variables));
    TraceModel model = steps.record(kIterations, "read", emptied);
    report["runs"].push_back(run_of(name, model));
    if (report["runs"].size() > 1) return;
    report["device"] = steps.clock();
    model.path = fmt::format("{}, batch {}", words.model, words.batch);
    picture = trace::figure2_svg(model, {}, kEmptied);
    if (!words.trace.empty())
      std::filesystem::copy_file(steps.path(), words.trace,
                                 std::filesystem::copy_options::overwrite_existing);
  };
  run("caching allocator", {}, 0);
  run("without caching (NOTAPE_NO_CUDA_MEMORY_CACHING=1)", {"NOTAPE_NO_CUDA_MEMORY_CACHING=1"}, 0);
  run("cache emptied before iteration 5", {}, kEmptied);
  Json& runs = report["runs"];
  const Criteria criteria = judge(runs[0], runs[1], runs[2]);
  runs.push_back({{"allocator", "cudaMallocAsync"},
                  {"reason", "not available: notape has no such allocator"}});
  report["criteria"] = criteria.list();
  write_figure(words, report, picture, print_figure2);
  return criteria.all_hold() ? kFine : kFailed;
}

}  // namespace

int fig2(const Arguments& arguments) {
  CLI::App app(
      "Iterations 1 to 10 of training, and what the driver's memory functions cost in each: Figure "
      "2 of the\n2019 paper.",
      "notape bench fig2");
  app.footer(
      "Each iteration reads its loss, and so waits for the GPU. It runs with the caching "
      "allocator,\n"
      "without, and with the cache emptied before iteration 5. gap: the longest time in which the\n"
      "GPU did nothing.\n\n"
      "Without a GPU it runs on the emulated one, whose times are stated costs and say nothing\n"
      "about a GPU's speed; counts of calls and bytes are the allocator's own.\n\n"
      "  notape bench fig2 --batch 64 -o fig2.svg --trace fig2.json.gz\n\n"
      "Exit status: 0 fine; 1 a criterion fails or the model could not be trained; 2 unusable\n"
      "arguments.");
  Figure2Words words;
  add_figure_options(app, words);
  app.add_option("--batch", words.batch, "samples of a batch")
      ->check(CLI::Range(1, 1 << 24))
      ->capture_default_str();
  return parse_and_run(app, arguments, [&] { return measured([&] { return measure(words); }); });
}

}  // namespace notape::command::bench
