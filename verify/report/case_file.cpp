#include "verify/report/case_file.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <mutex>
#include <nlohmann/json.hpp>
#include <set>

#include "autograd/interchange/output_file.h"

namespace notape::verify {
namespace {

using CaseJson = nlohmann::ordered_json;
namespace fs = std::filesystem;

constexpr const char *kCaseSchema = "notape.case/1", *kFilePrefix = "cases-";
constexpr std::uintmax_t kMostBytesOfCases = std::uintmax_t{1} << 26;
constexpr std::size_t kMostFilesKept = 200, kMostFilesOfADay = 20000;
constexpr std::chrono::hours kDay(24);

std::string text_in(const CaseJson& json, const char* name) {
  const auto found = json.find(name);
  if (found == json.end() || !found->is_string()) return "";
  return found->get<std::string>();
}

/// The case of this id in a file; none if it is not there.
std::optional<SavedCase> case_in(const std::string& id, const fs::path& path) {
  std::error_code failed;
  const std::uintmax_t bytes = fs::file_size(path, failed);
  if (failed) throw BadCase("{}: {}", path.string(), failed.message());
  if (bytes > kMostBytesOfCases) throw BadCase("{}: it is absurdly large", path.string());
  std::ifstream file(path);
  for (std::string line; std::getline(file, line);) {
    if (line.find(id) == line.npos) continue;
    CaseJson json;
    try {
      json = CaseJson::parse(line);
    } catch (const CaseJson::exception&) {
      throw BadCase("{}: the line with {} is not JSON, or it is cut short", path.string(), id);
    }
    if (!json.is_object() || text_in(json, "id") != id) continue;
    if (text_in(json, "schema") != kCaseSchema)
      throw BadCase("{}: {} is not of the schema {}", path.string(), id, kCaseSchema);
    SavedCase one{.op = text_in(json, "operator"),
                  .dtype = text_in(json, "dtype"),
                  .device = text_in(json, "device"),
                  .plugin = text_in(json, "plugin"),
                  .check = text_in(json, "check"),
                  .code = text_in(json, "code")};
    if (one.id() != id)
      throw BadCase("{}: {} has been changed: it says what {} stands for", path.string(), id,
                    one.id());
    return one;
  }
  return {};
}

/// A file and when it was written.
using Dated = std::pair<fs::file_time_type, fs::path>;

/// The files of cases in a directory, newest first.
std::vector<Dated> files_in(const fs::path& directory) {
  std::vector<Dated> found;
  std::error_code failed;
  for (fs::directory_iterator at(directory, failed), end; !failed && at != end;
       at.increment(failed))
    if (at->path().extension() == ".jsonl") {
      std::error_code gone;
      const auto time = fs::last_write_time(at->path(), gone);
      if (!gone) found.emplace_back(time, at->path());
    }
  std::sort(found.rbegin(), found.rend());
  return found;
}

/// The files that this process has written.
class OwnFiles {
 public:
  /// The next one's.
  std::string name() {
    const std::lock_guard lock(mutex_);
    std::string name =
        fmt::format("{}{}-{}-{}.jsonl", kFilePrefix, std::time(nullptr), ::getpid(), names_.size());
    names_.insert(name);
    return name;
  }
  bool has(const std::string& name) {
    const std::lock_guard lock(mutex_);
    return names_.contains(name);
  }

