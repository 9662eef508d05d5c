// `notape verify plugin:FILE`: what bad plugins and bad operators come to.
#include "verify/contained/contained_plugin.h"

#include <gmock/gmock.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <regex>

#include "verify/command/session_test_helper.h"
#include "verify/report/json.h"

namespace notape::verify {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

const std::string kBad = std::string("plugin:") + NOTAPE_BAD_OPERATORS;

/// The time is ample for what ends at all.
Said plugin_command(std::vector<std::string> words, const char* seconds = "3") {
  words.insert(words.end(), {"--timeout", seconds, "--memory", "64"});
  return say(words, {});
}

/// The plugin as a whole is bad in this way.
class BadPlugin {
 public:
  explicit BadPlugin(const char* what) { ::setenv("NOTAPE_BAD_PLUGIN", what, 1); }
  ~BadPlugin() { ::unsetenv("NOTAPE_BAD_PLUGIN"); }
  BadPlugin(const BadPlugin&) = delete;
  BadPlugin& operator=(const BadPlugin&) = delete;
};

void expect_refused(const std::string& selector, const std::string& why) {
  for (const char* action : {"run", "list"}) {
    const Said said = plugin_command({action, selector}, "1");
    EXPECT_EQ(said.code, 2) << why;
    EXPECT_THAT(said.out, IsEmpty()) << why;
    EXPECT_THAT(said.err, HasSubstr(why));
    EXPECT_EQ(std::count(said.err.begin(), said.err.end(), '\n'), 1) << said.err;
  }
}

TEST(ContainedPlugin, AFileThatCannotBeLoadedIsOneLineAndExitCode2) {
  const testing::TemporaryFolder folder;
  const std::string text = folder / "text.so", cut = folder / "cut.so";
  std::ofstream(text) << "not a library";
  std::filesystem::copy_file(NOTAPE_BAD_OPERATORS, cut);
  std::filesystem::resize_file(cut, 8192);
  expect_refused("plugin:", "names no file");
  expect_refused("plugin:" + (folder / "none.so"), "there is no file");
  expect_refused("plugin:" + folder / std::string(5000, 'a'),
                 "cannot be looked for: File name too long");
  expect_refused("plugin:" + text, "cannot be loaded");
  expect_refused("plugin:" + cut, "cut.so' cannot be");
  expect_refused("plugin:/dev/null", "cannot be loaded");
  expect_refused(std::string("plugin:") + NOTAPE_LIBRARY, "is no plugin: it exports no");
}

TEST(ContainedPlugin, APluginOfAnotherMakeIsRefusedWithBothValues) {
  const std::pair<const char*, const char*> cases[] = {
      {"abi", "speaks version 77 of the plugin interface, this command 1"},
      {"compiler", "was built with compiler '13.9', this command with '" __VERSION__ "'"},
      {"library", "was built against 'notape 9.9', this is 'notape 0.1"},
      {"rows", "has rows of 8 bytes, this command of "},
      {"null", "notape_plugin_v1 gives nothing"},
      {"name", "an operator's name is not"},
      {"twice", "has two operators called 'crash'"},
      {"crash", "cannot be used: it crashed (SIGSEGV)"},
      {"throw", "threw not today"},
      {"hang", "cannot be used: it gave no answer within 1 s"},
  };
  for (const auto& [what, why] : cases) {
    const BadPlugin bad(what);
    expect_refused(kBad, why);
  }
}

/// A red certificate by the name of its operator. All that it has are of one check.
std::map<std::string, Record> failures_in(const std::string& bundle) {
  std::map<std::string, Record> failures;
  for (const Record& record : read_bundle(bundle))
    if (is_red(record.verdict)) {
      EXPECT_EQ(failures.emplace(record.op, record).first->second.check, record.check) << record.id;
    }
  return failures;
}

TEST(ContainedPlugin, EachBadOperatorIsOneClearVerdictAndTheOthersStillRun) {
  const testing::TemporaryFolder folder;
  const Said said = plugin_command({kBad, "--samples", "6", "--out", folder / "out", "--format",
                                    "json,junit,sarif,markdown,html,github"});
  EXPECT_EQ(said.code, 6) << said.out << said.err;
  const std::string bundle = folder / "out/certificates.jsonl.gz";
  const auto failures = failures_in(bundle);
  const struct {
    const char *op, *verdict, *why;
  } expected[] = {
      {"crash", "ERROR", "it crashed (SIGSEGV) in the check '"},
      {"loop", "ERROR", "it gave no answer within 3 s in the check 'repeat'"},
      {"throw", "ERROR", "no kernel for this   processor"},
      {"leave", "ERROR", "it ended the process with exit(0) when its value was computed"},
      {"scribble", "ERROR", "it ended the process with an answer that makes no sense"},
      {"hog", "ERROR", "MiB of memory in use; 64 MiB are allowed"},
      {"nan", "NONFINITE", ""},
      {"nan_value", "NONFINITE", "the value is NaN at output[0], inside the declared domain"},
      {"overrun", "REJECTED", "forward of overrun wrote past the end of output, at entry"},
      {"tiny_error", "FAIL", ""},
      {"workspace", "FAIL", "changes when the function is called again before its backward"},
      {"race", "NONDETERMINISTIC", "two threads that call it at once get other bits"},
      {"wrong_shape", "FAIL", "shape"},
      {"crash_while_drawing", "ERROR", "it crashed (SIGABRT) while its cases were drawn"},
  };
  EXPECT_EQ(failures.size(), std::size(expected));
  for (const auto& [op, verdict, why] : expected) {
    ASSERT_TRUE(failures.contains(op)) << op << said.out;
    const Record& record = failures.at(op);
    EXPECT_EQ(name_of(record.verdict), verdict) << op;
    EXPECT_THAT(why_of(record), HasSubstr(why));
    EXPECT_EQ(record.plugin, std::string(NOTAPE_BAD_OPERATORS));
    const std::string subject = record.exhibit->code.empty() ? kBad + " " + op : op;
    EXPECT_THAT(record.replay, HasSubstr("notape verify run " + subject + " --dtype"));
  }
  // The smallest input that crashes has two entries.
  EXPECT_THAT(failures.at("crash").exhibit->inputs[0].sizes, ElementsAre(2));
  const auto& guilty = failures.at("tiny_error").exhibit->outcome.guilty;
  ASSERT_TRUE(guilty.has_value());
  EXPECT_THAT(guilty->where, HasSubstr("[2]"));
  EXPECT_THAT(said.out,
              AllOf(HasSubstr("src/kernels.c:12"), HasSubstr("::error file=src/kernels.c,line=12,"),
                    Not(HasSubstr("FAIL: square"))));
  for (const char* file : {"junit.xml", "verify.sarif", "summary.md", "index.html"})
    EXPECT_GT(std::filesystem::file_size(folder / (std::string("out/") + file)), 500U) << file;
  std::ifstream sarif(folder / "out/verify.sarif");
  const std::string text(std::istreambuf_iterator<char>(sarif), {});
  EXPECT_THAT(text, AllOf(HasSubstr(R"("uri": "src/kernels.c")"), HasSubstr(R"("startLine": 12)")));

  // A certificate replays: a crash crashes, a wrong number is wrong in the same bits.
  const Said crash = plugin_command({"replay", bundle, "--id", failures.at("crash").id});
  EXPECT_EQ(crash.code, 6) << crash.err;
  EXPECT_THAT(crash.out, HasSubstr("it crashed (SIGSEGV)"));
  const Said early = plugin_command({"replay", bundle, "--id", "crash_while_drawing/*"});
  EXPECT_EQ(early.code, 2);
  EXPECT_THAT(early.err, HasSubstr(failures.at("crash_while_drawing").replay));
  const Said wrong = plugin_command({"replay", bundle, "--id", failures.at("tiny_error").id});
  EXPECT_EQ(wrong.code, 1) << wrong.err;
  EXPECT_THAT(wrong.out, HasSubstr("the same bits"));
}

TEST(ContainedPlugin, TheReplayCommandOfAFailureReproducesIt) {
  const char* const seconds = "60";  // nothing hangs here, and the machine may be busy
  const Said first = plugin_command({kBad, "tiny_error", "--quiet"}, seconds);
  EXPECT_EQ(first.code, 1);
  const std::string title = "replay     notape verify ";
  const std::size_t at = first.out.find(title);
  ASSERT_NE(at, std::string::npos) << first.out;
  std::istringstream line(first.out.substr(at + title.size()));
  std::vector<std::string> words;
  std::string word;
  for (int i = 0; i < 6 && line >> word; ++i) words.push_back(word);
  EXPECT_LE(words.back().size(), 12U);
  words.push_back("--quiet");
  const Said again = plugin_command(words, seconds);
  EXPECT_EQ(again.code, 1);
  const std::size_t start = first.out.find("FAIL: "), end = first.out.find("\n\n", start);
  EXPECT_THAT(again.out, HasSubstr(first.out.substr(start, end - start)));
}

TEST(ContainedPlugin, ACaseReplaysFromAnotherDirectoryThanTheOneItWasFoundIn) {
  namespace fs = std::filesystem;
  const testing::TemporaryFolder folder;
  fs::create_directory(folder / "elsewhere");
  fs::copy_file(NOTAPE_BAD_OPERATORS, folder / "mine.so");
  const fs::path home = fs::current_path();
  fs::current_path(folder / "");
  const Said first = plugin_command({"plugin:mine.so", "tiny_error", "--dtype", "float64",
                                     "--check", "reverse", "--out", folder / "out"});
  fs::current_path(folder / "elsewhere");
  EXPECT_EQ(first.code, 1) << first.out << first.err;
  const std::size_t at = first.out.find("--case ");
  ASSERT_NE(at, std::string::npos) << first.out;
  const std::string id = first.out.substr(at + 7, 12);
  const Said again = plugin_command({"--case", id});
  EXPECT_EQ(again.code, 1) << again.out << again.err;
  EXPECT_THAT(again.out, HasSubstr("FAIL: tiny_error/reverse in float64"));
  const Said certificate = plugin_command(
      {"replay", folder / "out/certificates.jsonl.gz", "--id", "tiny_error/reverse/*"});
  EXPECT_EQ(certificate.code, 1) << certificate.err;
  EXPECT_THAT(certificate.out, HasSubstr("the same bits"));
  fs::current_path(home);
}

TEST(ContainedPlugin, AFailureOfAPluginThatHasMovedReplaysFromWhereItIsNow) {
  namespace fs = std::filesystem;
  const testing::TemporaryFolder folder;
  const std::string before = folder / "before.so", now = folder / "now.so";
  fs::copy_file(NOTAPE_BAD_OPERATORS, before);
  const Said first = plugin_command({"plugin:" + before, "tiny_error", "--dtype", "float64",
                                     "--check", "reverse", "--out", folder / "out"});
  const std::size_t at = first.out.find("--case ");
  ASSERT_NE(at, std::string::npos) << first.out << first.err;
  const std::vector<std::string> by_code = {"--case", first.out.substr(at + 7, 12)},
                                 by_certificate = {"replay", folder / "out/certificates.jsonl.gz",
                                                   "--id", "tiny_error/reverse/*"};
  fs::rename(before, now);
  for (std::vector<std::string> words : {by_code, by_certificate}) {
    const Said lost = plugin_command(words);
    EXPECT_EQ(lost.code, 2) << lost.out;
    EXPECT_THAT(lost.err, AllOf(HasSubstr("there is no plugin '" + before + "' any more"),
                                HasSubstr("add plugin:FILE.so")));
    EXPECT_EQ(std::count(lost.err.begin(), lost.err.end(), '\n'), 1) << lost.err;
    words.push_back("plugin:" + now);
    const Said found = plugin_command(words);
    EXPECT_EQ(found.code, 1) << found.err;
    EXPECT_THAT(found.out, HasSubstr("tiny_error/reverse"));
  }
}

TEST(ContainedPlugin, TheReplayCommandQuotesWhatAShellWouldTakeApart) {
  const OpSpec spec = named("swish", right_operator());
  const Origin origin{.plugin = "it's mine.so", .file = "a.c"};
  EXPECT_EQ(replay_command({.spec = &spec, .origin = &origin}, ""),
            "notape verify run 'plugin:it'\\''s mine.so' swish --dtype float64");
}

TEST(ContainedPlugin, SelectorsChooseAmongItsOperators) {
  const Said square = plugin_command({kBad, "squ*", "--samples", "4"});
  EXPECT_EQ(square.code, 0) << square.out << square.err;
  EXPECT_THAT(square.out, HasSubstr("1 operator, "));
  const Said list = plugin_command({"list", kBad, "*error", "wrong*"});
  EXPECT_EQ(list.code, 0);
  EXPECT_THAT(list.out, AllOf(HasSubstr("tiny_error"), HasSubstr("src/kernels.c:12"),
                              HasSubstr("bad_operators.cpp:"), HasSubstr("2 operators")));
  const Said whole = plugin_command({"list", kBad});
  EXPECT_EQ(whole.code, 0) << whole.err;
  EXPECT_THAT(whole.out, ::testing::ContainsRegex("crash_while_drawing +[?] "));
  const Said unknown = plugin_command({kBad, "tanh"});
  EXPECT_EQ(unknown.code, 2);
  EXPECT_THAT(unknown.err, HasSubstr("`notape verify list " + kBad + "` shows all 15"));
  EXPECT_EQ(plugin_command({kBad, kBad}).code, 2);
  EXPECT_EQ(plugin_command({kBad, "--device", "cuda"}).code, 2);
}

TEST(ContainedPlugin, JobsSayTheSameAndABudgetAndShardsLeaveOperatorsOut) {
  const auto said = [](std::vector<std::string> words) {
    words.insert(words.begin(), {kBad, "tiny_error", "nan", "square", "--samples", "2", "--check",
                                 "value,reverse"});
    Said one = plugin_command(words);
    one.out = std::regex_replace(one.out, std::regex("[0-9]+\\.[0-9]+( s)?"), "T");
    return one;
  };
  const Said alone = said({});
  EXPECT_EQ(said({"--jobs", "2"}).out, alone.out);
  EXPECT_THAT(said({"--budget", "0.001s", "--jobs", "1"}).out,
              HasSubstr("not run, for want of time: "));
  const testing::TemporaryFolder folder;
  for (const char* shard : {"1/2", "2/2"})
    EXPECT_EQ(said({"--shard", shard, "--out", folder.path()}).code, 0);
  const Said merged = say({"merge", folder.path()}, {});
  EXPECT_EQ(merged.code, alone.code) << merged.err;
  EXPECT_EQ(std::regex_replace(merged.out, std::regex("[0-9]+\\.[0-9]+( s)?"), "T"), alone.out);
}

}  // namespace
}  // namespace notape::verify
