// Verse pairs: zText, its markup, its words.
#include "paper_examples/data/ztext.h"

#include <gmock/gmock.h>

#include <set>

#include "autograd/testing/temporary_folder.h"
#include "paper_examples/data/osis.h"
#include "paper_examples/data/package_file.h"
#include "paper_examples/data/tokens.h"
#include "paper_examples/data/verse_pairs.h"
#include "paper_examples/testing/gzipped.h"
#include "paper_examples/testing/message_of.h"
#include "paper_examples/testing/sha256.h"

namespace notape::data {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::string little(uint64_t value, int bytes) {
  std::string text;
  for (int i = 0; i < bytes; ++i) text += static_cast<char>(value >> 8 * i);
  return text;
}

/// The three files of a testament with one block.
struct Module {
  explicit Module(const std::vector<std::string>& texts) {
    std::string block = "header";
    for (const std::string& text : texts) {
      bzv += little(0, 4) + little(text.empty() ? 0 : block.size(), 4) + little(text.size(), 2);
      block += text;
    }
    bzz = "xx" + zlibbed(block) + std::string(8, '\0');
    bzs = little(2, 4) + little(bzz.size() - 2, 4) + little(block.size(), 4);
  }
  void write(const testing::TemporaryFolder& folder, const std::string& testament) const {
    folder.write(testament + ".bzv", bzv);
    folder.write(testament + ".bzs", bzs);
    folder.write(testament + ".bzz", bzz);
  }
  std::string bzv, bzs, bzz;
};

TEST(ZText, GivesTheTextOfEverySlot) {
  const testing::TemporaryFolder folder;
  Module({"In the <w>beginning</w>", "", "God"}).write(folder, "ot");
  EXPECT_THAT(read_ztext(folder.path(), "ot"), ElementsAre("In the <w>beginning</w>", "", "God"));
}

TEST(ZText, NamesFileAndByteOfWhatItCannotRead) {
  const Module good({"one", "two"});
  const std::size_t end = good.bzz.size(), stream = end - 2, inflated = 12;
  struct Case {
    std::string Module::*file;
    std::string bytes, message;
  };
  const Case cases[] = {
      {&Module::bzv, good.bzv + "x", "ot.bzv: byte 21: truncated: a record has 10 bytes"},
      {&Module::bzs, good.bzs.substr(0, 11), "ot.bzs: byte 11: truncated: a record has 12 bytes"},
      {&Module::bzv, good.bzv + little(1, 4) + little(0, 4) + little(1, 2),
       "ot.bzv: byte 20: slot 2 is to be in block 1 of 1"},
      {&Module::bzv, good.bzv + little(0, 4) + little(10, 4) + little(3, 2),
       "ot.bzv: byte 20: slot 2 is to lie at 10, 3 bytes long, in a block of 12"},
      {&Module::bzv, good.bzv + little(0, 4) + little(0xffffffff, 4) + little(1, 2),
       "ot.bzv: byte 20: slot 2 is to lie at 4294967295"},
      {&Module::bzs, little(2, 4) + little(end, 4) + little(inflated, 4),
       "ot.bzs: byte 0: block 0 is to lie at 2"},
      {&Module::bzs, little(2, 4) + little(stream, 4) + little(inflated + 1, 4),
       "ot.bzs: byte 0: block 0 is to inflate to 13 bytes and has 12"},
      {&Module::bzs, little(2, 4) + little(stream, 4) + little(inflated - 1, 4),
       "ot.bzz: inflates to more than 11 bytes"},
      {&Module::bzs, little(2, 4) + little(stream - 15, 4) + little(inflated, 4),
       "truncated, the file ends within the compressed stream"},
      {&Module::bzs, little(1, 4) + little(stream, 4) + little(inflated, 4),
       "ot.bzz: byte 3: damaged"},
      {&Module::bzz, good.bzz.substr(0, end - 1) + "x", "unexpected bytes after the compressed"},
  };
  for (const Case& tested : cases) {
    const testing::TemporaryFolder folder;
    Module wrong = good;
    wrong.*tested.file = tested.bytes;
    wrong.write(folder, "ot");
    EXPECT_THAT(message_of([&] { read_ztext(folder.path(), "ot"); }), HasSubstr(tested.message));
  }
  const testing::TemporaryFolder empty;
  EXPECT_THAT(message_of([&] { read_ztext(empty.path(), "nt"); }), HasSubstr("nt.bzv: cannot be"));
}

TEST(PlainOsis, KeepsTheTextAlone) {
  EXPECT_EQ(
      plain_osis(
          "<title>Psalm <note>a</note>1</title> <w lemma=\"x\">The</w>\n  <q/>LORD "
          "\u00b6 is&#32;&amp; was&#x2014;<note n='1'>or, <w>shall</w></note> \u00e9<title/> "),
      "The LORD is & was\u2014 \u00e9");
  EXPECT_EQ(plain_osis(" <milestone/> "), "");
}

TEST(PlainOsis, RefusesWhatIsNoMarkup) {
  const std::pair<const char*, const char*> cases[] = {
      {"ab<note", "byte 2: a tag without an end"},
      {"a&nbsp;", "byte 1: no entity"},
      {"a & b", "byte 2: no entity"},
      {"&#1114112;", "byte 0: no entity"},
      {"<note>a", "byte 7: the end of a note"},
      {"</title>", "byte 0: the end of what was not"},
      {"a\xc3", "byte 1 is not UTF-8"},
      {"\xed\xa0\x80", "byte 0 is not UTF-8"},
  };
  for (const auto& [markup, message] : cases)
    EXPECT_THAT(message_of<ValueError>([&] { plain_osis(markup); }), HasSubstr(message)) << markup;
}

TEST(TokensOf, AreWordsInLowerCaseAndSingleOtherCharacters) {
  EXPECT_THAT(tokens_of("\u00bfQui\u00e9n  ES,\u2014 \u00c9l?\n"),
              ElementsAre("\u00bf", "qui\u00e9n", "es", ",", "\u2014", "\u00e9l", "?"));
  EXPECT_THAT(tokens_of(" "), ElementsAre());
  EXPECT_THROW(tokens_of("a\xff"), ValueError);
}

TEST(VersePairs, AreTheSlotsThatBothHaveTheOldTestamentFirst) {
  const testing::TemporaryFolder english, spanish;
  Module({"<w>one</w>", "two", ""}).write(english, "ot");
  Module({"uno", "<note>2</note>", "tres"}).write(spanish, "ot");
  Module({"four"}).write(english, "nt");
  Module({"cuatro"}).write(spanish, "nt");
  const std::vector<VersePair> pairs = read_verse_pairs(english.path(), spanish.path());
  ASSERT_EQ(pairs.size(), 2u);
  EXPECT_EQ(pairs[0].english + pairs[1].spanish, "onecuatro");

  Module({"cuatro", "cinco"}).write(spanish, "nt");
  EXPECT_THAT(message_of([&] { read_verse_pairs(english.path(), spanish.path()); }),
              HasSubstr("not the same versification"));
  Module({"cuatro <"}).write(spanish, "nt");
  EXPECT_THAT(message_of([&] { read_verse_pairs(english.path(), spanish.path()); }),
              HasSubstr("nt, slot 0: OSIS: byte 7: a tag without an end"));
}

/// How many pairs have no more tokens than that on either side.
int pairs_up_to(const std::vector<std::size_t>& longest, std::size_t most) {
  return static_cast<int>(std::ranges::count_if(longest, [&](auto size) { return size <= most; }));
}

TEST(VersePairs, OfTheDebianPackages) {
  std::vector<VersePair> pairs;
  try {
    pairs = read_bible_pairs();
  } catch (const MissingPackage& missing) {
    GTEST_SKIP() << missing.what();
  }
  ASSERT_EQ(pairs.size(), 31084u);
  EXPECT_EQ(pairs[0].english, "In the beginning God created the heaven and the earth.");
  std::set<std::string> english, spanish;
  std::vector<std::size_t> longest;
  std::size_t source = 0, target = 0;
  std::string table;
  for (const VersePair& pair : pairs) {
    table += pair.english + "\t" + pair.spanish + "\n";
    const std::vector<std::string> first = tokens_of(pair.english),
                                   second = tokens_of(pair.spanish);
    english.insert(first.begin(), first.end());
    spanish.insert(second.begin(), second.end());
    longest.push_back(std::max(first.size(), second.size()));
    if (longest.back() <= 48) source += first.size(), target += second.size();
  }
  EXPECT_EQ(sha256_of(table), "a77bbdb691a5a0094972fd619aba59b9a3bf83b5eec158f71b7384844c7ea302");
  EXPECT_EQ(english.size(), 12469u);
  EXPECT_EQ(spanish.size(), 28411u);
  EXPECT_EQ(pairs_up_to(longest, 50), 28855);
  EXPECT_EQ(pairs_up_to(longest, 48), 28329);
  EXPECT_NEAR(static_cast<double>(source) / 28329 + 2, 29.0, 0.05) << "with begin and end";
  EXPECT_NEAR(static_cast<double>(target) / 28329 + 2, 26.4, 0.05);
  EXPECT_EQ(pairs_up_to(longest, 20), 8060);
  EXPECT_EQ(pairs_up_to(longest, 12), 1108);
}

}  // namespace
}  // namespace notape::data