 private:
  std::mutex mutex_;
  std::set<std::string> names_;
};

OwnFiles& own_files() {
  static OwnFiles files;
  return files;
}

/// Old files of runs, not those that somebody has put there.
void remove_old_files(const fs::path& directory) {
  const std::vector<Dated> files = files_in(directory);
  const auto yesterday = fs::file_time_type::clock::now() - kDay;
  for (std::size_t i = kMostFilesKept; i < files.size(); ++i) {
    const auto& [time, path] = files[i];
    const std::string name = path.filename().string();
    if (time >= yesterday && i < kMostFilesOfADay) continue;
    if (!name.starts_with(kFilePrefix) || own_files().has(name)) continue;
    std::error_code failed;
    fs::remove(path, failed);
  }
}

}  // namespace

std::string case_line(const SavedCase& one) {
  CaseJson json = {{"schema", kCaseSchema}, {"id", one.id()},       {"operator", one.op},
                   {"dtype", one.dtype},    {"device", one.device}, {"check", one.check},
                   {"code", one.code}};
  if (!one.plugin.empty()) json["plugin"] = one.plugin;
  return json.dump(-1, ' ', false, CaseJson::error_handler_t::replace) + "\n";
}

SavedCase saved_case_of(const Record& record) {
  return {.op = record.op,
          .dtype = std::string(name_of(record.dtype)),
          .device = record.device,
          .plugin = record.plugin.value_or(""),
          .check = record.check,
          .code = record.exhibit ? record.exhibit->code : ""};
}

std::vector<SavedCase> cases_of(const std::vector<Record>& records) {
  std::vector<SavedCase> cases;
  std::set<std::string> ids;
  for (const Record& record : records) {
    if (!record.exhibit || record.exhibit->code.empty()) continue;
    SavedCase one = saved_case_of(record);
    if (one.on_command_line() == one.code || !ids.insert(one.id()).second) continue;
    cases.push_back(std::move(one));
  }
  return cases;
}

std::string cases_directory() {
  const auto variable = [](const char* name) -> std::string {
    const char* value = std::getenv(name);
    return value ? value : "";
  };
  if (const std::string given = variable("NOTAPE_CASES"); !given.empty()) return given;
  if (const std::string state = variable("XDG_STATE_HOME"); state.starts_with('/'))
    return state + "/notape/cases";
  if (const std::string home = variable("HOME"); home.starts_with('/'))
    return home + "/.local/state/notape/cases";
  std::error_code failed;
  const fs::path temporary = fs::temp_directory_path(failed);
  return fmt::format("{}/notape-{}/cases", failed ? "/tmp" : temporary.string(), ::getuid());
}

void keep_cases(const std::vector<SavedCase>& cases) {
  if (cases.empty()) return;
  const fs::path directory = cases_directory();
  std::error_code failed;
  fs::create_directories(directory, failed);
  if (failed) throw BadCase("cannot make directory {}: {}", directory.string(), failed.message());
  std::string text;
  for (const SavedCase& one : cases) text += case_line(one);
  try {
    interchange::OutputFile file((directory / own_files().name()).string());
    file.write(text);
    file.commit();
  } catch (const FileError& error) {
    throw BadCase("{}", error.what_without_backtrace());
  }
  remove_old_files(directory);
}

std::string wanted_case() {
  const char* value = std::getenv("NOTAPE_CASE");
  const std::string id = value ? value : "";
  if (!id.empty() && !is_case_id(id))
    throw BadCase(
        "NOTAPE_CASE: '{}' is no case: one is 'c' and eleven of 0-9 and a-v, as a failure of "
        "check() prints it",
        id.substr(0, 60));
  return id;
}

SavedCase find_case(const std::string& id, const std::string& file_or_directory) {
  std::error_code failed;
  const bool no_runs_yet =
      file_or_directory == cases_directory() && !fs::exists(file_or_directory, failed);
  if (!no_runs_yet && !fs::is_directory(file_or_directory, failed)) {
    if (const auto found = case_in(id, file_or_directory)) return *found;
    throw BadCase("{} has no case {}", file_or_directory, id);
  }
  for (const auto& [time, file] : files_in(file_or_directory))
    if (const auto found = case_in(id, file)) return *found;
  throw BadCase(
      "there is no case {} in {}, where runs on this machine leave theirs; a report has its own: "
      "--cases REPORT/{}",
      id, file_or_directory, kCaseFile);
}

}  // namespace notape::verify
