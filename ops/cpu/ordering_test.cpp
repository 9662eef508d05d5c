// Long slices, which are sorted by digits, and the few first of many, beside std::stable_sort.
#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <random>

#include "autograd/testing/expect.h"
#include "ops/ops.h"

namespace notape::testing {
namespace {

/// With ties, both zeros and, of floating numbers, NaNs and infinities.
template <typename T>
std::vector<T> numbers(int64_t count) {
  std::mt19937_64 random(7);
  std::vector<T> all;
  for (int64_t i = 0; i < count; ++i) {
    const auto drawn = static_cast<int64_t>(random() % 1000) - (std::is_signed_v<T> ? 500 : 0);
    T value = static_cast<T>(drawn);
    if constexpr (std::is_floating_point_v<T>) {
      const T unusual[] = {std::numeric_limits<T>::quiet_NaN(),
                           -std::numeric_limits<T>::infinity(),
                           std::numeric_limits<T>::infinity(),
                           T(-0.0),
                           T(0),
                           -std::numeric_limits<T>::quiet_NaN()};
      value = drawn % 50 == 0 ? unusual[random() % 6] : value / 7;
    }
    all.push_back(value);
  }
  return all;
}

template <typename T>
std::vector<int64_t> places(const std::vector<T>& all, bool descending) {
  std::vector<int64_t> order(all.size());
  std::iota(order.begin(), order.end(), 0);
  const auto less = [&](int64_t a, int64_t b) {
    const T x = all[static_cast<std::size_t>(a)], y = all[static_cast<std::size_t>(b)];
    return x != x || y != y ? x == x && y != y : x < y;
  };
  std::stable_sort(order.begin(), order.end(),
                   [&](int64_t a, int64_t b) { return descending ? less(b, a) : less(a, b); });
  return order;
}

template <typename T>
class LongOrder : public ::testing::Test {};
using Numbers = ::testing::Types<float, double, int64_t, int32_t, int16_t, int8_t, uint8_t>;
TYPED_TEST_SUITE(LongOrder, Numbers);

TYPED_TEST(LongOrder, IsThatOfAStableSort) {
  for (const int64_t size : {513, 5000})
    for (const bool descending : {false, true}) {
      const std::vector<TypeParam> all = numbers<TypeParam>(size);
      const Tensor x = tensor(all);
      const auto [values, indices] = sort(x, 0, descending);
      const std::vector<int64_t> expected = places(all, descending);
      EXPECT_TRUE(equal(indices, tensor(expected))) << size << descending;
      EXPECT_TRUE(allclose(values, index_select(x, 0, tensor(expected)), 0, 0, true));
      for (const int64_t count : {int64_t{1}, int64_t{5}, int64_t{100}, size / 3}) {
        const Tensor first = std::get<1>(topk(x, count, 0, descending));
        EXPECT_TRUE(equal(first, tensor(expected).narrow(0, 0, count))) << count;
      }
    }
}

TEST(LongOrder, OfColumns) {
  const Tensor x = tensor(numbers<float>(1200)).view({600, 2});
  for (const int64_t column : {0, 1}) {
    const Tensor one = x.select(1, column).contiguous();
    EXPECT_TRUE(equal(std::get<1>(sort(x, 0)).select(1, column), std::get<1>(sort(one, 0))));
    EXPECT_TRUE(equal(std::get<1>(topk(x, 7, 0)).select(1, column), std::get<1>(topk(one, 7))));
  }
}

}  // namespace
}  // namespace notape::testing
