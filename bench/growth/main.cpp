// notape_growth: names of graphs. notape_growth NAME NODES: builds it, runs backward and destroys
// it; prints as JSON what each part took. Under callgrind it dumps one count of instructions per
// part, too. notape_growth first: makes one gradient.
#include <valgrind/callgrind.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <string>

#include "autograd/autograd.h"
#include "bench/growth/cases.h"
#include "bench/memory/live_bytes.h"
#include "ops/ops.h"

namespace {

using notape::bench::GrowthCase;

void measure(const GrowthCase& one, int64_t nodes) {
  using Clock = std::chrono::steady_clock;
  const int64_t before = memory::live_bytes();
  const char* separator = "[";
  one.run(nodes, [&](const char* name, const std::function<void()>& part) {
    memory::reset_peak();
    const auto start = Clock::now();
    CALLGRIND_ZERO_STATS;
    CALLGRIND_TOGGLE_COLLECT;
    part();
    CALLGRIND_TOGGLE_COLLECT;
    const double ns = std::chrono::duration<double, std::nano>(Clock::now() - start).count();
    CALLGRIND_DUMP_STATS_AT(name);
    std::printf(
        "%s{\"case\": \"%s\", \"part\": \"%s\", \"nodes\": %lld, \"ns\": %.0f, \"peak\": %lld}",
        separator, one.name.c_str(), name, static_cast<long long>(nodes), ns,
        static_cast<long long>(memory::peak_bytes() - before));
    separator = ",\n";
  });
  std::puts("]");
}

int first_gradient() {
  const notape::Tensor x = notape::ones({3}, notape::requires_grad());
  (x * x).sum().backward();
  return x.grad().sum().item<double>() == 6 ? 0 : 1;
}

}  // namespace

int main(int count, char** words) {
  if (count == 2 && std::string(words[1]) == "first") return first_gradient();
  for (const GrowthCase& one : notape::bench::growth_cases()) {
    if (count == 1) std::puts(one.name.c_str());
    if (count == 3 && one.name == words[1]) measure(one, std::atoll(words[2]));
  }
}
