// trace_fuzz: reads traces that nobody wrote, asks every question about them and converts them,
// until the time is over. Each is answered or refused by a FileError or ValueError of one line; a
// crash, a hang or any other exception is a failure, which names the seed that does it again. Build
// it with sanitizers: ./run fuzz-traces.
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <nlohmann/json.hpp>

#include "autograd/error.h"
#include "trace/analysis/analyses.h"
#include "trace/analysis/by_process.h"
#include "trace/analysis/diff.h"
#include "trace/convert/convert.h"
#include "trace/fuzz/garble.h"
#include "trace/report/report_page.h"
#include "trace/write/output_file.h"

namespace notape::trace::fuzz {
namespace {

constexpr unsigned kSecondsOfATrace = 60;

/// What the processes share: the parent continues after a seed that crashed.
struct Progress {
  uint64_t seed, traces, answered, refused, failures;
};

class Attempt {
 public:
  explicit Attempt(std::vector<std::string> traces)
      : traces_(std::move(traces)),
        folder_(std::filesystem::temp_directory_path() /
                ("notape-trace-fuzz-" + std::to_string(getpid()))) {
    std::filesystem::create_directories(folder_);
  }
  ~Attempt() {
    std::error_code ignored;
    std::filesystem::remove_all(folder_, ignored);
  }

  void run(Progress& progress) const {
    alarm(kSecondsOfATrace);
    const std::string path = (folder_ / "in.json").string();
    std::ofstream(path, std::ios::binary) << garbled(traces_, progress.seed);
    ++progress.traces;
    progress.answered += ask(path, progress);
    alarm(0);
  }

  std::string text(uint64_t seed) const { return garbled(traces_, seed); }

 private:
  bool ask(const std::string& path, Progress& progress) const {
    try {
      const TraceModel model = load_model(path);
      Selection selection;
      selection.as_hta = progress.seed % 2 == 0;
      selection.with_curves = progress.seed % 3 == 0;
      std::ostringstream unseen;
      const auto answer = [&](auto question) {
        const auto of_one = [&](const TraceModel& one) { return question(Scope(one, selection)); };
        write_report(unseen, by_process(model, of_one), ReportFormat::Json);
      };
      using Question = Report (*)(const Scope&);
      for (const Question question :
           {Question(check), Question(dispatch), Question(overlap), Question(idle), Question(queue),
            Question(alloc), Question(first_iteration)})
        answer(question);
      answer([](const Scope& scope) { return queue_ahead(scope); });
      answer([](const Scope& scope) { return steps(scope); });
      write_report(unseen, check(Scope(model, {})), ReportFormat::Json);
      diff(model, model, selection, {}, GateRule::Median);
      if (progress.seed % 8 == 0) report_page(model);
      const std::string converted = (folder_ / "out.json").string();
      ConvertOptions options;
      if (model.is_of_several() && progress.seed % 2 == 0) options.process = busiest_process(model);
      convert(path, converted, options, {});
      if (!nlohmann::json::accept(read_file(converted)))
        throw std::logic_error("what convert writes is no JSON");
      load_model(converted);  // what we write is read again
      return true;
    } catch (const Error& error) {
      if (!dynamic_cast<const FileError*>(&error) && !dynamic_cast<const ValueError*>(&error))
        throw;
      const std::string text = error.what_without_backtrace();
      if (text.find('\n') != std::string::npos) throw;
      ++progress.refused;
      return false;
    }
  }

  std::vector<std::string> traces_;
  std::filesystem::path folder_;
};

using Clock = std::chrono::steady_clock;

int run(const std::vector<std::string>& traces, double seconds, uint64_t rounds, uint64_t seed) {
  auto& progress = *static_cast<Progress*>(
      mmap(nullptr, sizeof(Progress), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0));
  progress.seed = seed;
  const auto end = Clock::now() + std::chrono::duration<double>(seconds);
  const auto is_over = [&] { return progress.traces >= rounds || Clock::now() >= end; };
  while (!is_over()) {
    const pid_t child = fork();
    if (child == 0) {
      {
        const Attempt attempt(traces);
        for (; !is_over(); ++progress.seed) attempt.run(progress);
      }
      _exit(0);
    }
    int status = 0;
    waitpid(child, &status, 0);
    if (WIFEXITED(status) && WEXITSTATUS(status) == 0) continue;
    ++progress.failures;
    std::cout << "FAILED: trace_fuzz --replay " << progress.seed << std::endl;
    ++progress.seed;
  }
  std::cout << progress.traces << " traces: " << progress.answered << " answered, "
            << progress.refused << " refused, " << progress.failures << " failures" << std::endl;
  return progress.failures == 0 ? 0 : 1;
}

int main_of(int count, char** words) {
  CLI::App app("Reads traces that nobody wrote.", "trace_fuzz");
  double minutes = 0, seconds = 60;
  uint64_t rounds = UINT64_MAX, seed = 1, replay = 0;
  std::vector<std::string> files;
  app.add_option("--minutes", minutes);
  app.add_option("--seconds", seconds, "how long, if not in minutes");
  app.add_option("--rounds", rounds, "at most so many traces");
  app.add_option("--seed", seed, "of the first");
  app.add_option("--replay", replay,
                 "this one alone, here and now; its text goes to standard error");
  app.add_option("FILE", files, "traces to begin with, besides the built-in ones");
  CLI11_PARSE(app, count, words);
  std::vector<std::string> traces = dialects();
  for (const std::string& file : files) traces.push_back(read_file(file));
  if (replay != 0) {
    Progress progress{replay, 0, 0, 0, 0};
    const Attempt attempt(traces);
    std::cerr << attempt.text(replay);
    attempt.run(progress);
    return 0;
  }
  return run(traces, minutes > 0 ? minutes * 60 : seconds, rounds, seed);
}

}  // namespace
}  // namespace notape::trace::fuzz

int main(int count, char** words) { return notape::trace::fuzz::main_of(count, words); }
