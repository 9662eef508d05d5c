// 2019 paper, 4.3: "while we could utilize techniques like copy-on-write to support arbitrary
// programs, we chose to not go down this path, as performance-wise it is usually beneficial for the
// users to rewrite their code to ensure that no copies have to be performed. ... This allows us to
// avoid introducing subtle and hard-to-find performance cliffs."
//
// AliasPolicy::CowSave goes down that path. First: what writing one element costs, by the size of
// the tensor that somebody has saved. Then: a program that copy-on-write makes run, a cache that is
// written row by row and read as a whole, and that program rewritten.
#include <algorithm>
#include <chrono>
#include <limits>

#include "ops/ops.h"
#include "paper_examples/programs.h"
#include "paper_examples/support/example_options.h"
#include "paper_examples/support/report.h"

namespace notape::paper {
namespace {

/// Microseconds that x[0] += 1 takes after x was saved, and how many copies it makes.
struct Write {
  double microseconds = std::numeric_limits<double>::infinity();
  int64_t copies = 0;
};

Write write_to_saved(int64_t elements, AliasPolicy policy, int repetitions) {
  const AliasPolicyGuard guard(policy);
  const Tensor x = ones({elements}, kFloat64);
  const Variable w = ones({elements}, dtype(kFloat64).requires_grad(true));
  Tensor first = x[0];
  Write result;
  for (int i = 0; i < repetitions; ++i) {
    const Variable y = x * w;  // saves x
    const int64_t before = counters().cow_copies;
    const auto start = std::chrono::steady_clock::now();
    first.add_(1);
    const std::chrono::duration<double, std::micro> elapsed =
        std::chrono::steady_clock::now() - start;
    result.microseconds = std::min(result.microseconds, elapsed.count());
    result.copies = counters().cow_copies - before;
  }
  return result;
}

void show_the_cliff(std::ostream& out, Report& report, int64_t largest) {
  fmt::print(out,
             "x[0] += 1 after y = x * w, which has saved x:\n"
             "    elements of x    by default        with copy-on-write\n");
  bool counted = true;
  double ratio = 0;
  for (int64_t n = 64; n <= largest; n *= 16) {
    const Write plain = write_to_saved(n, AliasPolicy::Default, 20);
    const Write cow = write_to_saved(n, AliasPolicy::CowSave, 20);
    counted = counted && plain.copies == 0 && cow.copies == 1;
    ratio = cow.microseconds / plain.microseconds;
    fmt::print(out, "    {:>13}    {:>7.2f} us        {:>9.2f} us, {} copy of {} bytes\n", n,
               plain.microseconds, cow.microseconds, cow.copies, n * 8);
  }
  report.add_fact("a copy for each write to what is saved, none by default", counted);
  report.add("20 times the cost for the largest", fmt::format("{:.0f} times the cost", ratio),
             ratio >= 20);
}

constexpr int64_t kSteps = 16;

/// Writes row after row, and reads the whole cache (kSteps, n) after each; rows to come are 0.
Tensor cache_read_whole(const Tensor& x, const Tensor& w) {
  Tensor cache = zeros_like(x);
  Tensor loss = zeros({}, kFloat64);
  for (int64_t t = 0; t < kSteps; ++t) {
    cache[t].copy_(x[t]);
    loss = loss + (cache * w).sum().square();
  }
  return loss;
}

/// Rewritten: reads the rows that there are.
Tensor cache_read_so_far(const Tensor& x, const Tensor& w) {
  Tensor cache = zeros_like(x);
  Tensor loss = zeros({}, kFloat64);
  for (int64_t t = 0; t < kSteps; ++t) {
    cache[t].copy_(x[t]);
    loss = loss + (cache.narrow(0, 0, t + 1) * w.narrow(0, 0, t + 1)).sum().square();
  }
  return loss;
}

struct Run {
  Tensor gradient;
  int64_t copies, bytes;  // bytes that are alive when backward() begins
};

Run run(Tensor (*program)(const Tensor&, const Tensor&), AliasPolicy policy, const Tensor& x) {
  const AliasPolicyGuard guard(policy);
  const Variable w = ones_like(x).requires_grad_(true);
  const Counters before = counters();
  const Variable loss = program(x, w);
  const Counters after = counters();
  return {autograd::grad({loss}, {w})[0], after.cow_copies - before.cow_copies,
          after.live_bytes - before.live_bytes};
}

void show_the_cache(std::ostream& out, Report& report, int64_t elements) {
  const Tensor x = randn({kSteps, elements}, kFloat64);
  fmt::print(out,
             "\nA cache of {} rows is written row by row and read as a whole:\n    by default\n",
             kSteps);
  report.add("read whole SavedTensorModified by default", "read whole " + kind_of_error(out, [&] {
                                                            run(cache_read_whole,
                                                                AliasPolicy::Default, x);
                                                          }) + " by default");
  const Run cow = run(cache_read_whole, AliasPolicy::CowSave, x);
  const Run rewritten = run(cache_read_so_far, AliasPolicy::Default, x);
  const auto line = [&](const char* what, const Run& one) {
    fmt::print(out, "    {:<36} {:>2} copies, {:>5.1f} MB alive before backward()\n", what,
               one.copies, static_cast<double>(one.bytes) / 1e6);
  };
  line("with copy-on-write", cow);
  line("rewritten to read the rows so far", rewritten);
  report.add("0 copies rewritten", fmt::format("{} copies rewritten", rewritten.copies));
  report.add_fact("the same gradient", allclose(cow.gradient, rewritten.gradient, 1e-12, 1e-12));
  report.add("5 times the memory with copies",
             fmt::format("{:.1f} times the memory with copies",
                         static_cast<double>(cow.bytes) / static_cast<double>(rewritten.bytes)),
             cow.bytes >= 5 * rewritten.bytes);
}

}  // namespace

int copies(std::ostream& out, const ExampleOptions& options) {
  Report report;
  manual_seed(options.seed);
  const bool is_full = options.size != ExampleSize::Quick;
  show_the_cliff(out, report, is_full ? 1 << 22 : 1 << 18);
  show_the_cache(out, report, is_full ? 1 << 16 : 1 << 12);
  return report.conclude(out);
}

}  // namespace notape::paper
