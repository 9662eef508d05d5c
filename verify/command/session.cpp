#include "verify/command/session.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <filesystem>

#include "autograd/tensor/device_interface.h"
#include "autograd/warning.h"
#include "ops/parallel.h"
#include "verify/command/arguments.h"
#include "verify/command/certificates.h"
#include "verify/command/command.h"
#include "verify/command/complaint.h"
#include "verify/command/crash_guard.h"
#include "verify/command/files.h"
#include "verify/command/fresh_process.h"
#include "verify/command/list.h"
#include "verify/command/plugin.h"
#include "verify/command/shard_files.h"
#include "verify/command/subcommands.h"
#include "verify/contained/contained_plugin.h"
#include "verify/processes/child.h"
#include "verify/processes/interruption.h"
#include "verify/processes/shards.h"
#include "verify/report/case_file.h"
#include "verify/report/json.h"
#include "verify/report/progress.h"
#include "verify/report/table.h"
#include "verify/runner/changed_files.h"
#include "verify/runner/selector.h"
#include "verify/schedule/run.h"
#include "verify/schedule/slices.h"
#include "verify/schedule/urgency.h"

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

  /// Takes the bar away, also where an operator was not finished.
  void end() { progress_.clear(); }

  int64_t cases = 0;
  std::size_t operators = 0;

 private:
  const Arguments& arguments_;
  const Session& session_;
  Progress progress_;
  std::vector<Part> parts_;
};

/// In the text, and in the files that will be made of the records.
void tell_interruption(std::vector<Record>& records, std::size_t checked, std::size_t wanted,
                       const Session& session) {
  const std::string text =
      fmt::format("{} after {} of {} operators", Interruption::name(), checked, wanted);
  fmt::print(session.out, "\ninterrupted by {}; what follows is of these\n", text);
  for (Record& record : records) record.environment.emplace_back(kInterruption, text);
}

void add_fresh_process(std::vector<Certificate>& certificates, const SpecList& specs,
                       const Options& options, const Session& session) {
  if (Interruption::requested()) return;
  Shards* const shards = Shards::current();
  try {
    const auto found = shards && shards->merging
                           ? kept_certificates(*shards, specs)
                           : fresh_process_certificates(specs, options, session.program);
    certificates.insert(certificates.end(), found.begin(), found.end());
    if (shards) keep_certificates(*shards, records_of(found, options));
  } catch (const Interrupted&) {
    // The others are complete, and the summary will say that there was an interruption.
  }
}

/// What replay commands stand for, before they are printed.
void leave_cases(const std::vector<Record>& records, const Session& session) {
  std::vector<Record> red;
  std::copy_if(records.begin(), records.end(), std::back_inserter(red),
               [](const Record& one) { return is_red(one.verdict); });
  try {
    keep_cases(cases_of(red));
  } catch (const BadCase& error) {
    fmt::print(session.err, "notape verify: replay commands will not find their cases: {}\n",
               error.what_without_backtrace());
  }
}

/// Certificates in --history or, if they can be read, in --out.
std::vector<Record> earlier_records(const Arguments& arguments, const Session& session) {
  const auto bundle_in = [](const std::string& directory) {
    return (std::filesystem::path(directory) / file_of(Format::Json)).string();
  };
  if (!arguments.history.empty()) return read_bundle(bundle_in(arguments.history));
  if (arguments.out.empty() || !std::filesystem::exists(bundle_in(arguments.out))) return {};
  try {
    return read_bundle(bundle_in(arguments.out));
  } catch (const BadCertificate& problem) {
    fmt::print(session.err, "notape verify: earlier results are ignored: {}\n",
               problem.what_without_backtrace());
    return {};
  }
}

