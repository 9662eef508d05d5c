// replay, explain, diff and render as commands.
#include "verify/command/certificates.h"

#include <gmock/gmock.h>

#include "verify/command/session_test_helper.h"
#include "verify/report/json.h"
#include "verify/runner/selector.h"

namespace notape::verify {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::StartsWith;

/// Runs `specs` and keeps their certificates.
class CertificateCommands : public ::testing::Test {
 protected:
  std::string bundle(const SpecList& specs, const char* name = "report", const char* seed = "1") {
    say({"all", "--out", folder_ / name, "--format", "json", "--samples", "3", "--seed", seed,
         "--quiet"},
        specs);
    // As it was before it was compressed, which is read, too.
    const std::string path = folder_ / (std::string(name) + "/certificates.jsonl");
    const std::string text = bundle_text(path);
    std::ofstream(path) << text;
    return path;
  }
  /// Puts `text` in place of `from` in a file.
  static void edit(const std::string& path, const std::string& from, const std::string& text) {
    std::ifstream file(path);
    std::string all((std::istreambuf_iterator<char>(file)), {});
    ASSERT_NE(all.find(from), all.npos) << from;
    for (auto at = all.find(from); at != all.npos; at = all.find(from, at + text.size()))
      all.replace(at, from.size(), text);
    std::ofstream(path) << all;
  }

