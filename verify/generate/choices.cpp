#include "verify/generate/choices.h"

#include <rapidcheck.h>

namespace notape::verify {
namespace {

// A number is groups of four bits, low ones first, each a digit of base 32 whose fifth bit says
// that more follow. 'z' and a number stand for so many zeros.
constexpr std::string_view kDigits = "0123456789abcdefghijklmnopqrstuv";
constexpr char kZeros = 'z';
/// Names the way in which choices become cases; another one could not replay the code.
constexpr char kGeneratorVersion = '1';
constexpr std::size_t kMostChoices = 1u << 20;

void append(std::string& code, uint32_t value) {
  do {
    const bool more = value > 15;
    code += kDigits[(value & 15) | (more ? 16 : 0)];
    value >>= 4;
  } while (value);
}

std::optional<uint32_t> read(std::string_view& code) {
  uint64_t value = 0;
  for (int shift = 0; shift < 32; shift += 4) {
    if (code.empty()) return {};
    const std::size_t digit = kDigits.find(code.front());
    if (digit == std::string_view::npos) return {};
    code.remove_prefix(1);
    value |= static_cast<uint64_t>(digit & 15) << shift;
    if (digit < 16) return static_cast<uint32_t>(value);
  }
  return {};
}

/// Generates the candidates one at a time: there may be thousands, and most are never looked at.
class Simpler {
 public:
  explicit Simpler(Choices choices) : choices_(std::move(choices)), chunk_(choices_.size()) {}

  rc::Maybe<Choices> operator()() {
    while (pass_ != Pass::Done) {
      Choices candidate = choices_;
      if (step(candidate) && candidate != choices_) return candidate;
    }
    return rc::Nothing;
  }

 private:
  enum class Pass { Cut, Zero, Remove, Lower, Done };

  /// Makes one candidate and moves on; false if there was none here.
  bool step(Choices& candidate) {
    if (pass_ == Pass::Lower) return lower(candidate);
    if (chunk_ == 0) return next_pass();
    if (pass_ == Pass::Cut) {
      candidate.resize(choices_.size() - chunk_);
      chunk_ /= 2;
      return true;
    }
    if (at_ >= choices_.size()) {
      at_ = 0;
      chunk_ /= 2;
      return false;
    }
    const auto begin = candidate.begin() + static_cast<std::ptrdiff_t>(at_);
    const auto end =
        candidate.begin() + static_cast<std::ptrdiff_t>(std::min(at_ + chunk_, choices_.size()));
    at_ += chunk_;
    if (pass_ == Pass::Zero)
      std::fill(begin, end, 0u);
    else
      candidate.erase(begin, end);
    return true;
  }

  /// Halves the distance to the present value: 0, x/2, 3x/4, ..., x-1.
  bool lower(Choices& candidate) {
    if (at_ >= choices_.size()) return next_pass();
    if (chunk_ == 0) {
      ++at_;
      chunk_ = at_ < choices_.size() ? choices_[at_] : 0;
      return false;
    }
    candidate[at_] -= static_cast<uint32_t>(chunk_);
    chunk_ /= 2;
    return true;
  }

  bool next_pass() {
    pass_ = static_cast<Pass>(static_cast<int>(pass_) + 1);
    at_ = 0;
    chunk_ = pass_ != Pass::Lower ? choices_.size() / 2 : choices_.empty() ? 0 : choices_.front();
    return false;
  }

  Choices choices_;
  Pass pass_ = Pass::Cut;
  std::size_t chunk_, at_ = 0;
};

}  // namespace

std::string encode_choices(const Choices& choices) {
  std::size_t size = choices.size();
  while (size > 0 && choices[size - 1] == 0) --size;
  std::string code(1, kGeneratorVersion);
  for (std::size_t i = 0; i < size;) {
    std::size_t zeros = 0;
    while (choices[i + zeros] == 0) ++zeros;
    if (zeros > 2) {
      code += kZeros;
      append(code, static_cast<uint32_t>(zeros));
      i += zeros;
    } else {
      append(code, choices[i++]);
    }
  }
  return code;
}

std::optional<Choices> decode_choices(std::string_view code) {
  if (code.empty() || code.front() != kGeneratorVersion) return {};
  code.remove_prefix(1);
  Choices choices;
  while (!code.empty()) {
    const bool zeros = code.front() == kZeros;
    if (zeros) code.remove_prefix(1);
    const auto value = read(code);
    if (!value || choices.size() + (zeros ? *value : 1) > kMostChoices) return {};
    if (zeros)
      choices.resize(choices.size() + *value);
    else
      choices.push_back(*value);
  }
  return choices;
}

rc::Seq<Choices> simpler(const Choices& choices) { return rc::makeSeq<Simpler>(choices); }

rc::Shrinkable<Choices> shrinkable(Choices choices) {
  return rc::shrinkable::shrinkRecur(std::move(choices), &simpler);
}

}  // namespace notape::verify
