#include "paper_examples/data/r_data.h"

#include <fmt/format.h>
#include <gmock/gmock.h>

#include <bit>

#include "autograd/testing/temporary_folder.h"
#include "ops/ops.h"
#include "paper_examples/data/package_file.h"
#include "paper_examples/testing/gzipped.h"
#include "paper_examples/testing/message_of.h"
#include "paper_examples/testing/sha256.h"

namespace notape::data {
namespace {

using ::testing::HasSubstr;

std::string big(uint32_t value) {
  std::string bytes;
  for (int shift : {24, 16, 8, 0}) bytes += static_cast<char>(value >> shift);
  return bytes;
}

// Items as R writes them.
const std::string kNil = big(254);
std::string r_string(const std::string& text) {
  return big(9) + big(static_cast<uint32_t>(text.size())) + text;
}
std::string r_integers(const std::vector<int32_t>& values, uint32_t flags = 0) {
  std::string bytes = big(13 | flags) + big(static_cast<uint32_t>(values.size()));
  for (int32_t value : values) bytes += big(static_cast<uint32_t>(value));
  return bytes;
}
std::string r_reals(const std::vector<double>& values) {
  std::string bytes = big(14) + big(static_cast<uint32_t>(values.size()));
  for (double value : values) {
    const uint64_t bits = std::bit_cast<uint64_t>(value);
    bytes += big(static_cast<uint32_t>(bits >> 32)) + big(static_cast<uint32_t>(bits));
  }
  return bytes;
}
std::string r_strings(const std::vector<std::string>& values) {
  std::string bytes = big(16) + big(static_cast<uint32_t>(values.size()));
  for (const std::string& value : values) bytes += r_string(value);
  return bytes;
}
/// A list with a `names` attribute; `symbol` is that name, or a reference to it.
std::string r_list(const std::vector<std::string>& names, const std::string& items,
                   const std::string& symbol = big(1) + r_string("names")) {
  return big(19 | 0x200) + big(static_cast<uint32_t>(names.size())) + items + big(2 | 0x400) +
         symbol + r_strings(names) + kNil;
}
std::string serialized(const std::string& item, uint32_t version = 3) {
  return "X\n" + big(version) + big(0x40202) + big(0x30500) + big(5) + "UTF-8" + item;
}

TEST(ParseRData, ReadsWhatDataSetsAreMadeOf) {
  const std::string reference = big(1 << 8 | 255);  // to "names", which the inner list has first
  const std::string items =
      r_integers({1, -2, std::numeric_limits<int32_t>::min()}) + r_reals({2.5, -1});
  const RValue value = parse_r_data(
      serialized(r_list({"a", "b", "inner"}, items + r_list({"c"}, r_integers({7})), reference)),
      "x");
  EXPECT_TRUE(value.element("b").numbers().equal(tensor({2.5, -1.0}, kFloat64)));
  EXPECT_EQ(value.element("a").integers[1], -2);
  EXPECT_TRUE(value.element("a").numbers()[2].isnan().item<bool>());
  EXPECT_EQ(value.element("inner").element("c").integers[0], 7);
  EXPECT_EQ(message_of<ValueError>([&] { value.element("d"); }),
            "R data: there is no element 'd' in: a, b, inner");
  EXPECT_THROW(value.numbers(), ValueError);
}

TEST(ParseRData, KnowsStringsThatAreMissing) {
  const RValue value =
      parse_r_data(serialized(big(16) + big(2) + r_string("a") + big(9) + big(0xffffffff)), "x");
  EXPECT_EQ(value.strings[0], "a");
  EXPECT_EQ(value.strings[1], std::nullopt);
}

TEST(ParseRData, NamesTheByteOfWhatItCannotRead) {
  const std::string nested = [] {
    std::string lists;
    for (int i = 0; i < 300; ++i) lists += big(19) + big(1);
    return lists + kNil;
  }();
  const std::pair<std::string, std::string> cases[] = {
      {"RDX3", "x: byte 0: no R data"},
      {serialized(kNil, 2), "x: byte 2: R data of version 2"},
      {serialized(kNil) + "y", "x: byte 27: 1 bytes after the value"},
      {serialized(""), "x: byte 23: truncated: an item needs 4 bytes"},
      {serialized(big(3)), "x: byte 23: type 3, which data sets do not have"},
      {serialized(r_integers({1, 2})).substr(0, 37), "x: byte 27: truncated: 2 integers"},
      {serialized(big(14) + big(0x7fffffff)), "x: byte 27: truncated: 2147483647 numbers"},
      {serialized(big(16) + big(0xffffffff)), "x: byte 27: -1 strings"},
      {serialized(big(9) + big(0xfffffffe)), "x: byte 27: a string of -2 bytes"},
      {serialized(big(9) + big(5) + "ab"), "x: byte 31: truncated: a string needs 5 bytes"},
      {serialized(big(2 << 8 | 255)), "x: byte 23: reference 2 of 0"},
      {serialized(big(1) + kNil), "x: byte 23: a symbol without a name"},
      {serialized(big(16) + big(1) + r_integers({})), "what should be a string is none"},
      {serialized(big(2) + kNil + big(13)), "type 13 in a list of pairs"},
      {serialized(nested), "more than 200 values inside one another"},
  };
  for (const auto& [bytes, message] : cases)
    EXPECT_THAT(message_of([&] { parse_r_data(bytes, "x"); }), HasSubstr(message));
}

TEST(ReadRData, FindsObjectsByTheIndex) {
  const testing::TemporaryFolder folder;
  const std::string object = serialized(r_integers({4, 5}));
  const std::string stored = big(static_cast<uint32_t>(object.size())) + zlibbed(object);
  const auto write_index = [&](int32_t first, int32_t size) {
    folder.write(
        "Rdata.rdx",
        gzipped(serialized(r_list({"variables"}, r_list({"mine"}, r_integers({first, size}))))));
  };
  const auto message = [&](const char* name) {
    return message_of([&] { read_r_data(folder.path(), name); });
  };
  const int32_t size = static_cast<int32_t>(stored.size());
  write_index(3, size);
  EXPECT_THAT(message("mine"), HasSubstr("Rdata.rdb: cannot be opened: No such file"));
  folder.write("Rdata.rdb", "???" + stored);
  EXPECT_EQ(read_r_data(folder.path(), "mine").integers[1], 5);
  EXPECT_THAT(message("other"), HasSubstr("Rdata.rdx: there is no 'other' among: mine"));
  write_index(4, size);
  EXPECT_THAT(message("mine"), HasSubstr("truncated: 'mine' is to lie at 4"));
  write_index(-1, size);
  EXPECT_THAT(message("mine"), HasSubstr("the entry of 'mine' is no pair"));
  write_index(3, size);
  folder.write("Rdata.rdb", "???" + big(1000) + stored.substr(4));
  EXPECT_THAT(message("mine"), HasSubstr("byte 3: 'mine' is to inflate to 1000 bytes and has 39"));
}

TEST(ReadRData, MovieLensOfTheDebianPackage) {
  RValue frame;
  try {
    frame = read_r_data(
        find_package_file("r-cran-dslabs", "usr/lib/R/site-library/dslabs/data/Rdata.rdb")
            .parent_path(),
        "movielens");
  } catch (const MissingPackage& missing) {
    GTEST_SKIP() << missing.what();
  }
  const auto& users = frame.element("userId").integers;
  ASSERT_EQ(users.size(), 100004u);
  EXPECT_EQ(frame.element("title").strings[0], "Dangerous Minds");
  EXPECT_EQ(frame.element("genres").attribute("class")->strings[0], "factor");
  std::string csv = "userId,movieId,rating,timestamp\n";
  for (std::size_t i = 0; i < users.size(); ++i)
    csv += fmt::format("{},{},{:g},{}\n", users[i], frame.element("movieId").integers[i],
                       frame.element("rating").reals[i], frame.element("timestamp").integers[i]);
  EXPECT_EQ(sha256_of(csv), "4648bcd05e40e0654697daac07fc98221ebe0dfa57c93f8fe89bbf720d90c8ab");
}

TEST(ReadRData, InstEvalOfTheDebianPackage) {
  RValue frame;
  try {
    frame =
        read_r_data(find_package_file("r-cran-lme4", "usr/lib/R/site-library/lme4/data/Rdata.rdb")
                        .parent_path(),
                    "InstEval");
  } catch (const MissingPackage& missing) {
    GTEST_SKIP() << missing.what();
  }
  EXPECT_EQ(frame.element("y").numbers().numel(), 73421);
  EXPECT_EQ(frame.element("s").attribute("levels")->strings.size(), 2972u);
  EXPECT_EQ(frame.element("d").attribute("levels")->strings.size(), 1128u);
}

}  // namespace
}  // namespace notape::data