  const testing::TemporaryFolder folder_;
  const OpSpec right_ = right_operator(), wrong_ = wrong_operator();
};

TEST_F(CertificateCommands, ReplayGivesTheSameBitsForEveryCertificateOfSeveralOperators) {
  const SpecList specs = select(op_specs(), {"tanh", "mm", "softmax", "index", "conv2d"});
  const Said said = say({"replay", bundle(specs), "--id", "*"}, specs);
  EXPECT_EQ(said.code, 0) << said.out << said.err;
  EXPECT_THAT(said.out, AllOf(HasSubstr("conv2d/reverse/float32/cpu, case "),
                              Not(HasSubstr("differ")), Not(HasSubstr("other bits"))));
}

TEST_F(CertificateCommands, ReplayOfAFailureGivesTheSameBitsAndExitCode1) {
  const Said said =
      say({"replay", bundle({&wrong_}), "--id", "wrong/reverse/float64/cpu"}, {&wrong_});
  EXPECT_EQ(said.code, 1) << said.err;
  EXPECT_THAT(said.out,
              AllOf(HasSubstr("wrong/reverse/float64/cpu, case 1\n"), HasSubstr("the same bits")));
}

TEST_F(CertificateCommands, ReplayOfAnotherOperatorOfThatNameIsExitCode4AndNamesTheLeg) {
  const OpSpec changed = named("right", tanh_too_steep(1 + 0x1p-52));
  const std::string path = bundle({&right_});
  const std::vector<std::string> words = {"replay", path, "--id", "right/reverse/float64/cpu"};
  const Said said = say(words, {&changed});
  EXPECT_EQ(said.code, 4) << said.out;
  EXPECT_THAT(said.out, AllOf(HasSubstr("reverse   slope: "), HasSubstr("numeric   "),
                              HasSubstr("other bits in the same environment")));
  auto numeric_only = words;
  numeric_only.insert(numeric_only.end(), {"--leg", "numeric"});
  EXPECT_EQ(say(numeric_only, {&changed}).code, 0);
}

TEST_F(CertificateCommands, ReplayElsewhereSaysWhatDiffersInTheEnvironment) {
  const OpSpec changed = named("right", tanh_too_steep(1 + 0x1p-52));
  const std::string path = bundle({&right_});
  edit(path, "\"reference\":\"binary128\"", "\"reference\":\"abacus\"");
  const Said said = say({"replay", path, "--id", "right/reverse/float64/cpu"}, {&changed});
  EXPECT_EQ(said.code, 0) << said.out;
  EXPECT_THAT(said.out, HasSubstr("    reference: abacus then, binary128 now\n"));
}

TEST_F(CertificateCommands, ReplayWithTraceShowsResultsAndSteps) {
  const Said said =
      say({"replay", bundle({&wrong_}), "--id", "wrong/reverse/float64/cpu", "--trace"}, {&wrong_});
  EXPECT_THAT(said.out, AllOf(HasSubstr("input 0        0x0p+0 (0)"), HasSubstr("output"),
                              HasSubstr("gradient 0"), HasSubstr("h = 2^-40")));
}

TEST_F(CertificateCommands, ABundleOfManyNeedsAnIdAndSuggestsTheFirstRedOne) {
  const std::string path = bundle({&right_, &wrong_});
  const Said said = say({"replay", path}, {});
  EXPECT_EQ(said.code, 2);
  EXPECT_THAT(said.err, HasSubstr("holds 70 certificates; say which, as --id "
                                  "wrong/reverse/float64/cpu"));
  EXPECT_EQ(say({"explain", path, "--id", "nobody/*"}, {}).code, 2);
  const Said told = say({"explain", path, "--id", "wrong/reverse/float64/cpu"}, {});
  EXPECT_EQ(told.code, 0);
  EXPECT_THAT(told.out, StartsWith("wrong/reverse in float64 on cpu: FAIL"));
}

TEST_F(CertificateCommands, ExplainWithoutAnIdTellsWhatFailed) {
  const Said said = say({"explain", bundle({&right_, &wrong_})}, {});
  EXPECT_EQ(said.code, 0) << said.err;
  EXPECT_THAT(
      said.out,
      AllOf(StartsWith("2 of 70 checks failed\n\nwrong/reverse in float64 on cpu: "
                       "FAIL"),
            HasSubstr("\nwrong/reverse in float32 on cpu: FAIL"), Not(HasSubstr("right/"))));
  EXPECT_EQ(say({"explain", bundle({&right_}, "good")}, {}).out,
            "0 of 32 checks failed; --id NAME tells of another, --id '*' of all\n\n");
}

TEST_F(CertificateCommands, ExplainDrawsTheStepLadder) {
  const std::string path = bundle({&right_, &wrong_}), picture = folder_ / "ladder.svg";
  const auto draw = [&](const std::string& id, const std::string& file) {
    return say({"explain", path, "--id", id, "--picture", file}, {});
  };
  for (const auto& [op, said] : {std::pair("wrong", "class=\"bad\">reverse is off by"),
                                 std::pair("right", "class=\"good\">reverse is ")}) {
    EXPECT_EQ(draw(std::string(op) + "/reverse/float64/cpu", picture).code, 0);
    std::ifstream file(picture);
    const std::string svg((std::istreambuf_iterator<char>(file)), {});
    EXPECT_THAT(svg, AllOf(StartsWith("<svg "), HasSubstr(said), HasSubstr("</svg>")));
  }
  EXPECT_EQ(draw("wrong/reverse/float64/cpu", folder_ / "ladder.png").code, 2);
  EXPECT_THAT(draw("*/reverse/float64/cpu", picture).err, HasSubstr("--id chooses 2"));
  EXPECT_THAT(draw("right/modes/float64/cpu", picture).err, HasSubstr("has no step ladder"));
  EXPECT_EQ(draw("wrong/reverse/float64/cpu", "/no/such/folder/x.svg").code, 2);
}

TEST_F(CertificateCommands, DiffOfAGoodAndABadRunIsExitCode1AndTheOtherWayRound0) {
  const OpSpec repaired = named("wrong", tanh_too_steep(1));
  const std::string good = bundle({&repaired}, "good"), bad = bundle({&wrong_}, "bad");
  const Said worse = say({"diff", good, bad}, {});
  EXPECT_EQ(worse.code, 1);
  EXPECT_THAT(worse.out, AllOf(HasSubstr("new reds (2)"), HasSubstr("FAIL: wrong/reverse")));
  const Said better = say({"diff", bad, good}, {});
  EXPECT_EQ(better.code, 0);
  EXPECT_THAT(better.out, HasSubstr("fixed (2)"));
}

TEST_F(CertificateCommands, RenderGivesWhatTheRunItselfWrote) {
  say({"--out", folder_ / "all", "--samples", "3"}, {&right_, &wrong_});
  const struct {
    const char *format, *file;
  } forms[] = {{"json", "certificates.jsonl.gz"},
               {"junit", "junit.xml"},
               {"html", "index.html"},
               {"sarif", "verify.sarif"},
               {"markdown", "summary.md"}};
  for (const auto& form : forms) {
    const Said said =
        say({"render", folder_ / "all/certificates.jsonl.gz", "--format", form.format}, {});
    EXPECT_EQ(said.code, 0) << said.err;
    EXPECT_EQ(said.out, bundle_text(folder_ / (std::string("all/") + form.file))) << form.format;
    EXPECT_FALSE(said.out.empty());
  }
}

TEST_F(CertificateCommands, RenderHasNoOutAndSaysWhereItWrites) {
  const Said said = say({"render", "--out", folder_ / "x"}, {});
  EXPECT_EQ(said.code, 2);
  EXPECT_THAT(said.err, HasSubstr("--out: render writes to standard output; say `> FILE`"));
  EXPECT_THAT(say({"render", "--help"}, {}).out, HasSubstr("to standard output"));
}

TEST_F(CertificateCommands, HtmlComesWithItsCertificatesAndGithubGoesToStandardOutput) {
  say({"--out", folder_ / "page", "--samples", "2", "--format", "html"}, {&right_});
  EXPECT_TRUE(std::filesystem::exists(folder_ / "page/index.html"));
  EXPECT_TRUE(std::filesystem::exists(folder_ / "page/certificates.jsonl.gz"));
  const Said said = say({"--samples", "2", "--format", "github"}, {&wrong_});
  EXPECT_EQ(said.code, 1);
  EXPECT_THAT(said.out, HasSubstr("\n::error file=verify/mutate/mutant_test_helper.h,line="));
}

TEST_F(CertificateCommands, BadFilesAndBadWordsAreOneLineAndExitCode2) {
  std::filesystem::create_directory(folder_ / "directory");
  folder_.write("empty", "");
  folder_.write("text", "certificate of good conduct\n");
  const std::string good = bundle({&right_}), future = bundle({&right_}, "future");
  edit(future, "certificate/1", "certificate/9");
  std::filesystem::copy_file(good, folder_ / "short");
  std::filesystem::resize_file(folder_ / "short", 1000);
  std::vector<std::vector<std::string>> calls;
  for (const std::string name : {"directory", "empty", "text", "short", "absent"})
    for (const char* command : {"explain", "replay", "render", "diff"})
      calls.push_back({command, folder_ / name});
  calls.push_back({"explain", future});
  for (auto& call : calls) {
    if (call[0] == "render") call.insert(call.end(), {"--format", "junit"});
    if (call[0] == "diff") call.push_back(good);
  }
  calls.insert(calls.end(), {{"render", good, "--format", "yaml"},
                             {"render", good},
                             {"explain"},
                             {"diff", good},
                             {"replay", good, "--id", "*", "--leg", "wooden"}});
  for (const auto& call : calls) {
    const Said said = say(call, {&right_});
    EXPECT_EQ(said.code, 2) << ::testing::PrintToString(call);
    EXPECT_THAT(said.err, StartsWith("notape verify: "));
    EXPECT_EQ(std::count(said.err.begin(), said.err.end(), '\n'), 1) << said.err;
    EXPECT_THAT(said.out, IsEmpty());
  }
}

TEST_F(CertificateCommands, ReplayWithoutTheOperatorIsExitCode2) {
  const Said said = say({"replay", bundle({&right_}), "--id", "*"}, {&wrong_});
  EXPECT_EQ(said.code, 2);
  EXPECT_THAT(said.err, HasSubstr("there is no operator 'right' here"));
}

TEST_F(CertificateCommands, EachHasHelp) {
  for (const char* command : {"explain", "replay", "render", "diff"})
    EXPECT_THAT(say({command, "--help"}, {}).out, HasSubstr("notape verify"));
}

TEST_F(CertificateCommands, ThePowerGateIsExitCode3) {
  const auto code = [&](std::vector<std::string> words) { return say(words, {&right_}).code; };
  EXPECT_EQ(code({"--power", "1e-2"}), 0);
  EXPECT_EQ(code({"--power", "1e-10", "--dtype", "float64"}), 0);
  EXPECT_EQ(code({"--power", "1e-10"}), 3);
  EXPECT_EQ(code({"--power", "float64=1e-10,float32=1e-2"}), 0);
  EXPECT_EQ(code({"--power", "float64=1e-15"}), 3);
  EXPECT_EQ(say({"--power", "1e-15"}, {&wrong_}).code, 1);
  for (const char* nonsense : {"much", "-1", "0", "float8=1", "float64=", "nan"})
    EXPECT_EQ(code({"--power", nonsense}), 2) << nonsense;
}

}  // namespace
}  // namespace notape::verify
