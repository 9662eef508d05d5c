// Reports of a run with a failure, an undecided check and passes, read back.
#include <gmock/gmock.h>

#include <nlohmann/json.hpp>

#include "autograd/interchange/zlib.h"
#include "verify/command/session_test_helper.h"
#include "verify/report/formats.h"
#include "verify/report/summary.h"

namespace notape::verify {
namespace {

using Json = nlohmann::json;
using ::testing::AllOf;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::StartsWith;

std::size_t count(const std::string& text, const std::string& word) {
  std::size_t found = 0;
  for (auto at = text.find(word); at != std::string::npos; at = text.find(word, at + 1)) ++found;
  return found;
}

/// right: all pass. wrong: reverse fails, second order is not judged.
std::vector<Record> some_records() {
  const Options options{.dtypes = {kFloat64}, .samples = 4, .evidence = true};
  const OpSpec right = right_operator(), wrong = wrong_operator();
  Listener silent;
  return records_of(run({&right, &wrong}, options, silent), options);
}

Record record_of_check(const std::vector<Record>& records, const char* op, const char* check) {
  for (const Record& record : records)
    if (record.op == op && record.check == check) return record;
  ADD_FAILURE() << "no " << check << " of " << op;
  return {};
}

/// `many` copies of the failure, each of its own operator.
std::vector<Record> failures(std::size_t many) {
  std::vector<Record> records;
  for (const Record& record : some_records())
    if (record.verdict == Verdict::Fail) records.assign(many, record);
  return records;
}

TEST(Sarif, HasAResultForWhatIsNotGreenAtTheOperatorsLine) {
  const Json log = Json::parse(sarif_json(some_records()));
  EXPECT_EQ(log.at("version"), "2.1.0");
  const Json& run = log.at("runs").at(0);
  const Json& results = run.at("results");
  ASSERT_EQ(results.size(), 3u);  // FAIL, and two higher orders that were not judged
  const Json& failure = results.at(0);
  EXPECT_EQ(failure.at("ruleId"), "FAIL/formula-behind-the-reverse-and-the-forward-rule");
  EXPECT_EQ(failure.at("level"), "error");
  EXPECT_THAT(failure.at("message").at("text"),
              AllOf(HasSubstr("expected"), HasSubstr("replay: notape verify run wrong")));
  const Json& place = failure.at("locations").at(0).at("physicalLocation");
  EXPECT_THAT(place.at("artifactLocation").at("uri").get<std::string>(),
              EndsWith("mutant_test_helper.h"));
  EXPECT_GT(place.at("region").at("startLine"), 1);
  EXPECT_EQ(failure.at("partialFingerprints").at("checkId/v1"), "wrong/reverse/float64/cpu");
  EXPECT_EQ(results.at(1).at("level"), "warning");
  EXPECT_EQ(results.at(1).at("ruleId"), "UNRESOLVED/second-order");
  std::vector<std::string> rules;
  for (const Json& rule : run.at("tool").at("driver").at("rules")) rules.push_back(rule.at("id"));
  for (const Json& result : results)
    EXPECT_THAT(rules, ::testing::Contains(result.at("ruleId").get<std::string>()));
}

TEST(Sarif, OfARunWithoutFaultsHasNoResults) {
  const Json log = Json::parse(sarif_json({}));
  EXPECT_THAT(log.at("runs").at(0).at("results"), IsEmpty());
}

TEST(Github, AnnotatesWhatIsRedInOneLineEach) {
  const std::string text = github_annotations(some_records());
  EXPECT_EQ(count(text, "\n"), 1u) << text;
  EXPECT_THAT(text, StartsWith("::error file=verify/mutate/mutant_test_helper.h,line="));
  EXPECT_THAT(text, HasSubstr("::FAIL: wrong/reverse in float64"));
}

TEST(Github, StopsAtTenAndSaysHowManyMore) {
  const std::string text = github_annotations(failures(13));
  EXPECT_EQ(count(text, "\n"), 11u);
  EXPECT_THAT(text, EndsWith("::error::and 3 more\n"));
  EXPECT_EQ(count(github_annotations(failures(10)), "\n"), 10u);
}

TEST(Github, EncodesWhatWorkflowCommandsWouldMisread) {
  std::vector<Record> records = failures(1);
  records[0].exhibit->outcome.message = "50%\nof,it:all";  // of which an annotation is one line
  records[0].file = "a,b:c\nd";
  const std::string text = github_annotations(records);
  EXPECT_THAT(text, AllOf(HasSubstr("file=a%2Cb%3Ac%0Ad,line"), HasSubstr("50%25 of,it:all")));
  EXPECT_EQ(count(text, "\n"), 1u);
}

TEST(Markdown, CountsAndListsFailuresPowerAndTime) {
  const std::string text = markdown(some_records());
  EXPECT_THAT(text, AllOf(HasSubstr("2 operators, 40 checks: 37 pass, 2 unresolved, 1 fail"),
                          HasSubstr("| FAIL | wrong/reverse in float64 |"),
                          HasSubstr("### Slowest"), HasSubstr("| right | ")));
  std::vector<Record> records = failures(1);
  records[0].exhibit->outcome.message = "a|b\nc";
  EXPECT_THAT(markdown(records), HasSubstr("| a\\|b c |"));
}

TEST(Html, NeedsNothingFromAnywhereElse) {
  const std::string page = html_page(some_records());
  for (const char* outside : {"http:", "https:", "src=", "href=", "url(", "@import", "<link"})
    EXPECT_THAT(page, Not(HasSubstr(outside)));
  EXPECT_THAT(page, AllOf(StartsWith("<!doctype html>"), EndsWith("</html>\n")));
}

/// A page with what its rows have inside.
std::string opened(const std::string& page) {
  const std::string begin = "id=\"inside\">";
  const std::size_t at = page.find(begin) + begin.size();
  const std::string_view letters =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string bytes;
  uint32_t bits = 0;
  for (std::size_t i = at; page[i] != '<' && page[i] != '='; ++i) {
    bits = bits << 6 | static_cast<uint32_t>(letters.find(page[i]));
    const std::size_t count = (i - at) % 4;
    if (count > 0) bytes += static_cast<char>(bits >> (6 - 2 * count));
  }
  return page + interchange::inflate(bytes, interchange::Compressed::Gzip, 1 << 24, "page");
}

TEST(Html, ShowsFailuresFirstThenEveryOperatorWithItsLadders) {
  const std::string packed = html_page(some_records()), page = opened(packed);
  EXPECT_THAT(packed, Not(HasSubstr("<table class=\"checks\"")));
  EXPECT_THAT(page, HasSubstr("1 of 40 checks fail"));
  const std::size_t card = page.find("<article class=\"card red\">");
  ASSERT_NE(card, page.npos);
  EXPECT_LT(card, page.find("id=\"operators\""));
  EXPECT_EQ(count(page, "<article"), 1u);
  EXPECT_EQ(count(page, "<details class=\"op "), 2u);
  // The failure's own, and reverse and second order of the right operator.
  EXPECT_GE(count(page, "<svg class=\"ladder\""), 3u);
  EXPECT_THAT(page, HasSubstr("notape verify run wrong --dtype float64 --case "));
  EXPECT_EQ(count(page, "<details"), count(page, "</details>"));
  EXPECT_EQ(count(page, "<svg"), count(page, "</svg>"));
  EXPECT_EQ(count(page, "<table"), count(page, "</table>"));
}

TEST(Html, EscapesWhateverAnOperatorSays) {
  std::vector<Record> records = failures(1);
  records[0].op = "<script>alert(1)</script>";
  records[0].exhibit->outcome.message = "<img>";
  records[0].exhibit->label = "\"><b>";
  const std::string page = html_page(records);
  EXPECT_EQ(count(page, "<script>"), 1u);
  EXPECT_THAT(page, AllOf(Not(HasSubstr("<img>")), Not(HasSubstr("\"><b>"))));
}

TEST(Html, TheHeadlineSaysWhatChecksOfItsColourFound) {
  const auto headline = [](std::vector<std::pair<Verdict, const char*>> found, const Gates& gates) {
    std::vector<Record> records(found.size() + 10, some_records()[0]);
    for (std::size_t i = 0; i < found.size(); ++i)
      std::tie(records[i].verdict, records[i].detail) = found[i];
    const std::string page = html_page(records, gates);
    const std::size_t begin = page.find("<h1>") + 4;
    return page.substr(begin, page.find("</h1>") - begin);
  };
  using enum Verdict;
  const std::string undeclared = "met a kink, a jump or an unbounded slope that is not declared";
  EXPECT_EQ(headline({}, {}), "All 10 checks are well");
  EXPECT_EQ(headline({{Kink, "declared"}}, {}), "All 11 checks are well");
  EXPECT_EQ(headline({{Unresolved, ""}}, {}), "1 of 11 checks could not decide");
  EXPECT_EQ(headline({{Kink, "undeclared"}, {Jump, "undeclared"}}, {}),
            "2 of 12 checks " + undeclared);
  EXPECT_EQ(headline({{Unresolved, ""}, {Kink, "undeclared"}, {Jump, "undeclared"}}, {}),
            "1 of 13 checks could not decide, 2 " + undeclared);
  EXPECT_EQ(headline({{Unresolved, ""}, {Kink, "undeclared"}}, {.strict = true}),
            "1 of 12 checks miss a gate");
  EXPECT_EQ(headline({{Fail, ""}, {Unresolved, ""}}, {.require_power = true}),
            "1 of 12 checks fail, 1 miss a gate");
}

TEST(Html, PillsCountWhatTheHeadlineCounts) {
  std::vector<Record> records(5, record_of_check(some_records(), "right", "reverse"));
  records[0].verdict = records[1].verdict = Verdict::Kink;
  records[1].detail = "undeclared";
  records[2].detectable = 1e-3;
  const std::string page = html_page(records, {.power = {{kFloat64, 1e-6}}});
  const std::string top =
      page.substr(page.find("<h1>"), page.find("</header>") - page.find("<h1>"));
  EXPECT_THAT(top, AllOf(HasSubstr("1 of 5 checks miss a gate"),
                         HasSubstr("<span class=\"pill red\">1 PASS that miss a gate<"),
                         HasSubstr("<span class=\"pill yellow\">1 KINK undeclared<"),
                         HasSubstr("<span class=\"pill green\">1 KINK<"),
                         HasSubstr("<span class=\"pill green\">2 PASS<")));
  EXPECT_THAT(opened(page), HasSubstr("<b>KINK</b>: the point is on a kink"));
}

TEST(Html, APluginsReportNamesThePluginAndNotOurCommit) {
  std::vector<Record> records = some_records();
  for (Record& record : records) {
    record.plugin = "/x/libmyops.so";
    record.environment.emplace_back("plugin", "libmyops.so, commit 1a2b");
  }
  const std::string page = html_page(records);
  const std::string top = page.substr(0, page.find("</header>"));
  EXPECT_THAT(top, HasSubstr("s of checking · libmyops.so, commit 1a2b<"));
  EXPECT_THAT(explain(records[0]), HasSubstr("plugin: libmyops.so, commit 1a2b.\n"));
}

TEST(Summary, ThePowerOfAnOperatorIsThatOfItsExactSlope) {
  Record reverse = record_of_check(some_records(), "right", "reverse"), exact = reverse;
  reverse.detectable = 1e-8;
  exact.check = "exact-slope";
  exact.detectable = 1e-14;
  EXPECT_EQ(by_operator({reverse, exact}, {})[0].detectable.at(kFloat64), 1e-14);
  EXPECT_EQ(by_operator({reverse}, {})[0].detectable.at(kFloat64), 1e-8);
}

TEST(Explain, SaysNothingOfTheDerivativesBehindALimit) {
  Record limit = record_of_check(some_records(), "right", "reverse");
  limit.verdict = Verdict::Limit;
  EXPECT_THAT(explain(limit),
              AllOf(HasSubstr("no derivative of this order was judged"),
                    Not(HasSubstr("would have been seen")), Not(HasSubstr("could have hidden"))));
}

TEST(Html, OfNothingSaysSo) { EXPECT_THAT(html_page({}), HasSubstr("Nothing was checked")); }

TEST(Explain, TellsAFailureWithItsLegsAndItsLadder) {
  const std::string text = explain(failures(1).front());
  EXPECT_THAT(text, AllOf(StartsWith("wrong/reverse in float64 on cpu: FAIL, a value or derivative "
                                     "is wrong."),
                          HasSubstr("Is the gradient the slope?"),
                          HasSubstr("The guilty entry is the gradient of argument 0 at []"),
                          HasSubstr("reverse = forward != numeric = dual"),
                          HasSubstr("= = = how far off reverse is"), HasSubstr("h = 2^-5"),
                          HasSubstr("Blame falls on"), HasSubstr("--case 1")));
}

TEST(Explain, TellsOfAPassWhatItCouldHaveMissed) {
  const std::string text = explain(record_of_check(some_records(), "right", "reverse"));
  EXPECT_THAT(text, AllOf(StartsWith("right/reverse in float64 on cpu: PASS"),
                          HasSubstr("A relative error above"), HasSubstr("The weakest case"),
                          HasSubstr("reverse = forward = numeric = dual")));
}

TEST(Summary, SaysHowFarApartNumbersAre) {
  EXPECT_EQ(apart_text({"x", 2, 2.00002, 4.5e10}),
            "4.5e+10 units in the last place (1e-05 relative)");
  EXPECT_EQ(apart_text({"x", 0, -0.25, 1e300}), "0.25, where 0 is expected");
  EXPECT_EQ(apart_text({"x", 1, HUGE_VAL, HUGE_VAL}), "further than numbers go");
  EXPECT_THAT(failure_text(failures(1).front()), HasSubstr(" relative)\n"));
}

TEST(Summary, CountsOneAsOne) {
  EXPECT_EQ(counted(1, "check"), "1 check");
  EXPECT_EQ(counted(0, "check"), "0 checks");
  EXPECT_EQ(counted(1234, "check"), "1,234 checks");
  Record record = failures(1).front();
  record.cases = record.comparisons = 1;
  EXPECT_THAT(explain(record), HasSubstr("1 random case (seed 1) gave 1 comparison in "));
  EXPECT_THAT(markdown({record}), HasSubstr("1 operator, 1 check: 1 fail."));
}

TEST(Gates, MakeYellowRed) {
  using enum Verdict;
  const Gates none, power{.require_power = true}, strict{.strict = true};
  EXPECT_EQ(colour_of(Unresolved, "", none), Colour::Yellow);
  EXPECT_EQ(colour_of(Unresolved, "", power), Colour::Red);
  EXPECT_EQ(colour_of(Kink, "undeclared", none), Colour::Yellow);
  EXPECT_EQ(colour_of(Kink, "undeclared", strict), Colour::Red);
  EXPECT_EQ(colour_of(Kink, "", strict), Colour::Green);
  EXPECT_EQ(count(sarif_json(some_records(), power), "\"level\": \"error\""), 6u);  // with rules
}

}  // namespace
}  // namespace notape::verify
