#include "verify/command/session.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <filesystem>

#include "autograd/tensor/device_interface.h"
#include "ops/core/parallel.h"
#include "verify/alias/command.h"
#include "verify/atlas/command.h"
#include "verify/command/arguments.h"
#include "verify/command/budget.h"
#include "verify/command/certificates.h"
#include "verify/command/command.h"
#include "verify/command/crash_guard.h"
#include "verify/command/files.h"
#include "verify/command/fresh_process.h"
#include "verify/command/list.h"
#include "verify/command/plugin.h"
#include "verify/mutate/command.h"
#include "verify/plugin/contained_plugin.h"
#include "verify/report/case_file.h"
#include "verify/report/progress.h"
#include "verify/report/table.h"
#include "verify/runner/selector.h"

namespace notape::verify {
namespace {

constexpr int kBadUsage = 2, kNothingChecked = 5;

/// Prints the table as operators finish.
class Printer final : public Listener {
 public:
  Printer(const Arguments& arguments, const Session& session)
      : arguments_(arguments),
        session_(session),
        progress_(arguments.quiet ? ProgressStyle::None : progress_style(session.err),
                  session.err) {}

  void begin(std::size_t parts) override {
    progress_.begin(parts);
    if (!arguments_.quiet) fmt::print(session_.out, "{}", table_header(arguments_.options.dtypes));
  }

  void part_begin(const OpSpec& spec, ScalarType dtype) override {
    progress_.working_on(fmt::format("{} {}", spec.name, name_of(dtype)));
  }

  void check_begin(const Certificate& certificate, const Choices& choices) override {
    const SavedCase one = saved_case_of(certificate, encode_choices(choices));
    CrashGuard::set_context(replay_command(certificate, one.code),
                            one.on_command_line() == one.code ? "" : case_line(one));
  }

  void part_end(const Part& part) override {
    cases += part.cases;
    parts_.push_back(part);
    progress_.step();
    if (parts_.size() < arguments_.options.dtypes.size()) return;
    ++operators;
    progress_.clear();
    if (!arguments_.quiet) fmt::print(session_.out, "{}", table_row(parts_));
    std::fflush(session_.out);
    parts_.clear();
  }

  int64_t cases = 0;
  std::size_t operators = 0;

