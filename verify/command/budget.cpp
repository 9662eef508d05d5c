#include "verify/command/budget.h"

#include <fmt/format.h>

#include <filesystem>

#include "verify/command/arguments.h"
#include "verify/report/json.h"
#include "verify/runner/changed_files.h"
#include "verify/schedule/risk.h"

namespace notape::verify {
namespace {

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

}  // namespace

Budget budget_of(const Arguments& arguments, const SpecList& specs, const Session& session) {
  EarlierEvidence known{.changed = changed_files("HEAD").value_or(std::vector<std::string>()),
                        .earlier = earlier_records(arguments, session)};
  if (!arguments.mutation.empty()) known.killed = read_kill_rates(arguments.mutation);
  Budget budget{.seconds = arguments.budget,
                .most_samples = arguments.most_samples,
                .operators = risks_of(specs, known, arguments.options.gates)};
  if (!arguments.quiet)
    fmt::print(session.out, "budget {} s: {}\n", arguments.budget, risks_text(budget.operators));
  return budget;
}

}  // namespace notape::verify
