// notape examples [list | run NAME... | graph NAME]
#include "paper_examples/examples.h"

#include "paper_examples/command/command.h"
#include "paper_examples/command/example_graph.h"
#include "paper_examples/command/find_example.h"
#include "paper_examples/command/install_package.h"
#include "paper_examples/command/interruptible_output.h"
#include "paper_examples/command/usable_device.h"
#include "paper_examples/data/package_file.h"
#include "paper_examples/support/picture.h"
#include "verify/runner/selector.h"

namespace notape::command {
namespace {

/// "--seed --quick"
std::string names_of(unsigned takes) {
  constexpr std::pair<unsigned, const char*> kNames[] = {
      {kTakesSeed, "--seed"}, {kTakesSeeds, "--seeds"}, {kTakesQuick, "--quick"},
      {kTakesFull, "--full"}, {kTakesOut, "--out"},     {kTakesDevice, "--device"}};
  std::string names;
  for (const auto& [option, name] : kNames)
    if (takes & option) names += (names.empty() ? "" : " ") + std::string(name);
  return names;
}

int list() {
  std::size_t width = 0;
  for (const Example& example : notape::examples())
    width = std::max(width, std::string_view(example.name).size());
  for (const Example& example : notape::examples()) {
    std::string name = example.name;
    name.resize(width + 2, ' ');
    std::cout << name << example.summary << '\n';
    if (example.takes != 0)
      std::cout << std::string(width + 2, ' ') << names_of(example.takes) << '\n';
  }
  std::cout
      << "\nEach is one file, paper_examples/NAME.cpp; notape examples run NAME runs it, with "
         "the options\nbelow its line: see notape examples run --help.\n";
  return kFine;
}

/// What `run` was asked for besides names.
struct RunOptions {
  ExampleOptions of_examples;
  unsigned given = 0;  // of Takes
  bool install_data = false;

