#include "verify/contained/contained_plugin.h"

#include <fmt/format.h>
#include <chrono>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>

#include "verify/contained/crash_case.h"
#include "verify/numeric/tolerance.h"
#include "verify/plugin/c_operator.h"
#include "verify/processes/interruption.h"
#include "verify/processes/labelled_output.h"
#include "verify/processes/orphans.h"
#include "verify/processes/program.h"
#include "verify/processes/shards.h"
#include "verify/report/environment.h"
#include "verify/report/json.h"
#include "verify/schedule/run.h"
#include "verify/schedule/wire.h"

namespace notape::verify {
namespace {

using Json = nlohmann::ordered_json;

/// Among the answers of Shards, none of which has a name that begins with a space.
constexpr const char* kDescription = " plugin";

/// What goes before every line that a plugin prints: standard output is the report's.
std::string label_of(const std::string& file, const std::string& op = "") {
  return "[" + tidy(std::filesystem::path(file).filename().string()) +
         (op.empty() ? "" : " " + op) + "] ";
}

std::string description_of(const std::vector<PluginRow>& rows) {
  Json list = Json::array();
  for (const PluginRow& row : rows) {
    Json dtypes = Json::array();
    const auto declared = declared_dtypes(row.spec);
    for (const ScalarType dtype : declared.value_or(std::vector<ScalarType>()))
      dtypes.push_back(name_of(dtype));
    list.push_back({{"name", row.spec.name},
                    {"family", row.spec.family},
                    {"order", row.spec.order},
                    {"dtypes", dtypes},
                    {"cuda", runs_on(row.spec, Device(kCUDA, 0))},
                    {"file", tidy(row.file)},
                    {"line", std::max<int64_t>(row.line, 0)}});
  }
  return list.dump(-1, ' ', false, Json::error_handler_t::replace);
}

std::string text_of(const std::vector<Part>& parts, const Options& options) {
  std::string text;
  for (const Part& part : parts) {
    for (const Certificate& certificate : part.certificates) text += line_of(certificate, options);
    text += line_of(part);
  }
  return text;
}

/// Which build of the library that is, for reports.
std::string version_of(const std::filesystem::path& file) {
  const auto said = [](std::vector<std::string> words) {
    Program program(std::move(words), Program::Errors::Dropped);
    const std::string text = program.output();
    return program.end() == "exit(0)" ? text.substr(0, text.find_first_of(" \n")) : "";
  };
  std::string version = tidy(file.filename().string());
  const std::string commit = said({"git", "-C", file.parent_path().string(), "describe", "--always",
                                   "--dirty", "--abbrev=12", "--exclude=*"}),
                    sum = said({"sha256sum", file.string()});
  if (!commit.empty()) version += ", commit " + commit;
  if (!sum.empty()) version += ", sha256 " + sum.substr(0, 16);
  return version;
}

/// In the child: sends certificates and notes what is about to run.
class Teller final : public Listener {
 public:
  Teller(ToParent& parent, const Options& options) : parent_(parent), options_(options) {}

  void part_begin(const OpSpec&, ScalarType dtype) override {
    parent_.note(std::string(name_of(dtype)));
  }
  void check_begin(const Certificate& certificate, const Choices& choices) override {
    parent_.note(note_of({"", "", certificate.check, certificate.dtype, choices}));
  }
  void part_end(const Part& part) override {
    for (Certificate certificate : part.certificates) {
      tell_once(certificate);
      parent_.send(line_of(certificate, options_));
    }
    parent_.send(line_of(part));
  }

 private:
  /// An operator that raises an error raises it in every check; once is enough.
  void tell_once(Certificate& certificate) {
    if (certificate.verdict != Verdict::Rejected && certificate.verdict != Verdict::Error) return;
    const auto [known, is_new] =
        errors_.emplace(std::pair(certificate.verdict, certificate.detail), id_of(certificate));
    if (is_new) return;
    certificate.verdict = Verdict::Unresolved;
    certificate.detail = "not judged: an error as in " + known->second;
    certificate.failure.reset();
  }

