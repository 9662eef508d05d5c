// memory NUMBER: of that block prints a line "NAME<tab>PEAK<tab>KEPT<tab>LEFT": the most bytes
// beyond what was there before the forward, those that forward keeps for backward, and those left
// after it. The last two are without what the library has in caches, the first is with it. Each
// block has its process, so that none sees what others have left.
#include <iostream>
#include <string>

#include "bench/memory/blocks.h"
#include "bench/memory/live_bytes.h"

int main(int argc, char** argv) {
  const auto blocks = memory::blocks();
  const std::size_t number = argc > 1 ? std::stoul(argv[1]) : 0;
  if (number >= blocks.size()) return 1;
  const memory::Block block = blocks[number]();
  int64_t peak = 0, kept = 0, left = 0;
  for (int run = 0; run < 3; ++run) {  // the first one makes what is made once in a process
    const bool for_peak = run < 2;
    block.clear();
    memory::release_cached();
    const int64_t before = memory::live_bytes();
    memory::reset_peak();
    block.forward();
    if (!for_peak) memory::release_cached();
    kept = memory::live_bytes() - before;
    block.backward();
    if (for_peak) peak = memory::peak_bytes() - before;
    memory::release_cached();
    left = memory::live_bytes() - before;
  }
  std::cout << block.name << '\t' << peak << '\t' << kept << '\t' << left << std::endl;
}
