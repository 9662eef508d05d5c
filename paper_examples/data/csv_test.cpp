#include "paper_examples/data/csv.h"

#include <gmock/gmock.h>

#include "autograd/testing/temporary_folder.h"
#include "ops/ops.h"
#include "paper_examples/testing/gzipped.h"
#include "paper_examples/testing/message_of.h"

namespace notape::data {
namespace {

using ::testing::HasSubstr;

TEST(ReadCsv, ReadsGzipAndPlainFiles) {
  const testing::TemporaryFolder folder;
  const std::string text = "1,-2.5\r\n1e3,4\n";
  for (const std::string& content : {text, gzipped(text)}) {
    const CsvTable table = read_csv(folder.write("a.csv", content));
    EXPECT_TRUE(table.values.equal(tensor({{1.0, -2.5}, {1000.0, 4.0}}, kFloat64)));
  }
}

TEST(ParseCsv, TakesWhatSpreadsheetsWrite) {
  for (const char* text : {"1,2\n3,4\n\n",
                           "\xef\xbb\xbf"
                           "1,2\n3,4",
                           "1,2\r\n3,4\r\n\r\n", "+1,2\n3,+4"})
    EXPECT_TRUE(parse_csv(text, "a.csv").values.equal(tensor({{1, 2}, {3, 4}}, kFloat64))) << text;
}

TEST(ParseCsv, FindsColumnsByTheNamesOfTheFirstLine) {
  const CsvTable table = parse_csv("user,rating\n1,2.5\n3,4", "r.csv", CsvHeader::Names);
  EXPECT_TRUE(table.column("rating").equal(tensor({2.5, 4.0}, kFloat64)));
  EXPECT_EQ(message_of<ValueError>([&] { table.column("item"); }),
            "CsvTable: there is no column 'item' in: user, rating");
}

TEST(ParseCsv, NamesFileLineAndByteOfWhatItCannotRead) {
  const std::pair<const char*, const char*> cases[] = {
      {"", "a.csv: no rows in it"},
      {"1,2\n\n3,4\n", "a.csv: line 2 (byte 4 of the text): no number"},
      {"+-1\n", "a.csv: line 1 (byte 0 of the text): no number"},
      {"\n\n", "a.csv: no rows in it"},
      {"\xef\xbb\xbf", "a.csv: no rows in it"},
      {"1,x\n", "a.csv: line 1 (byte 2 of the text): no number"},
      {"1,2 \n", "a.csv: line 1 (byte 2 of the text): no number"},
      {"1,\n", "a.csv: line 1 (byte 2 of the text): no number"},
      {"1,1e999\n", "a.csv: line 1 (byte 2 of the text): a number beyond float64"},
      {"1,-1e9999\n", "a.csv: line 1 (byte 2 of the text): a number beyond float64"},
      {"1,2\n3\n", "a.csv: line 2 (byte 4 of the text): 1 numbers, the first line has 2 entries"},
      {"1,2\n3,4,5\n", "line 2 (byte 8 of the text): 3 numbers, the first line has 2 entries"},
  };
  // Rounded, as every number.
  EXPECT_TRUE(parse_csv("1e-400,-1e-400\n", "a.csv").values.equal(zeros({1, 2}, kFloat64)));
  for (const auto& [text, message] : cases)
    EXPECT_THAT(message_of([&] { parse_csv(text, "a.csv"); }), HasSubstr(message));
  EXPECT_THAT(message_of([&] { parse_csv("a,b\n", "h.csv", CsvHeader::Names); }),
              HasSubstr("h.csv: no rows in it"));
}

}  // namespace
}  // namespace notape::data
