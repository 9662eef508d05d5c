// The files of a run, read back.
#include "verify/command/files.h"

#include <gmock/gmock.h>

#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "verify/command/session_test_helper.h"
#include "verify/report/formats.h"
#include "verify/report/json.h"
#include "verify/report/record_fields.h"

namespace notape::verify {
namespace {

using Json = nlohmann::json;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::StartsWith;

std::string read_file(const std::string& path) {
  std::ostringstream text;
  text << std::ifstream(path).rdbuf();
  return text.str();
}

std::size_t count(const std::string& text, const std::string& word) {
  std::size_t found = 0;
  for (auto at = text.find(word); at != std::string::npos; at = text.find(word, at + 1)) ++found;
  return found;
}

std::vector<Json> certificates_in(const std::string& path) {
  std::vector<Json> all;
  std::istringstream file(bundle_text(path));
  for (std::string line; std::getline(file, line);) all.push_back(Json::parse(line));
  return all;
}

TEST(Files, EveryLineOfJsonIsACertificateWithAllItsFields) {
  const testing::TemporaryFolder folder;
  const OpSpec right = right_operator(), wrong = wrong_operator();
  say({"--out", folder / "new/report", "--format", "json", "--seed", "4"}, {&right, &wrong});
  const auto certificates = certificates_in(folder / "new/report/certificates.jsonl.gz");
  ASSERT_EQ(certificates.size(), 84u);
  EXPECT_FALSE(std::filesystem::exists(folder / "new/report/junit.xml"));
  std::vector<std::string> ids;
  for (const Json& one : certificates) {
    for (const char* field : {"id", "verdict", "detail", "check", "dtype", "device"})
      EXPECT_TRUE(one.at(field).is_string()) << field;
    for (const char* field : {"subject", "acceptance", "power", "environment", "random", "cost"})
      EXPECT_TRUE(one.at(field).is_object()) << field;
    EXPECT_EQ(one.at("schema"), kCertificateSchema);
    EXPECT_EQ(one.at("random").at("seed"), 4);
    EXPECT_GT(one.at("subject").at("line"), 0);
    EXPECT_THAT(one.at("subject").at("file"), StartsWith("verify/"));
    if (one.at("verdict") != "UNRESOLVED") {
      EXPECT_GT(one.at("cost").at("comparisons"), 0);
      EXPECT_TRUE(one.contains("case")) << one.at("id");
    }
    ids.push_back(one.at("id"));
  }
  std::sort(ids.begin(), ids.end());
  EXPECT_EQ(std::adjacent_find(ids.begin(), ids.end()), ids.end()) << "ids must be unique";
}

TEST(Files, AFailureInJsonHasItsEvidence) {
  const testing::TemporaryFolder folder;
  const OpSpec wrong = wrong_operator();
  say({"--out", folder / "report", "--dtype", "float64"}, {&wrong});
  int failures = 0;
  for (const Json& one : certificates_in(folder / "report/certificates.jsonl.gz")) {
    if (one.at("check") != "reverse") continue;
    ++failures;
    EXPECT_EQ(one.at("verdict"), "FAIL");
    EXPECT_THAT(one.at("replay"), StartsWith("notape verify run wrong --dtype float64 --case 1"));
    const Json& shown = one.at("case");
    EXPECT_GE(shown.at("evidence").at("ladder").size(), 20u);
    EXPECT_FALSE(shown.at("inputs").empty());
    const Json& guilty = shown.at("guilty");
    const double expected = guilty.at("expected").at("decimal"),
                 got = guilty.at("got").at("decimal");
    EXPECT_NEAR(got, 1.5 * expected, 1e-12);
    EXPECT_EQ(std::strtod(guilty.at("got").at("hex").get<std::string>().c_str(), nullptr), got);
  }
  EXPECT_EQ(failures, 1);
}

TEST(Files, NumbersThatJsonLacksAreWords) {
  const OpSpec spec = right_operator();
  Certificate certificate{.spec = &spec, .check = "reverse"};
  certificate.failure = Exhibit{.outcome = {.guilty = Guilty{"x", NAN, HUGE_VAL, -HUGE_VAL}}};
  certificate.failure->outcome.message = "not UTF-8: \xff";
  const Json one = Json::parse(certificate_json(record_of(certificate)));
  const Json& guilty = one.at("case").at("guilty");
  EXPECT_EQ(guilty.at("expected"), "nan");
  EXPECT_EQ(guilty.at("got"), "inf");
  EXPECT_EQ(guilty.at("ulps"), "-inf");
}

/// The names of open tags after reading `xml`: empty if it is well-formed. Knows what JUnit needs.
std::vector<std::string> open_tags(const std::string& xml) {
  std::vector<std::string> open;
  const auto broken = [&](const std::string& why) {
    return std::vector<std::string>{"broken: " + why};
  };
  for (std::size_t at = 0; at < xml.size();) {
    if (xml[at] != '<') {
      const std::string rest = xml.substr(at, 6);
      const bool entity = rest.starts_with("&lt;") || rest.starts_with("&gt;") ||
                          rest.starts_with("&amp;") || rest.starts_with("&quot;");
      if (xml[at] == '&' && !entity) return broken("a bare &");
      if (static_cast<unsigned char>(xml[at]) < 0x20 && xml[at] != '\n' && xml[at] != '\t')
        return broken("a control character");
      ++at;
      continue;
    }
    const std::size_t end = xml.find('>', at);
    if (end == std::string::npos) return broken("a tag without end");
    const std::string tag = xml.substr(at + 1, end - at - 1);
    if (tag.find('<') != std::string::npos || std::count(tag.begin(), tag.end(), '"') % 2)
      return broken(tag);
    const std::string name = tag.substr(0, tag.find_first_of(" /?", 1));
    if (tag[0] == '/') {
      if (open.empty() || "/" + open.back() != tag) return broken("</" + tag);
      open.pop_back();
    } else if (tag[0] != '?' && tag.back() != '/') {
      open.push_back(name);
    }
    at = end + 1;
  }
  return open;
}

TEST(Files, JUnitIsWellFormedAndItsCountsAreRight) {
  const testing::TemporaryFolder folder;
  const OpSpec right = right_operator(), wrong = wrong_operator();
  say({"--out", folder / "report", "--format", "junit"}, {&right, &wrong});
  EXPECT_FALSE(std::filesystem::exists(folder / "report/certificates.jsonl.gz"));
  const std::string xml = read_file(folder / "report/junit.xml");
  EXPECT_THAT(xml, StartsWith("<?xml version=\"1.0\" encoding=\"UTF-8\"?>"));
  EXPECT_THAT(open_tags(xml), IsEmpty());
  EXPECT_EQ(count(xml, "<testsuite "), 2u);
  EXPECT_EQ(count(xml, "<testcase "), 82u);
  // Right: 41 of 41. Wrong: reverse fails, higher orders (the third is one of float64 alone) and
  // longer cases are not judged, and the forward rule, which is the same formula, agrees with the
  // reverse rule.
  EXPECT_THAT(xml, AllOf(HasSubstr("name=\"right\" tests=\"41\" failures=\"0\" errors=\"0\" "
                                   "skipped=\"0\""),
                         HasSubstr("name=\"wrong\" tests=\"41\" failures=\"2\" errors=\"0\" "
                                   "skipped=\"5\"")));
  EXPECT_EQ(count(xml, "<failure "), 2u);
  EXPECT_EQ(count(xml, "<skipped "), 5u);
}

TEST(Files, JUnitEscapesWhateverAnOperatorSays) {
  const OpSpec spec = named("a<b>&\"c\"", right_operator());
  Certificate certificate{.spec = &spec, .check = "reverse", .verdict = Verdict::Fail};
  certificate.detail = "<&>\" \x01\r";
  certificate.failure = Exhibit{.outcome = {.message = "]]> </failure> & \x02"}};
  const std::string xml = junit_xml({record_of(certificate)});
  EXPECT_THAT(open_tags(xml), IsEmpty()) << xml;
  EXPECT_EQ(count(xml, "</failure>"), 1u);
}

TEST(Files, AnOutThatCannotBeWrittenIsOneClearLineAndExitCode2BeforeAnythingRuns) {
  const testing::TemporaryFolder folder;
  std::ofstream(folder / "file") << "in the way";
  std::filesystem::create_directories(folder / "taken/junit.xml");
  const OpSpec never = operator_that([] { ADD_FAILURE() << "the operator ran"; });
  for (const char* name : {"file", "file/below", "taken"}) {
    const Said said = say({"--out", folder / name}, {&never});
    EXPECT_EQ(said.code, 2) << name;
    EXPECT_THAT(said.err, AllOf(StartsWith("notape verify: cannot "), HasSubstr(folder / name)));
    EXPECT_EQ(count(said.err, "\n"), 1u) << said.err;
    EXPECT_THAT(said.out, IsEmpty());
  }
}

}  // namespace
}  // namespace notape::verify
