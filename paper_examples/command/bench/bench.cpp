// notape bench table1 | fig1 | fig2 | dispatch | ops
#include "paper_examples/command/bench/bench.h"

#include <algorithm>

namespace notape::command {
namespace {

constexpr Command kBenches[] = {
    {"table1", "training throughput of the 2019 paper's models, beside PyTorch", bench::table1},
    {"fig1", "how far the host runs ahead of the GPU: Figure 1 of the 2019 paper", bench::fig1},
    {"fig2", "what the first iteration takes longer for: its Figure 2", bench::fig2},
    {"dispatch", "the record of what small operations cost", bench::dispatch},
    {"ops", "the record of operators beside LibTorch", bench::ops},
    {"step", "", bench::step},
};

void print_bench_help(std::ostream& out) {
  out << "usage: notape bench WHAT [arguments]\n\n";
  for (const Command& one : kBenches) {
    if (*one.summary == '\0') continue;
    std::string name = one.name;
    name.resize(10, ' ');
    out << "  " << name << one.summary << '\n';
  }
  out << "\ntable1, fig1 and fig2 measure now. dispatch and ops show the records that ./run bench "
         "has left in "
         "bench/results/\n(or in --results DIR); notape latency measures dispatch now.\n\n"
         "`notape bench WHAT --help` says more.\n";
}

}  // namespace

int bench_command(const Arguments& arguments) {
  if (arguments.empty()) {
    print_bench_help(std::cerr);
    return kUnusable;
  }
  if (arguments[0] == "--help" || arguments[0] == "-h") {
    print_bench_help(std::cout);
    return kFine;
  }
  const auto* chosen = std::find_if(std::begin(kBenches), std::end(kBenches),
                                    [&](const Command& one) { return arguments[0] == one.name; });
  if (chosen == std::end(kBenches))
    return complain("notape bench",
                    verify::complaint("there is no '" + arguments[0] + "'; see notape bench --help",
                                      arguments));
  return chosen->run(Arguments(arguments.begin() + 1, arguments.end()));
}

}  // namespace notape::command
