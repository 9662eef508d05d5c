#include "ops/core/divisor.h"

#include <gtest/gtest.h>

#include <random>

namespace notape {
namespace {

void expect_quotients(uint32_t by, std::initializer_list<uint32_t> numbers) {
  const Divisor divisor(by);
  for (const uint32_t number : numbers)
    ASSERT_EQ(divisor.quotient(number), number / by) << number << " / " << by;
}

/// Around multiples, where a quotient changes.
void expect_edges(uint32_t by) {
  constexpr uint32_t kMost = Divisor::kLargest;
  const uint32_t last = kMost / by * by, middle = kMost / 2 / by * by;
  expect_quotients(by, {0, 1, by - 1, by, middle, middle == 0 ? 0 : middle - 1, last - 1, last,
                        kMost - 1, kMost});
}

TEST(Divisor, DividesAsTheProcessorDoes) {
  for (uint32_t by = 1; by <= 1 << 16; ++by) expect_edges(by);
  for (int shift = 16; shift < 31; ++shift)
    for (uint32_t near = 0; near < 5; ++near) expect_edges((1u << shift) - 2 + near);
  expect_edges(Divisor::kLargest);
  std::mt19937 random(1);
  for (int i = 0; i < 1000000; ++i) {
    const uint32_t by = (random() >> 1 >> random() % 31) + 1, number = random() >> 1;
    if (by <= Divisor::kLargest) expect_quotients(by, {number});
  }
  const Divisor seven(7);
  for (uint32_t number = 0; number < 1 << 20; ++number)
    ASSERT_EQ(seven.quotient(number), number / 7);
}

}  // namespace
}  // namespace notape
