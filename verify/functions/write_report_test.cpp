// Reports of checks of one's own functions as files.
#include <fstream>
#include <iterator>

#include "autograd/testing/expect.h"
#include "autograd/testing/temporary_folder.h"
#include "verify/functions/gradcheck_test_helper.h"
#include "verify/report/formats.h"
#include "verify/report/json.h"

namespace notape::verify {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

std::string text_of(const std::string& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

Report wrong_cube() {
  return check_rules({.forward = [](const Tensor& x) { return x * x * x; },
                      .backward = [](const Tensor& x, const Tensor& g) { return g * x * x * 2; }},
                     x23(), {.name = "cube", .seed = 9});
}

TEST(WriteReport, AllFormsNameTheFunctionAndItsFailure) {
  const notape::testing::TemporaryFolder folder;
  const Report report = wrong_cube();
  for (const char* file : {"a.jsonl", "b.xml", "c.sarif", "d.md", "e.html"}) {
    report.write(folder / file);
    EXPECT_THAT(text_of(folder / file), HasSubstr("cube")) << file;
    EXPECT_THAT(text_of(folder / file), HasSubstr("reverse")) << file;
  }
  EXPECT_THAT(text_of(folder / "e.html"), HasSubstr("<svg"));
}

TEST(WriteReport, CertificatesAreThoseOfTheReport) {
  const notape::testing::TemporaryFolder folder;
  const Report report = wrong_cube();
  report.write(folder / "a.jsonl");
  const std::vector<Record> records = read_bundle(folder / "a.jsonl");
  ASSERT_EQ(records.size(), report.certificates->size());
  for (const Record& record : records) {
    EXPECT_EQ(record.op, "cube");
    EXPECT_EQ(record.seed, 9u);
    EXPECT_GT(record.samples, 0);
  }
}

TEST(WriteReport, AllFormsHaveTheLineThatRunsTheCaseAgain) {
  const notape::testing::TemporaryFolder folder;
  const Report report = wrong_cube();
  ASSERT_THAT(report.text(), HasSubstr("NOTAPE_CASE="));
  for (const char* file : {"a.jsonl", "b.xml", "c.sarif", "d.md", "e.html"}) {
    report.write(folder / file);
    EXPECT_THAT(text_of(folder / file), HasSubstr("NOTAPE_CASE=")) << file;
  }
  for (const Record& record : read_bundle(folder / "a.jsonl")) {
    EXPECT_EQ(record.replay.starts_with("NOTAPE_CASE="), record.is_failure()) << record.id;
    if (record.replay.empty())
      EXPECT_THAT(explain(record), Not(HasSubstr("Run the case again")));
    else
      EXPECT_THAT(explain(record), HasSubstr("Run the case again: NOTAPE_CASE="));
  }
}

TEST(WriteReport, ThePlaceIsThatOfTheCall) {
  const Report report = wrong_cube();
  EXPECT_THAT(report.text(), HasSubstr("checked at "));
  EXPECT_THAT(report.text(), Not(HasSubstr("  rule ")));
  const notape::testing::TemporaryFolder folder;
  report.write(folder / "a.jsonl");
  EXPECT_THAT(explain(read_bundle(folder / "a.jsonl").front()),
              HasSubstr("The function cube is checked at "));
}

TEST(WriteReport, OtherEndingsAndPlacesAreErrors) {
  const notape::testing::TemporaryFolder folder;
  const Report report = wrong_cube();
  notape::testing::expect_error<ValueError>(".jsonl, .xml, .sarif, .md, .html",
                                            [&] { report.write(folder / "a.pdf"); });
  notape::testing::expect_error<FileError>("nowhere",
                                           [&] { report.write(folder / "nowhere/a.md"); });
}

}  // namespace
}  // namespace notape::verify
