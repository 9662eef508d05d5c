// notape bench table1 [--models A,B] [--against torch] [--device cpu|cuda] [--json] [--out FILE]
#include <cstdlib>
#include <nlohmann/json.hpp>

#include "paper_examples/command/bench/bench.h"
#include "paper_examples/command/bench/paper_table.h"
#include "paper_examples/command/bench/throughput.h"
#include "paper_examples/command/usable_device.h"
#include "trace/write/output_file.h"
#include "verify/command/files.h"
#include "verify/report/row_json.h"

namespace notape::command::bench {
namespace {

struct Table1Words {
  ThroughputOptions options;
  std::vector<std::string> models;
  std::string scale, against, path;
  int warmup = 0, steps = 0;
  bool json = false;
};

void add_table1_options(CLI::App& app, Table1Words& words) {
  app.add_option("--models", words.models,
                 "some of alexnet, vgg19, resnet50, mobilenetv2, gnmt, ncf, resnet18, transformer, "
                 "and gnmt_verses (as long as verses of the Bible are) and ncf_sampling (which "
                 "shuffles ratings and draws others); the first six if none is named, or all")
      ->delimiter(',');
  app.add_option("--device", words.options.device, "cpu or cuda")
      ->check(CLI::IsMember({"cpu", "cuda"}))
      ->capture_default_str();
  app.add_option(
         "--scale", words.scale,
         "paper: the paper's sizes and batches; small: the same images in small batches, "
         "shorter sentences, fewer users; tiny: to try this out. small on a CPU, else paper")
      ->check(CLI::IsMember({"paper", "small", "tiny"}));
  app.add_option("--against", words.against, "torch: PyTorch's steps in turn with ours")
      ->check(CLI::IsMember({"torch"}));
  app.add_option("--torch-python", words.options.pythons,
                 "PYTHON that imports torch; several are measured in turn. Else "
                 "NOTAPE_TORCH_PYTHON, or python3");
  app.add_option("--batch", words.options.samples,
                 "samples of a batch, instead of each model's own")
      ->check(CLI::Range(1, 1 << 24));
  app.add_option("--warmup", words.warmup, "steps before the clock; 1 on a CPU, else 10")
      ->check(CLI::Range(1, 100'000));
  app.add_option("--steps", words.steps, "steps of a repeat; 3 on a CPU, else 50")
      ->check(CLI::Range(1, 100'000));
  app.add_option("--repeats", words.options.repeats, "how often each library has its turn")
      ->check(CLI::Range(1, 10'000))
      ->capture_default_str();
  app.add_option("--threads", words.options.threads, "of each library")
      ->check(CLI::Range(1, 4096))
      ->capture_default_str();
  app.add_option("--math", words.options.math,
                 "of products and convolutions: fp32, and PyTorch is held to it on a GPU, too")
      ->check(CLI::IsMember({"fp32"}))
      ->capture_default_str();
  app.add_flag("--json", words.json, "the report as JSON on standard output");
  app.add_option("--out", words.path, "write the report as JSON to this file, too");
}

std::vector<const models::WorkloadKind*> chosen_models(const std::vector<std::string>& names) {
  std::vector<const models::WorkloadKind*> result;
  if (names.size() == 1 && names[0] == "all")
    for (const auto* kinds : {&models::workloads(), &models::workload_variants()})
      for (const models::WorkloadKind& kind : *kinds) result.push_back(&kind);
  else if (names.empty())
    for (const char* name : kPaperModels) result.push_back(&models::find_workload(name));
  else
    for (const std::string& name : names) result.push_back(&models::find_workload(name));
  return result;
}

void settle(Table1Words& words) {
  ThroughputOptions& o = words.options;
  const bool is_cpu = o.device == "cpu";
  o.warmup = words.warmup > 0 ? words.warmup : is_cpu ? 1 : 10;
  o.steps = words.steps > 0 ? words.steps : is_cpu ? 3 : 50;
  const std::string scale = !words.scale.empty() ? words.scale : is_cpu ? "small" : "paper";
  o.scale = models::scale_called(scale);
  if (o.pythons.empty() && !words.against.empty()) {
    const char* named = std::getenv("NOTAPE_TORCH_PYTHON");
    o.pythons = {named && *named ? named : "python3"};
  }
}

int measure_table1(Table1Words& words) {
  settle(words);
  usable_device(words.options.device);
  const auto models = chosen_models(words.models);
  if (!words.path.empty()) const trace::OutputFile can_be_written(words.path);
  const ThroughputReport report = measure_throughput(models, words.options, std::cerr);
  const bool is_interrupted = verify::Interruption::requested();
  const std::string json = verify::row_json(throughput_json(report));
  if (words.json)
    std::cout << json;
  else
    print_throughput(std::cout, report);
  if (!words.path.empty()) {
    const std::string path = is_interrupted ? verify::interrupted_name(words.path) : words.path;
    trace::OutputFile file(path);
    file.write(json);
    file.commit();
    std::cerr << "written: " << path << '\n';
  }
  if (is_interrupted) return verify::Interruption::exit_code();
  const auto failed = [](const ThroughputRow& row) { return !row.ours.reason.empty(); };
  return std::any_of(report.rows.begin(), report.rows.end(), failed) ? kFailed : kFine;
}

}  // namespace

int table1(const Arguments& arguments) {
  CLI::App app(
      "Training throughput of the models of the 2019 paper's Table 1, beside PyTorch on the same "
      "host.",
      "notape bench table1");
  app.footer(
      "A step is all of it: zero_grad, forward, loss, backward, clipping, update. Each library has "
      "a "
      "process of\nits own with the same batch, optimizer and threads; they take turns, ours "
      "first, and only while the\nothers are silent. ours/PyTorch is the median over repeats of "
      "ratios of neighbours, which a change of the\nhost's speed moves least. Words of "
      "sentences count without padding. The roofline of a model is its\narithmetic at the speed "
      "of a large product. CPU is the time of all processors, also of who waits in a\n"
      "loop. Memory is the most that the process had, libraries included.\n\n"
      "  notape bench table1 --models resnet18 --against torch\n"
      "  notape bench table1 --against torch --torch-python ~/env/bin/python --torch-python "
      "/usr/bin/python3\n"
      "  notape bench table1 --models gnmt,ncf --scale paper --steps 1 --repeats 3\n"
      "  notape bench table1 --models all --against torch --out bench/results/table1.json\n\n"
      "Exit status: 0 fine, also without PyTorch, whose reason is told; 1 a model of ours could "
      "not be trained;\n2 unusable arguments. Ctrl-C ends it with the models measured so far "
      "(130; 143 after SIGTERM); FILE then\nstays as it was, and they go to "
      "FILE.interrupted.json.");
  Table1Words words;
  words.options.threads = get_num_threads();
  add_table1_options(app, words);
  return parse_and_run(app, arguments, [&] { return measure_table1(words); });
}

}  // namespace notape::command::bench
