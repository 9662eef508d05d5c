#include "ops/shape/window.h"

#include "autograd/testing/expect.h"
#include "ops/ops.h"

namespace notape::testing {
namespace {

struct Case {
  const char* name;
  Geometry base, view;  // over one storage
};

const Case kCases[] = {
    {"a part of rows", Geometry({3, 4}), Geometry({2, 4}, {4, 1}, 4)},
    {"every other column", Geometry({3, 4}), Geometry({3, 2}, {4, 2}, 1)},
    {"all of it, transposed", Geometry({3, 4}), Geometry({4, 3}, {1, 4}, 0)},
    {"a column of a transposed base", Geometry({3, 4}, {1, 3}, 5), Geometry({4}, {3}, 6)},
    {"all of a transposed base", Geometry({3, 4}, {1, 3}, 5), Geometry({12}, {1}, 5)},
    {"elements more than once", Geometry({6}, {1}, 0), Geometry({4, 3}, {1, 1}, 0)},
    {"as many elements as the base, some twice", Geometry({6}, {1}, 0),
     Geometry({3, 2}, {1, 1}, 1)},
    {"nothing", Geometry({3}, {1}, 0), Geometry({0}, {1}, 1)},
    {"a base with gaps", Geometry({3}, {2}, 1), Geometry({2}, {2}, 3)},
};

/// Positions in the storage in row-major order.
std::vector<int64_t> positions(const Geometry& g) {
  std::vector<int64_t> result;
  for (int64_t i = 0; i < g.numel(); ++i) {
    int64_t rest = i, at = g.offset();
    for (int d = g.dim(); d-- > 0; rest /= g.size(d)) at += rest % g.size(d) * g.stride(d);
    result.push_back(at);
  }
  return result;
}

TEST(Window, ScatterAddsEveryElementWhereItCameFrom) {
  for (const Case& one : kCases) {
    const Tensor value = rand(one.view.sizes(), dtype(kFloat64));
    std::vector<double> storage(32), expected;
    const auto* source = value.data_ptr<double>();
    for (const int64_t at : positions(one.view)) storage[static_cast<std::size_t>(at)] += *source++;
    for (const int64_t at : positions(one.base))
      expected.push_back(storage[static_cast<std::size_t>(at)]);
    const Tensor result = scatter_window(value, one.base, one.view);
    EXPECT_EQ(result.sizes(), one.base.sizes()) << one.name;
    const Tensor rows = result.contiguous();
    EXPECT_EQ(std::vector<double>(rows.data_ptr<double>(), rows.data_ptr<double>() + rows.numel()),
              expected)
        << one.name;
  }
}

}  // namespace
}  // namespace notape::testing
