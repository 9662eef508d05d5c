// How many numbers each model learns: the sizes of the benchmark.
#include <gtest/gtest.h>

#include "paper_examples/models/gnmt.h"
#include "paper_examples/models/ncf.h"
#include "paper_examples/nn/init.h"

namespace notape::models {
namespace {

/// Of memory that nobody fills, which costs no time.
template <typename Make>
int64_t parameters_of(const Make& make) {
  const nn::init::SkipGuard not_filled;
  int64_t count = 0;
  for (const Tensor& one : make()->parameters()) count += one.numel();
  return count;
}

TEST(ParameterCounts, AreThoseOfTheBenchmark) {
  EXPECT_EQ(parameters_of([] { return GNMT(); }), 160'671'297);
  EXPECT_EQ(parameters_of([] { return GNMT(GNMTOptions(1500).hidden_size(96)); }), 1'126'045);
  EXPECT_EQ(parameters_of([] { return GNMT(GNMTOptions(4000).hidden_size(256)); }), 7'969'185);
  EXPECT_EQ(parameters_of([] { return NCF(); }), 31'832'577);
  EXPECT_EQ(parameters_of([] { return NCF(6040, 3706); }), 1'978'305);
}

TEST(ParameterCounts, OfCollaborativeFilteringOnOtherDataSets) {
  EXPECT_EQ(parameters_of([] { return NCF(671, 9066); }), 1'976'577);
  EXPECT_EQ(parameters_of([] { return NCF(2972, 1128); }), 894'273);
  const auto small = [](int64_t users, int64_t items) {
    return parameters_of([&] {
      return NCF(NCFOptions(users, items).mf_dim(8).mlp_layer_sizes({64, 32, 16, 8}));
    });
  };
  EXPECT_EQ(small(671, 9066), 392'241);
  EXPECT_EQ(small(2972, 1128), 166'761);
}

}  // namespace
}  // namespace notape::models
