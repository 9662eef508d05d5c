#include "ops/ops.h"
#include "ops/parallel.h"
#include "ops/reduce/testing/derivatives.h"

namespace notape::testing {
namespace {

/// Element by element, in row-major order.
std::vector<double> one_by_one(const Tensor& x) {
  if (x.dim() == 0) return {x.item()};
  std::vector<double> all;
  for (int64_t i = 0; i < x.size(0); ++i) {
    const std::vector<double> part = one_by_one(x.select(0, i));
    all.insert(all.end(), part.begin(), part.end());
  }
  return all;
}

struct Transposition {
  std::vector<int64_t> sizes, order;
};

TEST(TransposedCopy, MovesEveryElementOfEveryType) {
  const std::vector<Transposition> all = {{{8, 8}, {1, 0}},
                                          {{16, 24}, {1, 0}},
                                          {{9, 70}, {1, 0}},
                                          {{70, 9}, {1, 0}},
                                          {{7, 30}, {1, 0}},
                                          {{3, 17, 21}, {0, 2, 1}},
                                          {{3, 17, 21}, {2, 0, 1}},
                                          {{17, 3, 21}, {2, 1, 0}},
                                          {{2, 9, 10, 11}, {0, 2, 3, 1}},
                                          {{2, 9, 3, 11}, {3, 2, 1, 0}}};
  for (const ScalarType type : {kBool, kUInt8, kInt32, kInt64, kFloat16, kFloat32, kFloat64})
    for (const Transposition& one : all) {
      int64_t count = 1;
      for (const int64_t size : one.sizes) count *= size;
      const Tensor numbers = arange(count).remainder(type == kBool ? 2 : 251).to(type);
      const Tensor x = numbers.reshape(one.sizes).permute(one.order);
      EXPECT_EQ(values(x.contiguous()), one_by_one(x)) << name_of(type) << " " << x.dim();
    }
}

TEST(TransposedCopy, StaysWithinItsTarget) {
  const Tensor x = arange(400).reshape({20, 20}), all = full({24, 22}, -1, kInt64);
  Tensor part = all.narrow(0, 1, 20).narrow(1, 1, 20);
  part.copy_(x.t());
  EXPECT_EQ(one_by_one(part), one_by_one(x.t()));
  EXPECT_EQ(eq(all, -1).sum().item(), 24 * 22 - 400);
}

TEST(TransposedCopy, GivesTheSameWithAnyNumberOfThreads) {
  const int before = get_num_threads();
  const Tensor x = randn({5, 333, 129});
  set_num_threads(1);
  const Tensor alone = x.transpose(1, 2).contiguous();
  set_num_threads(4);
  EXPECT_TRUE(equal(x.transpose(1, 2).contiguous(), alone));
  EXPECT_TRUE(equal(alone.transpose(1, 2).contiguous(), x));
  set_num_threads(before);
}

}  // namespace
}  // namespace notape::testing