  /// Those that it takes.
  ExampleOptions of(const Example& example) const {
    ExampleOptions result;
    if (example.takes & kTakesSeed) result.seed = of_examples.seed;
    if (example.takes & kTakesSeeds) result.seeds = of_examples.seeds;
    if (example.takes & given & (kTakesQuick | kTakesFull)) result.size = of_examples.size;
    if (example.takes & kTakesOut) result.pictures = of_examples.pictures;
    if (example.takes & kTakesDevice) result.device = of_examples.device;
    return result;
  }
};

enum class Outcome { Passed, Failed, NoData };

Outcome outcome_of(const Example& example, const RunOptions& options) {
  InterruptibleOutput out(std::cout);
  out << "=== " << example.name << ": " << example.summary << " (paper_examples/" << example.name
      << ".cpp)\n";
  try {
    const int status =
        example.run_with ? example.run_with(out, options.of(example)) : example.run(out);
    return status == 0 ? Outcome::Passed : Outcome::Failed;
  } catch (const verify::Interrupted&) {
    throw;
  } catch (const data::MissingPackage& missing) {
    std::cout << "not run: " << missing.what() << '\n';
    return Outcome::NoData;
  } catch (const std::exception& error) {
    std::cout << "expected: no exception; seen: " << error.what() << '\n';
    return Outcome::Failed;
  }
}

/// Throws ValueError, before anything runs, for options that none of them takes.
void check_options(const std::vector<const Example*>& chosen, const RunOptions& options) {
  unsigned taken = 0;
  std::string names;
  for (const Example* example : chosen) {
    taken |= example->takes;
    names += (names.empty() ? "'" : ", '") + std::string(example->name) + "'";
  }
  if (const unsigned refused = options.given & ~taken)
    throw ValueError("{} {} no {}{}", names, chosen.size() == 1 ? "takes" : "take",
                     names_of(refused), taken != 0 ? ", but " + names_of(taken) : "");
}

void install_data_of(const std::vector<const Example*>& chosen) {
  for (const Example* example : chosen)
    for (const std::string& package : example->packages) install_package(package, std::cout);
}

/// "3 examples, all as expected", or which are not.
std::string summary(std::size_t count, const std::string& failed, const std::string& without_data,
                    const char* as_expected) {
  std::string text = std::to_string(count) + (count == 1 ? " example, " : " examples, ");
  if (!without_data.empty()) {
    text += "not run for want of data:" + without_data + ", ";
    as_expected = "none failed";
  }
  return text + (failed.empty() ? as_expected : "failed:" + failed);
}

/// `are_named`: an example that was asked for fails without its data.
int run(const std::vector<const Example*>& chosen, const RunOptions& options, bool are_named) {
  std::string failed, without_data;
  std::size_t finished = 0;
  try {
    if (options.install_data) install_data_of(chosen);
    for (const Example* example : chosen) {
      verify::Interruption::check();
      const Outcome outcome = outcome_of(*example, options);
      if (outcome == Outcome::Failed) failed += std::string(" ") + example->name;
      if (outcome == Outcome::NoData) without_data += std::string(" ") + example->name;
      ++finished;
    }
  } catch (const verify::Interrupted& interrupted) {
    std::cout << "\n=== " << interrupted.what_without_backtrace() << ": " << finished << " of "
              << summary(chosen.size(), failed, without_data, "none failed") << std::endl;
    return verify::Interruption::exit_code();
  }
  std::cout << "=== " << summary(chosen.size(), failed, without_data, "all as expected")
            << std::endl;
  return failed.empty() && (without_data.empty() || !are_named) ? kFine : kFailed;
}

}  // namespace

const Example& find_example(const std::string& name) {
  std::vector<std::string> names;
  for (const Example& example : notape::examples()) {
    if (name == example.name) return example;
    names.emplace_back(example.name);
  }
  const std::string near = verify::nearest_name(names, name);
  throw ValueError("there is no example '{}';{} see notape examples list", name,
                   near.empty() ? "" : " did you mean '" + near + "'?");
}

int examples(const Arguments& arguments) {
  CLI::App app(
      "Runs the programs of the two papers; each says what was expected and what was seen.",
      "notape examples");
  app.footer(
      "Without arguments all are listed; run without names runs all of them, some minutes long. "
      "Exit\nstatus: 0 if all is as expected, 1 if one fails or lacks its data, 130 after Ctrl-C "
      "and "
      "143\nafter SIGTERM, which end a program where it prints next.\n\n"
      "  notape examples list\n"
      "  notape examples run fig1 inplace\n"
      "  notape examples run listing2 --out pictures    trains, and draws what it has learned\n"
      "  notape examples run ncf --install-data         unpacks the Debian packages of its data "
      "into\n"
      "                                                 the user's cache, where no root is needed\n"
      "  notape examples run finetune --seeds 3         judges the median of three trainings\n"
      "  notape examples graph fig1                     writes fig1.svg, which browsers show\n"
      "  notape examples graph hooks --run 2 -o a.json  of its second backward(), for programs");
  app.require_subcommand(0, 1);
  app.add_subcommand("list", "one line about each");
  CLI::App* run_command = app.add_subcommand("run", "run some of them");
  std::vector<std::string> names;
  run_command->add_option("NAME", names, "which; all if none is named");
  RunOptions options;
  run_command->add_flag("--install-data", options.install_data,
                        "first apt-get download what they read and is not there, and unpack it");
  ExampleOptions& chosen_options = options.of_examples;
  const auto is_not_negative = [](const std::string& word) {
    return word.starts_with('-') ? word + " is negative" : "";
  };
  bool is_quick = false, is_full = false;
  std::string device = "cpu";
  const std::pair<unsigned, const CLI::Option*> given[] = {
      {kTakesSeed, run_command
                       ->add_option("--seed", chosen_options.seed,
                                    "of those that draw random numbers; of several the first")
                       ->check(is_not_negative)
                       ->capture_default_str()},
      {kTakesSeeds, run_command
                        ->add_option("--seeds", chosen_options.seeds,
                                     "with how many those train that do; the median is judged")
                        ->check(CLI::Range(1, 1000))
                        ->capture_default_str()},
      {kTakesQuick, run_command->add_flag("--quick", is_quick, "train less, and promise less")},
      {kTakesFull,
       run_command->add_flag("--full", is_full, "train the large form, which takes minutes")
           ->excludes("--quick")},
      {kTakesOut, run_command->add_option("--out", chosen_options.pictures,
                                          "the folder for pictures; without it none are made")},
      {kTakesDevice,
       run_command
           ->add_option("--device", device,
                        "where those that train do so: cpu, cuda, cuda:1, or sim, which has the "
                        "CPU's kernels and a memory of its own")
           ->capture_default_str()}};
  CLI::App* graph_command = app.add_subcommand(
      "graph",
      "draw the graph that one of them gives to backward(), with what its nodes have saved");
  ExampleGraphOptions graph;
  graph_command->add_option("NAME", graph.example, "which")->required();
  graph_command->add_option(
      "-o,--output", graph.path,
      "FILE.svg, FILE.dot (Graphviz) or FILE.json; NAME.svg if it is not given");
  graph_command->add_option("--run", graph.run, "at which of its calls of backward() or grad()")
      ->check(CLI::Range(1, 1'000'000'000))
      ->capture_default_str();
  return parse_and_run(app, arguments, [&] {
    if (*graph_command) return write_example_graph(graph);
    if (!*run_command) return list();
    std::vector<const Example*> chosen;
    for (const std::string& name : names) chosen.push_back(&find_example(name));
    if (names.empty())
      for (const Example& example : notape::examples()) chosen.push_back(&example);
    for (const auto& [takes, option] : given)
      if (!option->empty()) options.given |= takes;
    if (is_quick) chosen_options.size = ExampleSize::Quick;
    if (is_full) chosen_options.size = ExampleSize::Full;
    if (!names.empty()) check_options(chosen, options);
    chosen_options.device = usable_device(device);
    paper::make_picture_folder(chosen_options);
    return run(chosen, options, !names.empty());
  });
}

}  // namespace notape::command
