#include "verify/command/fresh_process.h"
#include "verify/numeric/tolerance.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <climits>
#include <map>
#include <sstream>

#include "autograd/modes/deterministic.h"
#include "verify/command/words.h"
#include "verify/processes/interruption.h"
#include "verify/processes/program.h"
#include "verify/runner/case_source.h"
#include "verify/runner/saved_case.h"
#include "verify/runner/selector.h"

namespace notape::verify {
namespace {

constexpr const char* kTitle = "notape digests\n";  // what prints anything else is no such command
constexpr int kCases = 3;

Choices choices_of(const OpSpec& spec, ScalarType dtype, const Options& options, int number) {
  return choices_for(spec, dtype)(random_for(spec, dtype, options.seed, number)).value();
}

/// "tanh float64 1k2z9" -> fingerprints
using Digests = std::map<std::string, std::string>;

Digests digests_in(const std::string& text) {
  Digests result;
  std::istringstream lines(text);
  std::string title;
  std::getline(lines, title);
  std::string op, dtype, code, bits;
  while (lines >> op >> dtype >> code && std::getline(lines, bits))
    result[op + " " + dtype + " " + code] = bits;
  return result;
}

}  // namespace

std::string digests_text(const SpecList& specs, const Options& options) {
  const DeterministicGuard promised;  // without it a GPU does not promise equal bits
  std::string text = kTitle;
  for (const OpSpec* spec : specs)
    for (ScalarType dtype : options.dtypes)
      for (int number = 0; number < kCases; ++number) {
        Interruption::check();
        const Exhibit exhibit = exhibit_of(*spec, all_checks()[0], dtype, options.device,
                                           choices_of(*spec, dtype, options, number), {});
        text += fmt::format("{} {} c{} {} {}\n", spec->name, name_of(dtype), exhibit.code,
                            exhibit.bits ? exhibit.bits->output : "none",
                            exhibit.bits ? exhibit.bits->gradients : "none");
      }
  return text;
}

std::vector<Certificate> compare_digests(const SpecList& specs, const Options& options,
                                         const std::string& here, const std::string& there) {
  const Digests mine = digests_in(here), other = digests_in(there);
  std::vector<Certificate> result;
  for (const OpSpec* spec : specs)
    for (ScalarType dtype : options.dtypes) {
      Certificate one{
          .spec = spec, .check = kFreshProcess, .dtype = dtype, .device = options.device};
      const std::string prefix = fmt::format("{} {} c", spec->name, name_of(dtype));
      for (auto at = mine.lower_bound(prefix); at != mine.end() && at->first.starts_with(prefix);
           ++at) {
        ++one.cases;
        ++one.comparisons;
        const auto found = other.find(at->first);
        if (found != other.end() && found->second == at->second) continue;
        one.verdict = Verdict::Nondeterministic;
        const std::string code = at->first.substr(prefix.size());
        one.detail = fmt::format("a new process gives other bits for --case {}",
                                 saved_case_of(one, code).on_command_line());
        // For the file of cases; it was only run, and not shown.
        one.failure = Exhibit{.outcome = Outcome::of(Verdict::Nondeterministic, "bits", one.detail),
                              .code = code};
      }
      if (one.cases > 0) result.push_back(std::move(one));
    }
  return result;
}

std::vector<Certificate> fresh_process_certificates(const SpecList& specs, const Options& options,
                                                    const std::string& program) {
  if (program.empty() || specs.empty()) return {};
  std::vector<std::string> words = {program, "verify", "digests", std::to_string(options.seed),
                                    to_string(options.device)};
  for (ScalarType dtype : options.dtypes) words.emplace_back(name_of(dtype));
  words.emplace_back(",");
  for (const OpSpec* spec : specs) words.emplace_back(spec->name);
  Program other(std::move(words));
  const std::string here = digests_text(specs, options);
  const std::string there = other.output();
  if (!there.starts_with(kTitle)) return {};
  return compare_digests(specs, options, here, there);
}

int run_digests(const std::vector<std::string>& words, const Session& session) {
  uint64_t seed = 0;
  const std::string first = words.empty() ? "" : words[0];
  if (std::from_chars(first.data(), first.data() + first.size(), seed).ec != std::errc())
    throw ValueError("digests: a seed is wanted");
  if (words.size() < 2) throw ValueError("digests: a device is wanted");
  const Device device = device_of(words[1]);
  const auto comma = std::find(words.begin(), words.end(), ",");
  std::vector<ScalarType> dtypes;
  for (auto word = words.begin() + 2; word != comma; ++word) dtypes.push_back(dtype_named(*word));
  const std::vector<std::string> names(comma == words.end() ? comma : comma + 1, words.end());
  fmt::print(session.out, "{}",
             digests_text(select(session.specs, names),
                          {.dtypes = dtypes, .device = device, .seed = seed}));
  return 0;
}

std::string this_program() {
  std::array<char, PATH_MAX> path;
  const ssize_t length = ::readlink("/proc/self/exe", path.data(), path.size());
  return length > 0 ? std::string(path.data(), static_cast<std::size_t>(length)) : "";
}

}  // namespace notape::verify
