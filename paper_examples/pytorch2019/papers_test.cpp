// Claims of the 2019 paper that no program of this room shows: how time depends on size, how soon a
// program computes, and how many mutations are refused. Times are the least of many, so that what
// else the machine does counts little.
#include <fcntl.h>
#include <gmock/gmock.h>
#include <spawn.h>
#include <sys/wait.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <functional>
#include <iostream>
#include <string>
#include <vector>

#include "autograd/interchange/dlpack.h"
#include "ops/ops.h"
#include "verify/alias/campaign.h"

extern char** environ;

namespace notape::paper {
namespace {

/// Nanoseconds, the least of `repetitions`.
double least_time(int repetitions, const std::function<void()>& work) {
  double least = 1e18;
  for (int i = 0; i < repetitions; ++i) {
    const auto start = std::chrono::steady_clock::now();
    work();
    const std::chrono::duration<double, std::nano> elapsed =
        std::chrono::steady_clock::now() - start;
    least = std::min(least, elapsed.count());
  }
  return least;
}

// A cliff is more than what caches and other programs do, which on a busy machine is up to a factor
// of four.
TEST(Papers, C05_TwiceTheElementsMeetNoCliff) {
  const NoGradGuard no_grad;
  struct Row {
    const char* name;
    std::function<Tensor(const Tensor&)> run;
  };
  for (const Row& row : {Row{"add", [](const Tensor& x) { return x + x; }},
                         Row{"tanh", [](const Tensor& x) { return x.tanh(); }},
                         Row{"sum", [](const Tensor& x) { return x.sum(); }},
                         Row{"softmax", [](const Tensor& x) { return softmax(x, 0); }},
                         Row{"cumsum", [](const Tensor& x) { return x.cumsum(0); }},
                         Row{"clone", [](const Tensor& x) { return x.clone(); }}}) {
    const auto time = [&](int64_t n) {
      const Tensor x = rand({n});
      return least_time(300, [&] { row.run(x); });
    };
    double worst = 0;
    int64_t worst_size = 0;
    for (int64_t n = 1; n < 1 << 17; n *= 2) {
      double jump = time(2 * n) / time(n);
      for (int i = 0; i < 20 && jump > 6; ++i) jump = std::min(jump, time(2 * n) / time(n));
      if (jump <= worst) continue;
      worst = jump;
      worst_size = n;
    }
    std::cout << row.name
              << ": expected: at most 6 times as long for twice the elements; seen: " << worst
              << " times, from " << worst_size << " to " << 2 * worst_size << "\n";
    EXPECT_LE(worst, 6) << row.name << " at " << worst_size;
  }
}

TEST(Papers, C13_DLPackTakesAsLongForAGigabyteAsForAKilobyte) {
  const auto exchange = [](const Tensor& x) {
    return least_time(2000, [&] { from_dlpack(to_dlpack(x)); });
  };
  const double small = exchange(empty({1 << 8})), large = exchange(empty({1 << 28}));
  std::cout << "expected: within a factor of 2; seen: " << small << " ns and " << large << " ns\n";
  EXPECT_LT(large, 2 * small);
}

/// How many lines of a file are those of the class, up to the "};" that closes it.
int lines_of_class(const char* path, const std::string& name) {
  std::ifstream file(path);
  int lines = 0;
  for (std::string line; std::getline(file, line);) {
    if (lines > 0 || line == "class " + name + " {") ++lines;
    if (lines > 0 && line == "};") return lines;
  }
  return 0;
}

TEST(Papers, C11_AnOptimizerAndALoaderOfTheUsersAreAtMostThirtyLines) {
  for (const char* name : {"Lion", "Loader"}) {
    const int lines = lines_of_class("paper_examples/pytorch2019/components.cpp", name);
    std::cout << name << ": expected: at most 30 lines; seen: " << lines << "\n";
    EXPECT_GT(lines, 10) << "run from the source folder";
    EXPECT_LE(lines, 30) << name;
  }
}

/// Milliseconds from the start of a process to its end.
double duration_of(std::vector<std::string> words) {
  std::vector<char*> arguments;
  for (std::string& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  posix_spawn_file_actions_t quiet;
  posix_spawn_file_actions_init(&quiet);
  posix_spawn_file_actions_addopen(&quiet, 1, "/dev/null", O_WRONLY, 0);
  pid_t child = 0;
  const auto start = std::chrono::steady_clock::now();
  EXPECT_EQ(posix_spawn(&child, arguments[0], &quiet, nullptr, arguments.data(), environ), 0);
  int status = 0;
  EXPECT_EQ(waitpid(child, &status, 0), child);
  const std::chrono::duration<double, std::milli> elapsed =
      std::chrono::steady_clock::now() - start;
  posix_spawn_file_actions_destroy(&quiet);
  EXPECT_EQ(status, 0);
  return elapsed.count();
}

TEST(Papers, C12_AProgramHasComputedAndEndedFiveMillisecondsAfterItsStart) {
  double fastest = 1e9;
  for (int i = 0; i < 200 && fastest > 5; ++i)  // others use the machine, too
    fastest = std::min(fastest, duration_of({NOTAPE_RECORDED_PROGRAM, "computes"}));
  std::cout << "expected: at most 5 ms; seen: " << fastest << " ms\n";
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  GTEST_SKIP() << "sanitizers take longer to start";
#endif
  EXPECT_LE(fastest, 5);
}

/// What a command prints.
std::string output_of_shell(const std::string& command) {
  std::string text;
  FILE* const pipe = popen((command + " 2>&1").c_str(), "r");
  for (int letter; (letter = std::fgetc(pipe)) != EOF;) text += static_cast<char>(letter);
  pclose(pipe);
  return text;
}

TEST(Papers, C12_ADebuggerShowsTensors) {
  if (std::system("gdb --version >/dev/null 2>&1") != 0) GTEST_SKIP() << "there is no gdb";
  const std::string shown = output_of_shell(
      "gdb -q -nx -batch -ex 'source autograd/tensor/gdb_printer.py' -ex 'break "
      "show_to_a_debugger' -ex run"
      " -ex next -ex next -ex 'print x' -ex 'print nothing' -ex 'print y'"
      " --args " NOTAPE_RECORDED_PROGRAM " computes");
  if (shown.find("Breakpoint 1, ") == std::string::npos)
    GTEST_SKIP() << "gdb may not run programs here: " << shown;
  EXPECT_THAT(shown, ::testing::HasSubstr("$1 = float64 [3, 2] {0, 3, 1, 4, 2, 5}\n"
                                          "$2 = undefined\n"
                                          "$3 = float32 [4] with history {0.761594, 0.761594, "
                                          "0.761594, 0.761594}\n"));
}

// Programs of the campaign look for trouble: views of views, writes to what was saved. Programs
// that people write are kinder.
TEST(Papers, C20_MostMutationsAreBenignEvenInProgramsThatLookForTrouble) {
  const int64_t copies = counters().cow_copies;
  const verify::alias::CampaignResult result =
      verify::alias::run_campaign({.programs = 4000, .seed = 2019});
  int64_t refused = 0;
  for (const int64_t count : result.unwanted) refused += count;
  for (const int64_t count : result.required) refused += count;
  const double writes = static_cast<double>(result.writes);
  const double exact = static_cast<double>(result.count(verify::alias::Outcome::Exact)) / 4000;
  std::cout << "expected: most mutations benign; seen: " << result.writes << " mutations in 4000 "
            << "programs, " << 100 * (1 - static_cast<double>(refused) / writes)
            << " % of them without any error; " << 100 * exact
            << " % of the programs exact to the end\n";
  EXPECT_LT(static_cast<double>(refused), writes / 4);
  EXPECT_GT(exact, 0.5);
  EXPECT_EQ(result.count(verify::alias::Outcome::SilentlyWrong), 0);
  EXPECT_EQ(counters().cow_copies, copies) << "nothing is copied on write";
}

}  // namespace
}  // namespace notape::paper