 private:
  const Arguments& arguments_;
  const Session& session_;
  Progress progress_;
  std::vector<Part> parts_;
};

/// What replay commands stand for, before they are printed.
void leave_cases(const std::vector<Record>& records, const Arguments& arguments,
                 const Session& session) {
  std::vector<Record> red;
  std::copy_if(records.begin(), records.end(), std::back_inserter(red),
               [](const Record& one) { return is_red(one.verdict); });
  try {
    keep_cases(cases_of(red));
  } catch (const BadCase& error) {
    fmt::print(session.err, "notape verify: replay commands will not find their cases: {}\n",
               error.what_without_backtrace());
  }
  if (arguments.out.empty()) return;
  const std::string path = arguments.out + "/" + kCaseFile;
  std::string text;
  for (const SavedCase& one : cases_of(records)) text += case_line(one);
  std::error_code ignored;
  if (text.empty())
    std::filesystem::remove(path, ignored);  // of an earlier run
  else
    write_beside(path, text);
}

int check_operators(const Arguments& arguments, const Session& session) {
  const Device device = arguments.options.device;
  if (!device.is_cpu() && device.index >= device_count(device.type)) {
    fmt::print(session.err, "notape verify: there is no device {} here\n", to_string(device));
    return kNothingChecked;
  }
  std::optional<ContainedPlugin> plugin;
  if (!arguments.plugin.empty()) plugin.emplace(arguments.plugin, arguments.limits);
  const SpecList& all = plugin ? plugin->rows() : session.specs;
  const SpecList specs =
      select(all, arguments.selectors, where_listed(arguments.plugin, all.size()));
  if (specs.empty()) {
    fmt::print(session.err, "notape verify: there are no operators to check\n");
    return kNothingChecked;
  }
  if (arguments.options.only_case && specs.size() != 1)
    throw UsageError("--case needs one operator and one --dtype");
  if (arguments.threads > 0) set_num_threads(arguments.threads);
  if (arguments.fresh_seed) fmt::print(session.out, "seed {}\n", arguments.options.seed);
  Budget budget;
  if (arguments.budget > 0)
    budget = budget_of(arguments, specs, session);  // before --out is emptied
  OutputFiles files(arguments);
  const auto start = std::chrono::steady_clock::now();
  Printer printer(arguments, session);
  BudgetedRun ran;
  {
    const CrashGuard guard;
    if (plugin)
      ran.certificates = plugin->run(specs, arguments.options, printer);
    else if (arguments.budget > 0)
      ran = run_within(budget, arguments.options, printer);
    else
      ran.certificates = run(specs, arguments.options, printer);
  }
  if (!plugin && !arguments.options.only_case && wants(arguments.options, kFreshProcess))
    for (Certificate& one : fresh_process_certificates(specs, arguments.options, session.program))
      ran.certificates.push_back(std::move(one));
  const std::vector<Certificate>& certificates = ran.certificates;
  if (!ran.left_out.empty())
    fmt::print(session.out, "\nnot run, for want of time: {}\n", fmt::join(ran.left_out, ", "));
  const auto records = records_of(certificates, arguments.options);
  leave_cases(records, arguments, session);
  for (const Record& record : records)
    if (is_red(record.verdict)) fmt::print(session.out, "{}", failure_text(record));
  const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
  fmt::print(session.out, "\n{}",
             summary_line(certificates, printer.operators, printer.cases, seconds.count(),
                          arguments.options.seed));
  const Gates& gates = arguments.options.gates;
  fmt::print(session.out, "{}{}", missed_gates(certificates, gates),
             note_of_missing_references(certificates));
  files.write(records, gates);
  for (const Format format : arguments.formats)
    if (file_of(format).empty()) fmt::print(session.out, "{}", render(format, records, gates));
  return exit_code_of(certificates, gates);
}

}  // namespace

int run_session(const std::vector<std::string>& words, const Session& session) {
  try {
    if (!words.empty() && words[0] == "alias")
      return alias::run_command({words.begin() + 1, words.end()}, session.out, session.err);
    if (!words.empty() && words[0] == "atlas")
      return atlas::run_command({words.begin() + 1, words.end()}, session.specs, session.out);
    if (!words.empty() && words[0] == "mutate")
      return mutate::run_command({words.begin() + 1, words.end()}, session.specs, session.out,
                                 session.err);
    if (!words.empty() && words[0] == "digests")
      return run_digests({words.begin() + 1, words.end()}, session);
    if (!words.empty())
      if (const auto command = certificate_command(words[0]))
        return command({words.begin() + 1, words.end()}, session);
    const Arguments arguments = parse_arguments(words, session.rc_params);
    switch (arguments.action) {
      case Arguments::Action::Help:
        fmt::print(session.out, "{}", arguments.help);
        return 0;
      case Arguments::Action::List:
        if (!arguments.plugin.empty()) {
          fmt::print(session.out, "{}",
                     list_plugin(arguments.plugin, arguments.limits, arguments.selectors));
          return 0;
        }
        fmt::print(session.out, "{}", list_text(select(session.specs, arguments.selectors)));
        return session.specs.empty() ? kNothingChecked : 0;
      case Arguments::Action::Run:
        return check_operators(arguments, session);
    }
  } catch (const UsageError& error) {
    fmt::print(session.err, "notape verify: {}; see `notape verify --help`\n", error.what());
  } catch (const Error& error) {
    fmt::print(session.err, "notape verify: {}\n", error.what());
  }
  return kBadUsage;
}

}  // namespace notape::verify

namespace notape {

int verify_command(int argc, char** argv) {
  return verify::run_session(
      {argv + 1, argv + argc},
      {op_specs(), stdout, stderr, std::getenv("RC_PARAMS"), verify::this_program()});
}

}  // namespace notape
