#include "paper_examples/data/translation.h"

#include <algorithm>

#include "ops/ops.h"
#include "paper_examples/data/tokens.h"

namespace notape::data {
namespace {

using Numbers = std::vector<int64_t>;

/// (longest, B), the sentences as columns.
Tensor columns(const std::vector<Numbers>& sentences) {
  std::size_t longest = 0;
  for (const Numbers& sentence : sentences) longest = std::max(longest, sentence.size());
  Numbers values(longest * sentences.size(), Vocabulary::kPad);
  for (std::size_t column = 0; column < sentences.size(); ++column)
    for (std::size_t row = 0; row < sentences[column].size(); ++row)
      values[row * sentences.size() + column] = sentences[column][row];
  return tensor(values).view({-1, static_cast<int64_t>(sentences.size())});
}

}  // namespace

std::vector<SentencePair> sentence_pairs(const std::vector<VersePair>& verses, std::size_t shortest,
                                         std::size_t longest) {
  const auto is_kept = [&](const std::vector<std::string>& words) {
    return words.size() >= shortest && words.size() <= longest;
  };
  std::vector<SentencePair> pairs;
  for (const VersePair& verse : verses) {
    SentencePair pair{tokens_of(verse.english), tokens_of(verse.spanish)};
    if (is_kept(pair.source) && is_kept(pair.target)) pairs.push_back(std::move(pair));
  }
  return pairs;
}

std::vector<std::string> words_of(const std::vector<SentencePair>& pairs) {
  std::vector<std::string> words;
  for (const SentencePair& pair : pairs)
    for (const auto* side : {&pair.source, &pair.target})
      words.insert(words.end(), side->begin(), side->end());
  return words;
}

Sentences::Sentences(const std::vector<SentencePair>& pairs, const Vocabulary& vocabulary) {
  for (const SentencePair& pair : pairs)
    examples.emplace_back(vocabulary.sentence(pair.source), vocabulary.sentence(pair.target));
}

TranslationBatch TranslationBatch::to(Device device, bool non_blocking) const {
  return {source.to(device, non_blocking), lengths, target.to(device, non_blocking),
          next_words.to(device, non_blocking)};
}

TranslationBatch TranslationBatch::pin_memory() const {
  return {source.pin_memory(), lengths, target.pin_memory(), next_words.pin_memory()};
}

TranslationBatch CollateSentences::apply_batch(std::vector<Sentences::ExampleType> examples) {
  std::vector<Numbers> sources, targets, next_words;
  Numbers lengths;
  for (Sentences::ExampleType& example : examples) {
    lengths.push_back(static_cast<int64_t>(example.data.size()));
    sources.push_back(std::move(example.data));
    next_words.emplace_back(example.target.begin() + 1, example.target.end());
    targets.emplace_back(example.target.begin(), example.target.end() - 1);
  }
  return {columns(sources), tensor(lengths), columns(targets), columns(next_words)};
}

}  // namespace notape::data
