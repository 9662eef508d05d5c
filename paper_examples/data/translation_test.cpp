// Vocabularies, and batches of sentences.
#include "paper_examples/data/translation.h"

#include <gmock/gmock.h>

#include "ops/ops.h"

namespace notape::data {
namespace {

using ::testing::ElementsAre;

const std::vector<std::string> kWords = {"b", "a", "c", "b", "d", "a", "b"};

TEST(Vocabulary, KeepsTheMostFrequentWordsInTheAlphabetsOrderAmongEquals) {
  const Vocabulary vocabulary(kWords, 7);
  EXPECT_EQ(vocabulary.size(), 7);
  EXPECT_EQ(vocabulary.word(4) + vocabulary.word(5) + vocabulary.word(6), "bac");
  EXPECT_EQ(vocabulary.number("a"), 5);
  EXPECT_EQ(vocabulary.number("d"), Vocabulary::kUnknown);
  EXPECT_EQ(vocabulary.word(Vocabulary::kPad), "<pad>");
  EXPECT_THAT(vocabulary.sentence(std::vector<std::string>{"a", "d"}), ElementsAre(2, 5, 1, 3));
  EXPECT_EQ(Vocabulary(kWords, 100).size(), 8);
  EXPECT_THROW(vocabulary.word(7), IndexError);
  EXPECT_THROW(Vocabulary(kWords, 3), ValueError);
}

TEST(SentencePairs, HaveBothSidesWithinTheBounds) {
  const auto pairs =
      sentence_pairs({{"One.", "Uno."}, {"Two, three.", "Dos."}, {"Four", "Cuatro."}}, 2, 3);
  ASSERT_EQ(pairs.size(), 1u);
  EXPECT_THAT(words_of(pairs), ElementsAre("one", ".", "uno", "."));
}

TEST(CollateSentences, MakesColumnsAndTheNextWords) {
  const std::vector<SentencePair> pairs = {{{"a"}, {"b", "c"}}, {{"a", "b"}, {"c"}}};
  const Vocabulary vocabulary(std::vector<std::string>{"a", "b", "c"}, 7);
  auto batches = Sentences(pairs, vocabulary).map(CollateSentences());
  const std::vector<std::size_t> request{0, 1};
  const TranslationBatch batch = batches.get_batch(request);
  EXPECT_TRUE(batch.source.equal(tensor({{2, 2}, {4, 4}, {3, 5}, {0, 3}})));
  EXPECT_TRUE(batch.lengths.equal(tensor({3, 4})));
  EXPECT_TRUE(batch.target.equal(tensor({{2, 2}, {5, 6}, {6, 0}})));
  EXPECT_TRUE(batch.next_words.equal(tensor({{5, 6}, {6, 3}, {3, 0}})));
}

}  // namespace
}  // namespace notape::data
