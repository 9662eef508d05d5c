// References of softmax and what is made of it, for any kind of number: with the largest element
// taken apart, so that 113 bits are enough where all others are e^-800 beside it.
#pragma once
#include <vector>

#include "ops/spec/reference.h"

namespace notape {

inline Wide plain_value(Wide x) { return x; }
inline Wide plain_value(const WideDual& x) { return x.value; }

/// The place of the first largest. No branch of the reference: which one is taken does not matter.
template <typename T>
std::size_t plain_largest(const std::vector<T>& group) {
  std::size_t largest = 0;
  for (std::size_t i = 1; i < group.size(); ++i)
    if (plain_value(group[i]) > plain_value(group[largest])) largest = i;
  return largest;
}

/// The sum of e^(group[i] - group[largest]) but for the largest itself.
template <typename T>
T plain_others(const std::vector<T>& group, std::size_t largest) {
  T sum = 0;
  for (std::size_t i = 0; i < group.size(); ++i)
    if (i != largest) sum += math::exp(group[i] - group[largest]);
  return sum;
}

inline constexpr auto plain_log_softmax = []<typename T>(const std::vector<T>& slice) {
  const std::size_t largest = plain_largest(slice);
  const T log_sum = math::log1p(plain_others(slice, largest));
  std::vector<T> result;
  for (std::size_t i = 0; i < slice.size(); ++i)
    result.push_back(i == largest ? -log_sum : slice[i] - slice[largest] - log_sum);
  return result;
};

inline constexpr auto plain_softmax = []<typename T>(const std::vector<T>& slice) {
  const std::size_t largest = plain_largest(slice);
  const T sum = T(1) + plain_others(slice, largest);
  std::vector<T> result;
  for (std::size_t i = 0; i < slice.size(); ++i)
    result.push_back((i == largest ? T(1) : math::exp(slice[i] - slice[largest])) / sum);
  return result;
};

/// Of one element or more.
inline constexpr auto plain_log_sum_exp = []<typename T>(const std::vector<T>& group) {
  const std::size_t largest = plain_largest(group);
  return group[largest] + math::log1p(plain_others(group, largest));
};

}  // namespace notape
