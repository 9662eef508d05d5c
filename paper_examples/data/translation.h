// Sentences in two languages, as batches of equally long columns.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "paper_examples/data/datasets/base.h"
#include "paper_examples/data/transforms/base.h"
#include "paper_examples/data/verse_pairs.h"
#include "paper_examples/data/vocabulary.h"

namespace notape::data {

/// The words of both.
struct SentencePair {
  std::vector<std::string> source, target;
};

/// The pairs, cut into words, if both sides have between `shortest` and `longest` words.
std::vector<SentencePair> sentence_pairs(const std::vector<VersePair>& verses, std::size_t shortest,
                                         std::size_t longest);
/// All words of both sides.
std::vector<std::string> words_of(const std::vector<SentencePair>& pairs);

/// B sentences, with Vocabulary::kPad below the shorter ones, int64.
struct TranslationBatch {
  /// The lengths stay where they are, which is the CPU: packing reads them.
  TranslationBatch to(Device device, bool non_blocking = false) const;
  TranslationBatch pin_memory() const;

  Tensor source;      ///< (S, B): begin, words, end
  Tensor lengths;     ///< (B) of the source
  Tensor target;      ///< (T, B): begin, words
  Tensor next_words;  ///< (T, B): words, end
};

/// Pairs as numbers; examples of it are what Collation below makes batches of.
struct Sentences
    : datasets::Dataset<Sentences, Example<std::vector<int64_t>, std::vector<int64_t>>> {
  Sentences(const std::vector<SentencePair>& pairs, const Vocabulary& vocabulary);
  ExampleType get(std::size_t index) override { return examples[index]; }
  std::optional<std::size_t> size() const override { return examples.size(); }

  std::vector<ExampleType> examples;
};

struct CollateSentences
    : transforms::BatchTransform<std::vector<Sentences::ExampleType>, TranslationBatch> {
  TranslationBatch apply_batch(std::vector<Sentences::ExampleType> examples) override;
};

}  // namespace notape::data