  ToParent& parent_;
  const Options& options_;
  std::map<std::pair<Verdict, std::string>, std::string> errors_;
};

}  // namespace

std::string describe(const ChildEnd& end, const ChildLimits& limits, const std::string& when) {
  const auto mebibytes = [](uint64_t bytes) { return bytes >> 20; };
  std::string text;
  switch (end.kind) {
    case ChildEnd::Kind::Finished:
      return "it finished";
    case ChildEnd::Kind::TooSlow:
      return fmt::format("it gave no answer within {}{}; --timeout allows more", end.detail, when);
    case ChildEnd::Kind::Crashed:
      text = fmt::format("it crashed ({})", end.detail);
      break;
    case ChildEnd::Kind::Left:
      text = fmt::format("it ended the process with {}", end.detail);
  }
  text += when;
  if (limits.bytes > 0 && end.peak_bytes > limits.bytes / 4 * 3)
    text += fmt::format(", with {} MiB of memory in use; {} MiB are allowed",
                        mebibytes(end.peak_bytes), mebibytes(limits.bytes));
  return text;
}

ChildEnd run_in_plugin(const std::string& file, const ChildLimits& limits, const PluginWork& work) {
  constexpr char kAnswer = '+', kRefusal = '-';
  // What is said of the file follows its name, which may stand there twice, and be long.
  const std::size_t longest = 2000 + 2 * file.size();
  const LabelledOutput output(label_of(file));
  const Orphans ended_with_it;
  ChildEnd end = run_in_child(
      [&](ToParent& parent) {
        output.take_over();
        try {
          parent.send(kAnswer + work(load_plugin(file)));
        } catch (const Error& error) {
          parent.send(kRefusal + tidy(error.what_without_backtrace(), longest));
        } catch (const std::exception& error) {
          parent.send(fmt::format("{}'{}' threw {}", kRefusal, file, tidy(error.what(), longest)));
        }
      },
      limits);
  if (end.said.starts_with(kRefusal)) throw PluginError("{}", end.said.substr(1));
  if (!end.said.empty()) end.said.erase(0, 1);
  return end;
}

std::string ask_plugin(const std::string& file, const ChildLimits& limits, const PluginWork& work) {
  const ChildEnd end = run_in_plugin(file, limits, work);
  if (end.kind != ChildEnd::Kind::Finished)
    throw PluginError("'{}' cannot be used: {}", file, describe(end, limits));
  return end.said;
}

ContainedPlugin::ContainedPlugin(const std::string& file, const ChildLimits& limits)
    : file_(file), limits_(limits) {
  std::error_code failed;
  const std::string whole = std::filesystem::absolute(file, failed).lexically_normal().string();
  Shards* const shards = Shards::current();
  std::string described = shards && shards->merging ? shards->answers[kDescription] : "";
  if (described.empty()) described = ask_plugin(file, limits, description_of);
  if (shards) shards->answers[kDescription] = described;
  const std::string version = version_of(whole);
  for (const Json& json : Json::parse(described)) {
    Row& row = rows_.emplace_back();
    row.name = json.at("name").get<std::string>();
    row.family = json.at("family").get<std::string>();
    row.origin = {whole, json.at("file").get<std::string>(), json.at("line").get<int64_t>(),
                  version};
    row.spec.name = row.name.c_str();
    row.spec.family = row.family.c_str();
    row.spec.order = json.at("order").get<int>();
    for (const Json& dtype : json.at("dtypes"))
      row.dtypes.push_back(dtype_named(dtype.get<std::string>()));
    row.on_cuda = json.at("cuda").get<bool>();
  }
}

SpecList ContainedPlugin::rows() const {
  SpecList list;
  for (const Row& row : rows_) list.push_back(&row.spec);
  return list;
}

void ContainedPlugin::settle(const SpecList& specs, bool any_dtype, Options& options) const {
  const auto is_taken = [&](const OpSpec* spec, ScalarType dtype) {
    const auto& declared = row_of(*spec).dtypes;
    return declared.empty() || std::find(declared.begin(), declared.end(), dtype) != declared.end();
  };
  const auto is_wanted = [&](ScalarType dtype) {
    return std::any_of(specs.begin(), specs.end(),
                       [&](const OpSpec* spec) { return is_taken(spec, dtype); });
  };
  if (!options.device.is_cpu())
    for (const OpSpec* spec : specs)
      if (!row_of(*spec).on_cuda)
        throw PluginError("'{}' declares the cpu alone: --device {} is not for it", spec->name,
                          to_string(options.device));
  if (any_dtype) {
    const bool of_interface = std::all_of(specs.begin(), specs.end(), [&](const OpSpec* spec) {
      return !row_of(*spec).dtypes.empty();
    });
    if (of_interface) options.dtypes = {kFloat64, kFloat32, kBFloat16, kFloat16};
    std::erase_if(options.dtypes, [&](ScalarType dtype) { return !is_wanted(dtype); });
    return;
  }
  for (const ScalarType dtype : options.dtypes)
    if (!is_wanted(dtype))
      throw PluginError(
          "{} not {}: --dtype has to be one that it declares",
          specs.size() == 1 ? fmt::format("'{}' takes {},", specs[0]->name, dtypes_text(*specs[0]))
                            : fmt::format("the operators of '{}' do", file_),
          specs.size() == 1 ? std::string(name_of(dtype)) : fmt::format("take {}", name_of(dtype)));
}

std::string ContainedPlugin::dtypes_text(const OpSpec& spec) const {
  std::string text;
  for (const ScalarType dtype : row_of(spec).dtypes)
    text += (text.empty() ? "" : " and ") + std::string(name_of(dtype));
  return text;
}

std::vector<Certificate> ContainedPlugin::run(const SpecList& specs, const Options& options,
                                              Listener& listener) const {
  environment();  // asked for in a child, OpenBLAS would wait for memory that the child may not
                  // have
  const Orphans ended_with_workers;
  const auto start = std::chrono::steady_clock::now();
  std::vector<Certificate> all;
  std::map<std::size_t, std::string> waiting;
  std::size_t next = 0;
  bool enough = false;
  const auto keep = [&](std::size_t i, const std::string& answer) {
    waiting[i] = answer;
    for (; !enough && waiting.contains(next); waiting.erase(next++)) {
      const Row& row = row_of(*specs[next]);
      bool red = false;
      for (const Part& part : parts_of(waiting[next], row.spec, &row.origin)) {
        listener.part_end(part);
        for (const Certificate& certificate : part.certificates) {
          red = red || is_red(certificate.verdict);
          all.push_back(certificate);
        }
      }
      const std::chrono::duration<double> used = std::chrono::steady_clock::now() - start;
      enough =
          (red && options.fail_fast) || (options.seconds > 0 && used.count() > options.seconds);
    }
  };
  listener.begin(specs.size() * options.dtypes.size());
  run_in_workers({.tasks = specs.size(),
                  .jobs = options.jobs,
                  .run =
                      [&](std::size_t i, ToParent& parent) {
                        parent.note(specs[i]->name);
                        if (options.jobs == 0)
                          listener.part_begin(*specs[i], options.dtypes.front());
                        return run_row(row_of(*specs[i]), options);
                      },
                  .done = keep,
                  .died =
                      [&](const WorkerDeath& death) {
                        const Row& row = row_of(*specs[death.task]);
                        keep(death.task, text_of(with_crash(row, options, {},
                                                            {.kind = ChildEnd::Kind::Crashed,
                                                             .said = "",
                                                             .doing = "",
                                                             .detail = death.how}),
                                                 options));
                        return false;
                      },
                  .enough = [&] { return enough; },
                  .name = [&](std::size_t i) { return std::string(specs[i]->name); }});
  return all;
}

const ContainedPlugin::Row& ContainedPlugin::row_of(const OpSpec& spec) const {
  for (const Row& row : rows_)
    if (&row.spec == &spec) return row;
  throw PluginError("'{}' has no operator '{}'", file_, spec.name);
}

std::string ContainedPlugin::run_row(const Row& row, const Options& options) const {
  const LabelledOutput output(label_of(file_, row.name));
  const Orphans ended_with_it;
  Options here = options;
  here.jobs = 0;
  ChildEnd end;
  try {
    end = run_in_child(
        [&](ToParent& parent) {
          output.take_over();
          Teller teller(parent, options);
          for (const PluginRow& loaded : load_plugin(file_))
            if (loaded.spec.name == row.name) verify::run({&loaded.spec}, here, teller);
        },
        limits_);
  } catch (const Interrupted&) {
    return "";
  }
  std::vector<Part> parts;
  try {
    parts = parts_of(end.said, row.spec, &row.origin);
  } catch (const std::exception&) {  // it wrote between the lines
    end.kind = ChildEnd::Kind::Left;
    end.detail = "an answer that makes no sense";
  }
  return text_of(with_crash(row, options, std::move(parts), end), options);
}

std::vector<Part> ContainedPlugin::with_crash(const Row& row, const Options& options,
                                              std::vector<Part> parts, const ChildEnd& end) const {
  while (parts.size() < options.dtypes.size()) {  // parts that were not reached are empty
    Part part;
    part.spec = &row.spec;
    part.dtype = options.dtypes[parts.size()];
    parts.push_back(std::move(part));
  }
  if (end.kind == ChildEnd::Kind::Finished) return parts;
  const Certificate crash = crash_of(row, options, end);
  for (Part& part : parts)
    if (part.dtype == crash.dtype) {
      part.certificates.push_back(crash);
      part.cases = std::max<int64_t>(part.cases, 1);
    }
  return parts;
}

Certificate ContainedPlugin::crash_of(const Row& row, const Options& options,
                                      const ChildEnd& end) const {
  Certificate crash{.spec = &row.spec,
                    .check = all_checks().front().name,
                    .dtype = options.dtypes.front(),
                    .verdict = Verdict::Error,
                    .detail = end.kind == ChildEnd::Kind::TooSlow ? "time" : "crash",
                    .cases = 1,
                    .origin = &row.origin};
  std::string when = " while its cases were drawn";
  if (const auto at = crash_case_of(file_, row.name, end.doing)) {
    for (const Check& check : all_checks())
      if (at->check == check.name) crash.check = check.name;
    crash.dtype = at->dtype;
    try {
      crash.failure = shrink_crash(*at, end, limits_);
    } catch (const Interrupted&) {  // a crash it is all the same
      crash.failure.emplace();
      crash.failure->code = encode_choices(at->choices);
    }
    // Before the first check of a case the operator is called once, without derivatives.
    when = crash.check == all_checks().front().name ? " when its value was computed"
                                                    : fmt::format(" in the check '{}'", at->check);
  } else {
    for (const ScalarType dtype : options.dtypes)
      if (end.doing == name_of(dtype)) crash.dtype = dtype;
    crash.failure.emplace();
  }
  crash.failure->outcome = Outcome::of(Verdict::Error, crash.detail, describe(end, limits_, when));
  return crash;
}

}  // namespace notape::verify
