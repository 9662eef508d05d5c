// Reports of checks of one's own functions as files.
#include <fstream>
#include <iterator>

#include "autograd/testing/expect.h"
#include "autograd/testing/temporary_folder.h"
#include "verify/functions/gradcheck_test_helper.h"
#include "verify/report/json.h"

namespace notape::verify {
namespace {

using ::testing::HasSubstr;

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
