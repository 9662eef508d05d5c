#include "verify/command/plugin.h"

#include <fmt/format.h>

#include <cmath>
#include <filesystem>
#include <set>

#include "verify/command/arguments.h"
#include "verify/command/list.h"
#include "verify/command/words.h"
#include "verify/contained/contained_plugin.h"
#include "verify/report/case_file.h"
#include "verify/report/replay.h"
#include "verify/runner/selector.h"

namespace notape::verify {
namespace {

constexpr std::string_view kPrefix = "plugin:";

double positive_number(const std::string& text, const char* option) {
  return number_within<double>(text, option, 0.001, 1e6);
}

const PluginRow& find(const std::vector<PluginRow>& rows, const std::string& file,
                      const std::string& name) {
  for (const PluginRow& row : rows)
    if (row.spec.name == name) return row;
  throw PluginError("'{}' has no operator '{}'", file, name);
}

}  // namespace

void refuse_plugin(const std::vector<std::string>& selectors, const char* command) {
  for (const std::string& selector : selectors)
    if (selector.starts_with(kPrefix))
      throw UsageError("'{}': `notape verify {}` is for built-in operators only", selector,
                       command);
}

std::string take_plugin(std::vector<std::string>& selectors) {
  std::string file;
  for (const std::string& selector : selectors) {
    if (!selector.starts_with(kPrefix)) continue;
    if (!file.empty()) throw UsageError("'{}': one plugin at a time", selector);
    file = selector.substr(kPrefix.size());
    if (file.empty()) throw UsageError("'{}' names no file", selector);
  }
  std::erase_if(selectors, [&](const std::string& one) { return one.starts_with(kPrefix); });
  return file;
}

std::string where_listed(const std::string& plugin, std::size_t count) {
  return fmt::format("`notape verify list{}` shows all {}",
                     plugin.empty() ? "" : " plugin:" + plugin, count);
}

ChildLimits limits_of(const std::string& seconds, const std::string& mebibytes) {
  ChildLimits limits;
  if (!seconds.empty()) limits.seconds = positive_number(seconds, "--timeout");
  if (!mebibytes.empty())
    limits.bytes = static_cast<uint64_t>(std::ceil(positive_number(mebibytes, "--memory"))) << 20;
  return limits;
}

std::string note_of_missing_references(const std::vector<Certificate>& certificates) {
  std::set<const OpSpec*> opaque;
  for (const Certificate& certificate : certificates)
    if (std::string_view(certificate.check) == "finite") opaque.insert(certificate.spec);
  for (const Certificate& certificate : certificates)  // one of the plugin's own, in 64 bits
    if (std::string_view(certificate.check) == "reference") opaque.erase(certificate.spec);
  if (opaque.empty()) return "";
  return fmt::format(
      "{} of them without a 113-bit reference: the value itself was not judged, and the derivative "
      "was compared with differences of it\n",
      opaque.size());
}

std::string list_plugin(const std::string& file, const ChildLimits& limits,
                        const std::vector<std::string>& selectors) {
  const ContainedPlugin plugin(file, limits);
  const auto arguments_of = [&](const OpSpec& spec) -> std::string {
    try {
      return ask_plugin(file, limits, [&](const std::vector<PluginRow>& rows) {
        return differentiable_arguments(find(rows, file, spec.name).spec);
      });
    } catch (const PluginError&) {
      return "?";
    }
  };
  const auto place_of = [&](const OpSpec& spec) {
    const Origin& origin = plugin.origin_of(spec);
    return origin.line > 0 ? fmt::format("{}:{}", origin.file, origin.line) : origin.file;
  };
  return list_text(select(plugin.rows(), selectors, where_listed(file, plugin.rows().size())),
                   arguments_of, place_of);
}

std::string plugin_now(const std::string& remembered, const std::string& given) {
  if (!given.empty()) return given;
  std::error_code failed;
  if (!std::filesystem::exists(remembered, failed))
    throw PluginError("there is no plugin '{}' any more; if it has moved, add plugin:FILE.so",
                      remembered);
  return remembered;
}

Verdict replay_in_plugin(const Record& record, const std::string& file, const std::string& leg,
                         bool trace, const ChildLimits& limits, const Session& session) {
  if (!record.exhibit) throw UsageError("{}: it holds no case", record.id);
  if (record.exhibit->code.empty())
    throw UsageError("{}: it ended before there was a case; all of them again: {}", record.id,
                     record.replay);
  const ChildEnd end = run_in_plugin(file, limits, [&](const std::vector<PluginRow>& rows) {
    const Replay replay = replay_case(record, find(rows, file, record.op).spec, leg);
    return fmt::format("{} {}{}", static_cast<int>(replay.verdict(record)),
                       trace ? trace_text(replay) : "", replay_text(record, replay));
  });
  if (end.kind == ChildEnd::Kind::Finished) {
    const std::size_t space = end.said.find(' ');
    fmt::print(session.out, "{}", end.said.substr(space + 1));
    return static_cast<Verdict>(std::stoi(end.said.substr(0, space)));
  }
  fmt::print(session.out, "{}, case {}\n  {}\n", record.id, saved_case_of(record).on_command_line(),
             describe(end, limits));
  return Verdict::Error;
}

}  // namespace notape::verify
