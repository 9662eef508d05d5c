// Operands of which a few numbers lie side by side, as of (n, 3), are taken the other way round.
#include "ops/linalg/testing/pattern.h"

namespace notape::testing {
namespace {

/// (rows, columns) in memory of `width` columns, or across it.
Tensor placed(const Tensor& values, int64_t width, bool across) {
  const int64_t rows = values.size(0), columns = values.size(1);
  const Tensor memory =
      zeros({across ? columns : rows, across ? rows + 3 : width}, values.options());
  const Tensor place = across ? memory.narrow(1, 2, rows).t() : memory.narrow(1, 1, columns);
  place.copy_(values);
  return place;
}

TEST(ShortRuns, GiveWhatLongOnesGive) {
  for (const int64_t columns : {1, 2, 3, 7, 8, 9})
    for (const int64_t rows : {2, 8, 255, 256, 257, 600})
      for (const bool across : {false, true}) {
        SCOPED_TRACE(format_message("{} x {}, {}", {rows, columns, int64_t{across}}));
        const Tensor a = pattern({rows, columns}, 5, kFloat32);
        const Tensor b = pattern({columns}, 7, kFloat32);
        const Tensor x = placed(a, columns + 4, false), y = placed(a, columns + 4, across);
        EXPECT_EQ(values(y), values(a));
        EXPECT_EQ(values(x * y + b), values(a * a + b.expand({rows, columns}).contiguous()));
        x.mul_(y).exp_();
        EXPECT_EQ(values(x), values((a * a).exp()));
      }
}

TEST(ShortRuns, TakeMoreDimensionsAndOtherTypes) {
  const Tensor a = pattern({5, 301, 3}, 5, kFloat64);
  const Tensor wide = zeros({5, 301, 5}, dtype(kFloat32)), place = wide.narrow(2, 1, 3);
  place.copy_(a);
  EXPECT_EQ(values(place), values(a));
  EXPECT_EQ(values(wide.narrow(2, 0, 1)), std::vector<double>(5 * 301));
  EXPECT_EQ(values(wide.narrow(2, 4, 1)), std::vector<double>(5 * 301));
  const Tensor turned = zeros({3, 5, 301}, dtype(kInt64)).permute({1, 2, 0});
  turned.copy_(a.mul(4));
  EXPECT_EQ(values(turned), values(a.mul(4).to(kInt64)));
}

TEST(ShortRuns, WriteRepeatedPlacesInOrder) {
  const Tensor target = zeros({400, 3}, dtype(kFloat32));
  const Tensor rows = arange(400).remainder(2);
  target.index_add_(0, rows, ones({400, 3}, dtype(kFloat32)));
  EXPECT_EQ(target.sum().item<double>(), 1200);
  EXPECT_EQ(target[1][2].item<double>(), 200);
}

}  // namespace
}  // namespace notape::testing
