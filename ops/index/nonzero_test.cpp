// What nonzero and its relatives need of memory besides their results.
#include <gtest/gtest.h>
#include <sys/resource.h>

#include "autograd/autograd.h"
#include "ops/ops.h"

namespace notape::testing {
namespace {

int64_t largest_so_far() {  // in bytes
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return int64_t{usage.ru_maxrss} << 10;
}

TEST(Nonzero, OfBoolsTakesNoMemoryBesideItsResult) {
  const int64_t n = int64_t{1} << 25;
  Tensor mask = zeros({n}, kBool);
  mask.fill_(false);  // in memory
  mask.slice(0, n - 3).fill_(true);
  const int64_t before = largest_so_far();
  const Tensor places = nonzero(mask);
  EXPECT_EQ(places.size(0), 3);
  EXPECT_EQ(places[0].item<int64_t>(), n - 3);
  EXPECT_EQ(count_nonzero(mask).item<int64_t>(), 3);
  EXPECT_LT(largest_so_far() - before, n / 2);
}

}  // namespace
}  // namespace notape::testing
