// A vocabulary: words as numbers, the frequent ones.
#pragma once
#include <cstdint>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

namespace notape::data {

class Vocabulary {
 public:
  /// Numbers that are no word: what fills a batch up, any rare word, where a sentence begins, ends.
  static constexpr int64_t kPad = 0, kUnknown = 1, kBegin = 2, kEnd = 3, kWords = 4;

  /// The most frequent of these words, of equally frequent ones the first in the alphabet, so many
  /// that there are `size` numbers in all, or fewer if there are no more. Throws ValueError if size
  /// is below kWords.
  Vocabulary(std::span<const std::string> words, int64_t size);

  int64_t size() const { return static_cast<int64_t>(words_.size()); }
  /// kUnknown for a word that is not in it.
  int64_t number(const std::string& word) const;
  /// "<pad>", "<unk>", "<s>", "</s>" of the first four. Throws IndexError.
  const std::string& word(int64_t number) const;
  /// kBegin, the words, kEnd.
  std::vector<int64_t> sentence(std::span<const std::string> words) const;

 private:
  std::vector<std::string> words_;
  std::unordered_map<std::string, int64_t> numbers_;
};

}  // namespace notape::data
