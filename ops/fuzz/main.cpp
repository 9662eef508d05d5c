// ops_fuzz: calls every operator with arguments that nobody should pass, until the time is over.
// Each must give a result or throw an Error of a class of its own that names an operator and has
// changed nothing; a crash, a hang, any other exception or a sanitizer's report is a failure. Build
// it with sanitizers: ./run fuzz.
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <limits>
#include <stdexcept>

#include "autograd/printable.h"
#include "ops/fuzz/target.h"
#include "ops/parallel.h"

// Memory that no call of ours may need is an OutOfMemory, as on a machine that has less. Sanitizers
// need more of the address space than a limit on it could leave them.
#if defined(__SANITIZE_ADDRESS__)
#include <sanitizer/common_interface_defs.h>

extern "C" const char* __asan_default_options() {
  return "allocator_may_return_null=1:max_allocation_size_mb=256:detect_leaks=0:"
         "detect_stack_use_after_return=1";
}
// So that on_signal() tells the call.
extern "C" const char* __ubsan_default_options() { return "abort_on_error=1"; }
#elif defined(__SANITIZE_THREAD__)
extern "C" const char* __tsan_default_options() {
  return "allocator_may_return_null=1:max_allocation_size_mb=256";
}
#else
#define NOTAPE_LIMIT_ADDRESS_SPACE
#endif

