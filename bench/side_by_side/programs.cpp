// Compiled with notape and with LibTorch (SIDE_TORCH): programs [THREADS]. Reads lines "CASE CALLS"
// and answers with the nanoseconds that many calls took; compare.py alternates between programs.
#include <chrono>
#include <iostream>

#include "bench/side_by_side/cases.h"

int main(int argc, char** argv) {
  library::set_num_threads(argc > 1 ? std::stoi(argv[1]) : 1);
  std::vector<side::Case> cases;
  side::add_small(cases);
  const std::size_t short_ones = cases.size();
  side::add_elementwise(cases);
  side::add_reductions(cases);
  side::add_indexing(cases);
  side::add_products(cases);
  side::add_layers(cases);
  std::string line;
  while (std::getline(std::cin, line)) {
    if (line == "list") {
      for (const side::Case& one : cases)  // what an operation costs beside its arithmetic, or all
        std::cout << (&one < &cases[short_ones] ? "short\t" : "long\t") << one.name << '\n';
      std::cout << "." << std::endl;
      continue;
    }
    const auto tab = line.find('\t');
    const int calls = std::stoi(line.substr(tab + 1));
    for (const side::Case& one : cases) {
      if (one.name != line.substr(0, tab)) continue;
      const auto start = std::chrono::steady_clock::now();
      for (int i = 0; i < calls; ++i) one.call();
      const auto took = std::chrono::steady_clock::now() - start;
      std::cout << std::chrono::duration<double, std::nano>(took).count() << std::endl;
    }
  }
}