/// In the order in which a run within --budget takes them.
SpecList most_urgent_first(const SpecList& specs, const Arguments& arguments,
                           const Session& session) {
  auto [order, text] = by_urgency(specs, changed_files("HEAD").value_or(std::vector<std::string>()),
                                  earlier_records(arguments, session), arguments.options);
  if (!arguments.quiet)
    fmt::print(session.out, "budget {} s: {}\n", arguments.options.seconds, text);
  return std::move(order);
}

/// Of a shard, or of those that are merged, what is there. `missing` are those of them that are
/// not.
SpecList in_shards(const SpecList& specs, const Options& options,
                   std::vector<std::string_view>& missing) {
  const Shards* const shards = Shards::current();
  if (!shards) return specs;
  SpecList here;
  for (std::size_t i = 0; i < specs.size(); ++i) {
    const OpSpec& spec = *specs[i];
    const bool complete =
        shards->has(spec.name) ||
        std::all_of(options.dtypes.begin(), options.dtypes.end(),
                    [&](ScalarType dtype) { return shards->has(slice_name(spec, dtype)); });
    if (shards->merging ? complete : shards->shard_of(i) == shards->part)
      here.push_back(&spec);
    else if (shards->merging && !shards->lost.contains(shards->shard_of(i)))
      missing.push_back(spec.name);
  }
  return here;
}

int check_operators(Arguments arguments, const Session& session) {
  Shards* const shards = Shards::current();
  const bool merging = shards && shards->merging;
  std::optional<ContainedPlugin> plugin;
  if (!arguments.plugin.empty()) plugin.emplace(arguments.plugin, arguments.limits);
  const SpecList& all = plugin ? plugin->rows() : session.specs;
  SpecList specs = select(all, arguments.selectors, where_listed(arguments.plugin, all.size()));
  if (specs.empty()) {
    fmt::print(session.err, "notape verify: there are no operators to check\n");
    return kNothingChecked;
  }
  if (plugin) plugin->settle(specs, arguments.any_dtype, arguments.options);
  if (!merging &&
      is_missing(arguments.options.device, session, arguments.options.jobs > 0 || plugin))
    return kNothingChecked;
  if (arguments.options.only_case && specs.size() != 1)
    throw UsageError("--case needs one operator and one --dtype");
  if (arguments.threads > 0) set_num_threads(arguments.threads);
  if (arguments.fresh_seed) fmt::print(session.out, "seed {}\n", arguments.options.seed);
  std::vector<std::string_view> left_out;
  specs = in_shards(specs, arguments.options, left_out);
  if (arguments.options.seconds > 0) specs = most_urgent_first(specs, arguments, session);
  OutputFiles files(arguments);
  const auto start = std::chrono::steady_clock::now();
  Printer printer(arguments, session);
  std::vector<Certificate> certificates;
  {
    const CrashGuard guard;
    certificates = plugin ? plugin->run(specs, arguments.options, printer)
                          : run(specs, arguments.options, printer);
  }
  printer.end();
  for (std::size_t i = printer.operators; i < specs.size(); ++i)
    left_out.emplace_back(specs[i]->name);
  specs.resize(printer.operators);
  if (!plugin && !arguments.options.only_case && wants(arguments.options, kFreshProcess))
    add_fresh_process(certificates, specs, arguments.options, session);
  auto records = records_of(certificates, arguments.options);
  const bool interrupted = Interruption::requested();
  if (interrupted)
    tell_interruption(records, specs.size(), specs.size() + left_out.size(), session);
  else if (!left_out.empty() && (merging || arguments.options.seconds > 0))
    fmt::print(session.out, "\nnot run, for want of time: {}\n", fmt::join(left_out, ", "));
  if (merging && !shards->lost.empty())
    for (Record& record : records)
      record.environment.emplace_back(kInterruption, "the loss of " + lost_text(*shards));
  leave_cases(records, session);
  for (const Record& record : records)
    if (is_red(record.verdict)) fmt::print(session.out, "{}", failure_text(record));
  fmt::print(session.out, "{}\n{}", undecided_section(certificates),
             summary_line(certificates, printer.operators, printer.cases, seconds_since(start),
                          arguments.options.seed));
  const Gates& gates = arguments.options.gates;
  fmt::print(session.out, "{}{}", missed_gates(certificates, gates),
             note_of_missing_references(certificates));
  if (!(interrupted && records.empty())) files.write(records, gates, interrupted);
  for (const Format format : arguments.formats)
    if (file_of(format).empty()) fmt::print(session.out, "{}", render(format, records, gates));
  return interrupted ? Interruption::exit_code() : exit_code_of(certificates, gates);
}

