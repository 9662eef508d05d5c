// Whole models: steps of training lower the loss. (Its gradient: command/verify_models_test.cpp)
#include "paper_examples/models/workload.h"

#include <gtest/gtest.h>

#include "ops/ops.h"

namespace notape::models {
namespace {

class EveryWorkload : public ::testing::TestWithParam<std::string> {
 protected:
  EveryWorkload() {
    manual_seed(1);
    workload_ = find_workload(GetParam()).make(Scale::Tiny);
  }
  Workload workload_;
};

TEST_P(EveryWorkload, LearnsABatchByHeart) {
  const Workload::Batch batch = workload_.draw_batch(4);
  const auto optimizer = workload_.make_optimizer();
  const double first = train_step(workload_, batch, *optimizer).item();
  double last = first;
  for (int i = 0; i < 20; ++i) last = train_step(workload_, batch, *optimizer).item();
  EXPECT_LT(last, first);
}

INSTANTIATE_TEST_SUITE_P(Models, EveryWorkload, ::testing::ValuesIn([] {
                           std::vector<std::string> names;
                           for (const WorkloadKind& kind : workloads()) names.push_back(kind.name);
                           return names;
                         }()),
                         [](const auto& workload) { return workload.param; });

TEST(Workload, ANameThatThereIsNotIsRefusedWithThoseThereAre) {
  EXPECT_THROW(find_workload("alexnet2"), ValueError);
}

}  // namespace
}  // namespace notape::models
