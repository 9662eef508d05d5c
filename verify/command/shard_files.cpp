#include "verify/command/shard_files.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <memory>

#include "autograd/interchange/input_file.h"
#include "autograd/interchange/zlib.h"
#include "verify/command/files.h"
#include "verify/command/words.h"
#include "verify/processes/interruption.h"
#include "verify/processes/packed.h"
#include "verify/report/environment.h"
#include "verify/report/json.h"

namespace notape::verify {

NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(WorkerDeath, doing, how)

namespace {

constexpr int kNotAllThere = 5;
constexpr const char* kShardSchema = "notape.shard/1";
constexpr std::string_view kCampaigns[] = {"alias", "mutate", "calibrate", "exhaustive"};
constexpr std::string_view kOthers[] = {"atlas",  "engines", "digests", "list", "replay",
                                        "render", "explain", "diff",    "merge"};
constexpr const char* kLoneCertificates = " certificates of shard ";

/// What a shard's file holds.
struct ShardFile {
  std::string schema, commit;
  std::vector<std::string> words;  ///< the whole command's
  int part = 0, parts = 0;
  std::size_t tasks = 0, done = 0;
  double seconds = 0;
  std::map<std::string, std::string> answers;
  std::map<std::string, WorkerDeath> deaths;
};
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(ShardFile, schema, commit, words, part, parts, tasks, done,
                                   seconds, answers, deaths)

bool is_one_of(std::span<const std::string_view> names, const std::vector<std::string>& words) {
  return !words.empty() && std::find(names.begin(), names.end(), words[0]) != names.end();
}

/// Takes `--name VALUE` or `--name=VALUE` out of the words.
std::optional<std::string> take_option(std::vector<std::string>& words, const std::string& name) {
  for (auto word = words.begin(); word != words.end(); ++word) {
    if (word->starts_with(name + "=")) {
      const std::string value = word->substr(name.size() + 1);
      words.erase(word);
      return value;
    }
    if (*word != name) continue;
    if (word + 1 == words.end()) throw UsageError("{}: a value is missing", name);
    const std::string value = word[1];
    words.erase(word, word + 2);
    return value;
  }
  return {};
}

Work::Time time_after(const std::string& budget) {
  const std::chrono::duration<double> seconds(seconds_of(budget, "--budget"));
  return std::chrono::steady_clock::now() +
         std::chrono::duration_cast<std::chrono::steady_clock::duration>(seconds);
}

void read_part(const std::string& text, Shards& shards) {
  const std::size_t slash = std::min(text.find('/'), text.size());
  shards.parts = number_within<int>(slash < text.size() ? text.substr(slash + 1) : "",
                                    "--shard I/N: N", 1, 1'000'000);
  shards.part = number_within<int>(text.substr(0, slash), "--shard I/N: I", 1, shards.parts);
}

void expect_one_seed(const std::vector<std::string>& words) {
  std::vector<std::string> rest = words;
  const auto seed = take_option(rest, "--seed");
  if (seed == "fresh" || (!seed && words.front() == "alias"))
    throw UsageError("--shard: all shards need the same cases; add --seed NUMBER");
}

std::string file_name(int part, int parts) { return fmt::format("shard-{}-of-{}.gz", part, parts); }

std::string command_line(const std::vector<std::string>& words) {
  std::string line = "notape verify";
  for (const std::string& word : words) line += " " + in_shell(word);
  return line;
}

int run_shard(std::vector<std::string> words, const std::string& shard, const Session& session,
              Answer answer) {
  if (is_one_of(kOthers, words) || take_option(words, "--case") || take_option(words, "--replay"))
    throw UsageError("--shard: this is no work that can be shared out");
  Shards shards;
  read_part(shard, shards);
  expect_one_seed(words.empty() ? std::vector<std::string>{"all"} : words);
  const std::string folder = take_option(words, "--out").value_or(".");
  for (const char* option : {"--format", "--json"})
    if (take_option(words, option))
      throw UsageError("{}: a shard has no report; give it to `notape verify merge`", option);
  std::erase(words, "--quiet");
  const std::string jobs = take_option(words, "--jobs").value_or("1");
  const auto budget = take_option(words, "--budget"), history = take_option(words, "--history");
  std::vector<std::string> all = words;
  all.insert(all.end(), {"--jobs", jobs});
  if (budget && is_one_of(kCampaigns, words))
    shards.until = time_after(*budget);
  else if (budget)
    all.insert(all.end(), {"--budget", *budget});
  if (history) all.insert(all.end(), {"--history", *history});
  ResultFiles file;
  file.add(folder, file_name(shards.part, shards.parts));
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> nowhere(std::fopen("/dev/null", "w"),
                                                                std::fclose);
  Session silent = session;
  if (nowhere) silent.out = nowhere.get();
  const auto start = std::chrono::steady_clock::now();
  int code = 0;
  {
    const ShardsGuard here(&shards);
    code = answer(all, silent);
  }
  if (Interruption::requested() || !shards.began) return code;
  const ShardFile written{.schema = kShardSchema,
                          .commit = value_of(environment(), "commit"),
                          .words = words,
                          .part = shards.part,
                          .parts = shards.parts,
                          .tasks = shards.tasks,
                          .done = shards.done,
                          .seconds = seconds_since(start),
                          .answers = std::move(shards.answers),
                          .deaths = std::move(shards.deaths)};
  file.publish({packed(written)}, false);
  fmt::print(session.out, "shard {}/{}: {} of {} parts of its work done, in {}\n", shards.part,
             shards.parts, shards.done, shards.tasks,
             (std::filesystem::path(folder) / file_name(shards.part, shards.parts)).string());
  return 0;
}

/// A campaign for a certain time.
int run_within(const std::string& budget, const std::vector<std::string>& words,
               const Session& session, Answer answer) {
  Shards all{.until = time_after(budget)};
  std::vector<std::string> with_jobs = words, rest = words;
  if (!take_option(rest, "--jobs")) with_jobs.insert(with_jobs.end(), {"--jobs", "1"});
  int code = 0;
  {
    const ShardsGuard here(&all);
    code = answer(with_jobs, session);
  }
  if (all.done < all.tasks && !Interruption::requested())
    fmt::print(
        session.out,
        "--budget {} was enough for {} of {} parts of the work: what is said above is of these\n",
        budget, all.done, all.tasks);
  return code == 0 && all.done == 0 && all.began ? kNotAllThere : code;
}

ShardFile read_shard(const std::string& path) {
  constexpr std::size_t kMostBytes = std::size_t{1} << 31;
  try {
    const std::string bytes = interchange::InputFile(path).read_all();
    auto read = unpacked<ShardFile>(
        interchange::inflate(bytes, interchange::Compressed::Gzip, kMostBytes, path));
    if (read.schema == kShardSchema && read.part >= 1 && read.part <= read.parts) return read;
  } catch (const nlohmann::json::exception&) {
  }
  throw UsageError("{}: it is no shard of this version", path);
}

std::vector<std::string> shards_in(const std::vector<std::string>& places) {
  std::vector<std::string> paths;
  for (const std::string& place : places) {
    std::error_code failed;
    if (!std::filesystem::is_directory(place, failed)) {
      paths.push_back(place);
      continue;
    }
    for (const auto& entry : std::filesystem::directory_iterator(place)) {
      const std::string name = entry.path().filename().string();
      if (name.starts_with("shard-") && name.ends_with(".gz"))
        paths.push_back(entry.path().string());
    }
  }
  std::sort(paths.begin(), paths.end());
  if (paths.empty())
    throw UsageError("merge: there are no shards in {}",
                     fmt::format("{}", fmt::join(places, ", ")));
  return paths;
}

}  // namespace

std::optional<int> share_out(std::vector<std::string> words, const Session& session,
                             Answer answer) {
  if (Shards::current() || std::find(words.begin(), words.end(), "--help") != words.end())
    return {};
  if (const auto shard = take_option(words, "--shard"))
    return run_shard(std::move(words), *shard, session, answer);
  if (!is_one_of(kCampaigns, words)) return {};
  const auto budget = take_option(words, "--budget");
  return budget ? std::optional(run_within(*budget, words, session, answer)) : std::nullopt;
}

int merge_shards(std::vector<std::string> words, const Session& session, Answer answer) {
  const auto options = std::find_if(words.begin(), words.end(),
                                    [](const std::string& word) { return word.starts_with('-'); });
  if (options != words.end() && *options == "--help") {
    fmt::print(
        session.out,
        "notape verify merge DIR... [OPTION...]\n\nSays of all shards together (--shard I/N) "
        "what the command would have said that was shared out;\noptions are those of that "
        "command, as --format, --out or --require-power. Exit code: that command's, but\n5 "
        "instead of 0 if a shard is lost. 2: shards of two commands or commits, or one twice.\n");
    return 0;
  }
  Shards all{.merging = true};
  std::map<int, std::string> found;  // paths
  ShardFile first;
  std::size_t tasks = 0, done = 0;
  for (const std::string& path : shards_in({words.begin(), options})) {
    ShardFile one = read_shard(path);
    if (one.commit != value_of(environment(), "commit"))
      throw UsageError("{} is of commit {}, this program of {}", path, one.commit,
                       value_of(environment(), "commit"));
    if (found.empty()) first = one;
    if (one.words != first.words || one.parts != first.parts)
      throw UsageError("{} and {} are shards of two commands: {} ({} shards), {} ({})",
                       found.begin()->second, path, command_line(first.words), first.parts,
                       command_line(one.words), one.parts);
    if (const auto [known, is_new] = found.emplace(one.part, path); !is_new)
      throw UsageError("shard {}/{} is there twice: {} and {}", one.part, one.parts, known->second,
                       path);
    all.answers.merge(one.answers);
    all.deaths.merge(one.deaths);
    tasks += one.tasks;
    done += one.done;
    all.seconds += one.seconds;
  }
  all.parts = first.parts;
  for (int part = 1; part <= all.parts; ++part)
    if (!found.contains(part)) all.lost.insert(part);
  std::vector<std::string> whole = first.words;
  whole.insert(whole.end(), {"--jobs", "1"});
  whole.insert(whole.end(), options, words.end());
  int code = 0;
  {
    const ShardsGuard here(&all);
    code = answer(whole, session);
  }
  if (done < tasks)
    fmt::print(session.out, "--budget was enough for {} of {} parts of the work of these shards\n",
               done, tasks);
  const std::string folder = std::filesystem::path(found.begin()->second).parent_path().string();
  for (const int part : all.lost) {
    std::vector<std::string> again = first.words;
    again.insert(again.end(), {"--shard", fmt::format("{}/{}", part, all.parts), "--out",
                               folder.empty() ? "." : folder});
    fmt::print(session.out, "shard {}/{} is lost; this runs it again: {}\n", part, all.parts,
               command_line(again));
  }
  return code == 0 && !all.lost.empty() ? kNotAllThere : code;
}

std::string lost_text(const Shards& shards) {
  std::vector<std::string> names;
  for (const int part : shards.lost) names.push_back(fmt::format("{}/{}", part, shards.parts));
  return fmt::format("shard{} {}", names.size() > 1 ? "s" : "", fmt::join(names, ", "));
}

void keep_certificates(Shards& shards, const std::vector<Record>& records) {
  shards.answers[kLoneCertificates + std::to_string(shards.part)] = bundle_json(records);
}

std::vector<Certificate> kept_certificates(const Shards& shards, const SpecList& specs) {
  std::vector<Certificate> certificates;
  for (const auto& [name, text] : shards.answers) {
    if (!name.starts_with(kLoneCertificates) || text.empty()) continue;
    for (Record& record : parse_bundle(text, name))
      for (const OpSpec* spec : specs)
        if (record.op == spec->name)
          certificates.push_back(certificate_of(std::move(record), *spec));
  }
  return certificates;
}

}  // namespace notape::verify