int answer(const std::vector<std::string>& words, const Session& session) {
  // What is wrong with the environment is said now.
  static_cast<void>(get_num_threads());
  static_cast<void>(wanted_case());
  if (!words.empty()) {
    const std::vector<std::string> rest(words.begin() + 1, words.end());
    if (words[0] == "merge") return merge_shards(rest, session, answer);
    if (const auto code = share_out(words, session, answer)) return *code;
    if (words[0] == "alias") return alias::run_command(rest, session.out, session.err);
    if (words[0] == "atlas") return atlas::run_command(rest, session.specs, session.out);
    if (words[0] == "mutate")
      return mutate::run_command(rest, session.specs, session.out, session.err);
    if (words[0] == "exhaustive")
      return exhaustive::run_command(rest, session.specs, session.out, session.err);
    if (words[0] == "prove")
      return prove::run_command(rest, session.specs, session.out, session.err);
    if (words[0] == "calibrate") return corpus::run_command(rest, session.out, session.err);
    if (words[0] == "engines") return engines::run_command(rest, session.out, session.err);
    if (words[0] == "digests") return run_digests(rest, session);
    if (const auto command = certificate_command(words[0])) return command(rest, session);
  }
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
  return kBadUsage;
}

/// Warnings are about shapes and values that were drawn here, which are nobody's mistake.
struct Unsaid final : WarningHandler {
  void process(const Warning&) override {}
};

}  // namespace

bool is_missing(Device device, const Session& session, bool forks) {
  const auto complaint_of = [](Device asked) -> std::string {
    try {
      device_interface(asked);
      return {};
    } catch (const DeviceError& error) {
      return error.what_without_backtrace();
    }
  };
  const bool is_asked_elsewhere = forks && !device.is_cpu();
  const std::string complaint =
      is_asked_elsewhere
          ? run_in_child([&](ToParent& parent) { parent.send(complaint_of(device)); }).said
          : complaint_of(device);
  if (!complaint.empty()) fmt::print(session.err, "notape verify: {}\n", complaint);
  return !complaint.empty();
}

int run_session(const std::vector<std::string>& words, const Session& session) {
  const Interruption interruption;
  Unsaid unsaid;
  const WarningHandlerGuard quiet(&unsaid);
  const auto complain = [&](const std::string& what) {
    fmt::print(session.err, "notape verify: {}\n", complaint(what, words));
    return kBadUsage;
  };
  int code = kBadUsage, reason = 0;
  try {
    code = answer(words, session);
  } catch (const Interrupted& error) {
    complain(std::string(error.what()) + "; there are no results yet");
    code = Interruption::exit_code();
  } catch (const UsageError& error) {
    code = complain(std::string(error.what()) + "; see `notape verify --help`");
  } catch (const Error& error) {
    code = complain(error.what());
  } catch (const std::system_error& error) {
    // Of standard output there is more to say below.
    reason = error.code().value();
    if (!std::ferror(session.out)) complain(error.what());
  }
  return written_out(session.out, session.err, "notape verify", code, reason);
}

}  // namespace notape::verify

namespace notape {

int verify_command(int argc, char** argv) {
  return verify::run_session(
      {argv + 1, argv + argc},
      {op_specs(), stdout, stderr, std::getenv("RC_PARAMS"), verify::this_program()});
}

}  // namespace notape
