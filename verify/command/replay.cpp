// notape verify replay CERT
#include <fmt/format.h>

#include <CLI/CLI.hpp>

#include "autograd/tensor/device_interface.h"
#include "verify/command/arguments.h"
#include "verify/command/certificates.h"
#include "verify/command/crash_guard.h"
#include "verify/command/plugin.h"
#include "verify/command/words.h"
#include "verify/report/replay.h"

namespace notape::verify {
namespace {

struct ReplayWords {
  std::string path, id, leg, timeout, memory;
  bool trace = false;
};

constexpr const char* kLegs[] = {"outcome", "value", "reverse", "forward", "numeric"};

constexpr const char* kReplayExamples = R"(Examples:
  notape verify replay report/certificates.jsonl.gz --id tanh/reverse/float64/cpu
  notape verify replay report/certificates.jsonl.gz --id 'gelu/*' plugin:build/libmyops.so
                                             where the plugin has moved since
  notape verify run --case c4o2k9s0aq3v      the case of a failure's line, without its certificate

A case holds the choices that lead to its inputs, not the inputs: it is the same one as long as the
operator's domain, shapes and attributes are as they were.)";

void fill_replay(CLI::App& app, ReplayWords& given) {
  app.add_option("CERT", given.path, "a file of certificates")->required();
  app.add_option("--id", given.id, "which one, as tanh/reverse/float64/cpu; a glob");
  app.add_option("--leg", given.leg,
                 fmt::format("compare this leg only: {}", fmt::join(kLegs, ", ")));
  app.add_option("--timeout", given.timeout, "seconds for one case of a plugin (default 60)");
  app.add_option("--memory", given.memory, "MiB for it (default 4096)");
  app.add_flag("--trace", given.trace, "print inputs, results and every step of the ladder");
  app.footer(kReplayExamples);
}

const OpSpec& spec_of(const Record& record, const Session& session) {
  for (const OpSpec* spec : session.specs)
    if (record.op == spec->name) return *spec;
  if (is_of_user(record))
    throw UsageError(
        "{}: there is no operator '{}' here: it is a function of a program, which runs the case "
        "again with NOTAPE_CASE=CODE in its environment; `notape verify explain` says the code",
        record.id, record.op);
  throw UsageError("{}: there is no operator '{}' here", record.id, record.op);
}

}  // namespace

int run_replay(std::vector<std::string> words, const Session& session) {
  constexpr int kNothingChecked = 5;
  ReplayWords given;
  CLI::App app("Runs the case of a certificate again and compares every bit.",
               "notape verify replay");
  const std::string moved_to = take_plugin(words);
  fill_replay(app, given);
  if (!parse_words(app, std::move(words), session.out)) return 0;
  if (!given.leg.empty() &&
      std::find(std::begin(kLegs), std::end(kLegs), given.leg) == std::end(kLegs))
    throw UsageError("--leg: '{}' is not one of {}", given.leg,
                     fmt::format("{}", fmt::join(kLegs, ", ")));
  const ChildLimits limits = limits_of(given.timeout, given.memory);
  std::vector<Certificate> verdicts;
  for (const Record& record : choose_certificates(given.path, given.id)) {
    if (record.plugin) {
      verdicts.push_back({.verdict = replay_in_plugin(record, plugin_now(*record.plugin, moved_to),
                                                      given.leg, given.trace, limits, session),
                          .comparisons = 1});
      continue;
    }
    if (!moved_to.empty())
      throw UsageError("plugin:{}: {} is of a built-in operator", moved_to, record.id);
    const OpSpec& spec = spec_of(record, session);
    if (is_missing(Device(record.device), session)) return kNothingChecked;
    CrashGuard::set_context(record.replay);
    const CrashGuard guard;
    const Replay replay = replay_case(record, spec, given.leg);
    fmt::print(session.out, "{}{}", given.trace ? trace_text(replay) : "",
               replay_text(record, replay));
    verdicts.push_back({.spec = &spec, .verdict = replay.verdict(record), .comparisons = 1});
  }
  return exit_code_of(verdicts);
}

}  // namespace notape::verify
