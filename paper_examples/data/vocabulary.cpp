#include "paper_examples/data/vocabulary.h"

#include <algorithm>
#include <map>

#include "autograd/error.h"

namespace notape::data {

Vocabulary::Vocabulary(std::span<const std::string> words, int64_t size)
    : words_{"<pad>", "<unk>", "<s>", "</s>"} {
  if (size < kWords) throw ValueError("Vocabulary: size {} is below {}", size, kWords);
  std::map<std::string, int64_t> counts;  // in the order of the alphabet
  for (const std::string& word : words) ++counts[word];
  std::vector<std::pair<std::string, int64_t>> ranked(counts.begin(), counts.end());
  std::stable_sort(ranked.begin(), ranked.end(),
                   [](const auto& a, const auto& b) { return a.second > b.second; });
  const auto kept = std::min(ranked.size(), static_cast<std::size_t>(size - kWords));
  for (std::size_t i = 0; i < kept; ++i) {
    numbers_.emplace(ranked[i].first, this->size());
    words_.push_back(ranked[i].first);
  }
}

int64_t Vocabulary::number(const std::string& word) const {
  const auto found = numbers_.find(word);
  return found == numbers_.end() ? kUnknown : found->second;
}

const std::string& Vocabulary::word(int64_t number) const {
  if (number < 0 || number >= size())
    throw IndexError("Vocabulary: there is no word {} of {}", number, size());
  return words_[static_cast<std::size_t>(number)];
}

std::vector<int64_t> Vocabulary::sentence(std::span<const std::string> words) const {
  std::vector<int64_t> numbers{kBegin};
  for (const std::string& word : words) numbers.push_back(number(word));
  numbers.push_back(kEnd);
  return numbers;
}

}  // namespace notape::data
