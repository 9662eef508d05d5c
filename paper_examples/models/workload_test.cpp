// Whole models: the gradient of the loss by all parameters, and that steps of training lower it.
#include "paper_examples/models/workload.h"

#include <gtest/gtest.h>

#include "ops/ops.h"
#include "verify/taylor.h"

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

/// In float64, so that what remains of the difference is seen far below the gradient.
TEST_P(EveryWorkload, HasTheGradientThatTheTaylorTestWants) {
  workload_.model->to(kFloat64);
  Workload::Batch batch = workload_.draw_batch(4);
  for (Tensor& one : batch)
    if (one.is_floating_point()) one = one.to(kFloat64);
  const std::vector<Tensor> parameters = workload_.model->parameters();
  variable_list here;
  for (const Tensor& one : parameters) {
    here.push_back(one.detach());
    // Where biases are 0, what comes from a dead layer is, too: the kink of the next one.
    if (one.dim() == 1) here.back().add_(rand_like(here.back()), 0.1);
  }
  const auto put = [&](const variable_list& values) {
    for (std::size_t i = 0; i < values.size(); ++i)
      if (!values[i].is_same(parameters[i])) parameters[i].set_data(values[i]);
  };
  const auto report = verify::taylor_slope(
      [&](const variable_list& values) {
        put(values);
        const Tensor loss = workload_.loss(batch);
        put(here);
        return loss;
      },
      parameters);
  EXPECT_EQ(report.verdict, verify::Verdict::Pass) << report.text();
}

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
