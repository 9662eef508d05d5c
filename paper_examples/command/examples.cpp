// notape examples [list | run [NAME...] | graph NAME]
#include "paper_examples/examples.h"

#include "paper_examples/command/command.h"
#include "paper_examples/command/example_graph.h"
#include "paper_examples/command/find_example.h"
#include "paper_examples/command/interruptible_output.h"
#include "paper_examples/picture.h"

namespace notape::command {
namespace {

int list() {
  std::size_t width = 0;
  for (const Example& example : notape::examples())
    width = std::max(width, std::string_view(example.name).size());
  for (const Example& example : notape::examples()) {
    std::string name = example.name;
    name.resize(width + 1, ' ');
    std::cout << name << (example.run_with ? "* " : "  ") << example.summary << '\n';
  }
  std::cout
      << "\nEach is one file, paper_examples/NAME.cpp; notape examples run NAME runs it. Those "
         "with *\ntrain, draw random numbers or make pictures: see notape examples run --help.\n";
  return kFine;
}

bool passes(const Example& example, const ExampleOptions& options) {
  InterruptibleOutput out(std::cout);
  out << "=== " << example.name << ": " << example.summary << " (paper_examples/" << example.name
      << ".cpp)\n";
  try {
    return (example.run_with ? example.run_with(out, options) : example.run(out)) == 0;
  } catch (const verify::Interrupted&) {
    throw;
  } catch (const std::exception& error) {
    std::cout << "expected: no exception; seen: " << error.what() << '\n';
    return false;
  }
}

int run(const std::vector<const Example*>& chosen, const ExampleOptions& options) {
  std::string failed;
  std::size_t finished = 0;
  try {
    for (const Example* example : chosen) {
      verify::Interruption::check();
      if (!passes(*example, options)) failed += std::string(" ") + example->name;
      ++finished;
    }
  } catch (const verify::Interrupted& interrupted) {
    std::cout << "\n=== " << interrupted.what_without_backtrace() << ": " << finished << " of "
              << chosen.size() << (chosen.size() == 1 ? " example, " : " examples, ")
              << (failed.empty() ? "as expected" : "failed:" + failed) << std::endl;
    return verify::Interruption::exit_code();
  }
  std::cout << "=== " << chosen.size() << (chosen.size() == 1 ? " example, " : " examples, ")
            << (failed.empty() ? "all as expected" : "failed:" + failed) << std::endl;
  return failed.empty() ? kFine : kFailed;
}

}  // namespace

const Example& find_example(const std::string& name) {
  for (const Example& example : notape::examples())
    if (name == example.name) return example;
  throw ValueError("there is no example '{}'; see notape examples list", name);
}

int examples(const Arguments& arguments) {
  CLI::App app(
      "Runs the programs of the two papers; each says what was expected and what was seen.",
      "notape examples");
  app.footer(
      "Without arguments all are listed; run without names runs all of them, a few minutes long. "
      "Exit\nstatus: 0 if all is as expected, 1 if one fails, 130 after Ctrl-C and 143 after "
      "SIGTERM, "
      "which end\na program where it prints next.\n\n"
      "  notape examples list\n"
      "  notape examples run fig1 inplace\n"
      "  notape examples run listing2 --out pictures    trains, and draws what it has learned\n"
      "  notape examples graph fig1                     writes fig1.svg, which browsers show\n"
      "  notape examples graph hooks --run 2 -o a.json  of its second backward(), for programs");
  app.require_subcommand(0, 1);
  app.add_subcommand("list", "one line about each");
  CLI::App* run_command = app.add_subcommand("run", "run some of them");
  std::vector<std::string> names;
  run_command->add_option("NAME", names, "which; all if none is named");
  ExampleOptions options;
  run_command->add_option("--seed", options.seed, "of those that draw random numbers; the first")
      ->check([](const std::string& word) {
        return word.starts_with('-') ? word + " is negative" : "";
      })
      ->capture_default_str();
  run_command
      ->add_option("--seeds", options.seeds,
                   "how many of them listing1 and listing2 train with; the median counts")
      ->check(CLI::Range(1, 1000))
      ->capture_default_str();
  bool is_quick = false;
  run_command->add_flag("--quick", is_quick, "train for a second or two, and promise less");
  run_command->add_option("--out", options.pictures,
                          "the folder for pictures; without it none are made");
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
    paper::make_picture_folder(options);
    if (is_quick) options.size = ExampleSize::Quick;
    return run(chosen, options);
  });
}

}  // namespace notape::command