namespace notape::fuzz {
namespace {

constexpr unsigned kSecondsOfACall = 60;
// Sanitizers remember every stack that has allocated, so a process becomes slower with each call.
constexpr uint64_t kRoundsOfAProcess = 50;
constexpr std::size_t kMostTargets = 4096;

struct Options {
  double seconds = 60;
  uint64_t rounds = std::numeric_limits<uint64_t>::max();  ///< calls of each target
  uint64_t seed = 1;
  std::string only, replay;  ///< a target; a target and a seed, "sum/123"
};

/// What the processes share: the parent goes on where a child has crashed.
struct Progress {
  std::size_t target;
  uint64_t seed, calls, failures;
  bool failed[kMostTargets];
};

std::vector<Target> targets;
Progress* progress;

/// On the way down, too: nothing here allocates.
void tell_replay() noexcept {
  char line[256];
  const int length = std::snprintf(line, sizeof(line), "  again: ./run fuzz --replay %s/%llu\n",
                                   targets[progress->target].name.c_str(),
                                   static_cast<unsigned long long>(progress->seed));
  if (length > 0) static_cast<void>(!::write(STDOUT_FILENO, line, static_cast<size_t>(length)));
}

void on_signal(int signal) {
  char line[256];
  const int length =
      std::snprintf(line, sizeof(line), "FAILED %s: %s\n", targets[progress->target].name.c_str(),
                    signal == SIGALRM ? "takes too long" : ::strsignal(signal));
  if (length > 0) static_cast<void>(!::write(STDOUT_FILENO, line, static_cast<size_t>(length)));
  tell_replay();
  ::_exit(1);
}

void watch_crashes() {
#if defined(__SANITIZE_ADDRESS__)
  __sanitizer_set_death_callback(tell_replay);
  const int signals[] = {SIGALRM, SIGABRT};  // of the others it tells more
#else
  const int signals[] = {SIGALRM, SIGABRT, SIGSEGV, SIGBUS, SIGFPE, SIGILL};
#endif
#ifdef NOTAPE_LIMIT_ADDRESS_SPACE
  const rlimit memory{rlim_t{4} << 30, rlim_t{4} << 30};
  ::setrlimit(RLIMIT_AS, &memory);
#endif
  for (const int signal : signals) std::signal(signal, on_signal);
}

void call(std::size_t target, uint64_t seed) {
  progress->target = target;
  progress->seed = seed;
  ::alarm(kSecondsOfACall);
  try {
    Hostile hostile(seed);
    targets[target].call(hostile);
  } catch (const Failure& failure) {
    ++progress->failures;
    progress->failed[target] = true;
    std::printf("FAILED %s: %s\n", targets[target].name.c_str(),
                printable_lines(failure.what).c_str());
    std::fflush(stdout);
    tell_replay();
  }
  ::alarm(0);
  ++progress->calls;
}

bool has_time(std::chrono::steady_clock::time_point end) {
  return std::chrono::steady_clock::now() < end;
}

uint64_t first_seed(const Options& options) { return options.seed * 1'000'000'000; }

uint64_t last_seed(const Options& options) {
  const uint64_t most = std::numeric_limits<uint64_t>::max() - first_seed(options);
  return first_seed(options) + std::min(options.rounds, most - 1);
}

/// Calls targets in turn, each until it has failed once, for as long as one process does.
void call_until(std::chrono::steady_clock::time_point end, const Options& options) {
  watch_crashes();
  const uint64_t last = std::min(last_seed(options), progress->seed + kRoundsOfAProcess);
  for (uint64_t seed = progress->seed + 1; seed <= last && has_time(end); ++seed)
    for (std::size_t i = 0; i < targets.size() && has_time(end); ++i)
      if (!progress->failed[i] && (options.only.empty() || targets[i].name == options.only))
        call(i, seed);
}

int run(const Options& options) {
  const auto seconds = std::chrono::duration<double>(options.seconds);
  const auto end = std::chrono::steady_clock::now() +
                   std::chrono::duration_cast<std::chrono::steady_clock::duration>(seconds);
  progress->seed = first_seed(options);
  while (has_time(end) && progress->seed < last_seed(options)) {
    const uint64_t calls = progress->calls;
    const pid_t child = ::fork();
    if (child < 0) throw std::runtime_error("cannot start a process");
    if (child == 0) {
      call_until(end, options);
      std::fflush(stdout);
      ::_exit(0);
    }
    int status = 0;
    ::waitpid(child, &status, 0);
    if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) {
      progress->failed[progress->target] = true;
      ++progress->failures;
    } else if (progress->calls == calls) {
      break;  // nothing is left to call
    }
  }
  std::printf("%llu calls of %zu operators and functions, seed %llu: %llu failed\n",
              static_cast<unsigned long long>(progress->calls), targets.size(),
              static_cast<unsigned long long>(options.seed),
              static_cast<unsigned long long>(progress->failures));
  return progress->failures > 0 ? 1 : progress->calls > 0 ? 0 : 5;
}

int replay(const std::string& text) {
  const std::size_t slash = text.rfind('/');
  if (slash == text.npos) throw std::invalid_argument("--replay: '" + text + "' is no NAME/SEED");
  const std::string name = text.substr(0, slash);
  const uint64_t seed = std::stoull(text.substr(slash + 1));
  watch_crashes();
  for (std::size_t i = 0; i < targets.size(); ++i)
    if (targets[i].name == name) call(i, seed);
  if (progress->calls == 0) throw std::invalid_argument("there is no operator '" + name + "'");
  std::printf("%s with seed %llu: %s\n", name.c_str(), static_cast<unsigned long long>(seed),
              progress->failures > 0 ? "failed" : "as it should be");
  return progress->failures > 0 ? 1 : 0;
}

int main_of(int count, char** words) {
  CLI::App app("Calls every operator with arguments that nobody should pass.", "ops_fuzz");
  Options options;
  double minutes = 0;
  app.add_option("--minutes", minutes)->check(CLI::NonNegativeNumber);
  app.add_option("--seconds", options.seconds, "how long, if not in minutes")
      ->check(CLI::NonNegativeNumber);
  app.add_option("--rounds", options.rounds, "at most so many calls of each operator");
  app.add_option("--seed", options.seed, "of the first calls");
  app.add_option("--only", options.only, "this operator alone");
  app.add_option("--replay", options.replay, "this call alone: NAME/SEED");
  CLI11_PARSE(app, count, words);
  if (minutes > 0) options.seconds = 60 * minutes;
  set_num_threads(1);  // a child has no other
  targets = row_targets();
  for (Target& target : function_targets()) targets.push_back(std::move(target));
  void* shared =
      ::mmap(nullptr, sizeof(Progress), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (shared == MAP_FAILED || targets.size() > kMostTargets)
    throw std::runtime_error("no memory to share");
  progress = new (shared) Progress{};
  return options.replay.empty() ? run(options) : replay(options.replay);
}

}  // namespace
}  // namespace notape::fuzz

int main(int argc, char** argv) {
  try {
    return notape::fuzz::main_of(argc, argv);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "ops_fuzz: %s\n", error.what());
    return 2;
  }
}
