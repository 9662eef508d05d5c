#include "paper_examples/optim/checkpoint.h"

#include <gmock/gmock.h>
#include <unistd.h>

#include <csignal>

#include "autograd/interchange/safetensors.h"
#include "autograd/testing/temporary_folder.h"
#include "ops/ops.h"
#include "paper_examples/data/dataset.h"
#include "paper_examples/multiprocessing/shared_tensor.h"
#include "paper_examples/multiprocessing/spawn.h"
#include "paper_examples/nn/activation.h"
#include "paper_examples/nn/batch_norm.h"
#include "paper_examples/nn/dropout.h"
#include "paper_examples/nn/linear.h"
#include "paper_examples/nn/sequential.h"
#include "paper_examples/nn/state_dict.h"
#include "paper_examples/optim/adam.h"
#include "paper_examples/optim/schedule.h"

namespace notape::optim {
namespace {

using ::testing::HasSubstr;

/// Everything that a training may forget: random order, dropout, running means, moments, rates.
struct Training {
  Training() : optimizer(model->parameters(), AdamOptions(0.01)), schedule(optimizer, 0.8) {}

  /// One epoch; dies in the middle of it if told to.
  void run(const data::Dataset& examples, bool dies = false) {
    int batches = 0;
    for (const auto& [x, y] : data::ShuffledBatches(examples, 16)) {
      if (dies && ++batches == 3) std::raise(SIGKILL);
      optimizer.zero_grad();
      mse_loss(model(x), y).backward();
      optimizer.step();
    }
  }
  /// From where the file is, if there is one, to the end; dies in epoch `dies_in`.
  void go_on(const data::Dataset& examples, const std::string& path, int64_t dies_in = -1) {
    int64_t epoch = std::filesystem::exists(path) ? load_checkpoint(path, *model, optimizer) : 0;
    for (; epoch < 5; ++epoch) {
      schedule.step(epoch);
      run(examples, epoch == dies_in);
      save_checkpoint(path, *model, optimizer, epoch + 1);
    }
  }
  Tensor parameters() const {
    TensorList all;
    for (const auto& [name, tensor] : model->named_state())
      all.push_back(tensor.detach().to(kFloat64).reshape({-1}));
    return cat(all);
  }

  nn::Sequential model = nn::Sequential(nn::Linear(4, 8), nn::BatchNorm1d(8), nn::ReLU(),
                                        nn::Dropout(0.3), nn::Linear(8, 1));
  Adam optimizer;
  ExponentialLR schedule;
};

data::Dataset examples() {
  Generator generator(3);
  const Tensor x = randn({100, 4}, generator);
  return {x, x.sum(1, true)};
}

TEST(Checkpoint, AKilledTrainingGoesOnToTheSameBits) {
  const testing::TemporaryFolder folder;
  const data::Dataset data = examples();
  manual_seed(1);
  Training uninterrupted;
  uninterrupted.go_on(data, folder / "whole");
  const Tensor expected = uninterrupted.parameters();

  const std::string path = folder / "killed";
  const Tensor result = multiprocessing::SharedTensor::zeros(expected.sizes(), kFloat64).tensor();
  /// In a process that dies in an epoch, or after that many microseconds, wherever it is then.
  const auto start = [&](int64_t dies_in, useconds_t dies_after = 0) {
    multiprocessing::spawn(1, [&](int) {
      ::ualarm(dies_after, 0);
      manual_seed(1);
      Training training;
      training.go_on(data, path, dies_in);
      result.copy_(training.parameters());
    });
  };
  for (const int64_t dies_in : {0, 2, 4})
    EXPECT_THROW(start(dies_in), multiprocessing::ProcessFailed) << dies_in;
  start(-1);
  EXPECT_TRUE(result.equal(expected));

  std::filesystem::remove(path);
  result.zero_();
  int deaths = 0;
  for (useconds_t dies_after = 500;; dies_after += 500) try {
      start(-1, dies_after);
      break;
    } catch (const multiprocessing::ProcessFailed&) {
      ++deaths;
    }
  EXPECT_GT(deaths, 0);
  EXPECT_TRUE(result.equal(expected));
}

TEST(Checkpoint, OfAnotherModelOrOptimizerChangesNothing) {
  const testing::TemporaryFolder folder;
  Training training;
  training.go_on(examples(), folder / "a");
  const auto expect_refused = [&](nn::Module& model, Optimizer& optimizer, const char* why) {
    const NamedTensors before = nn::state_dict(model);
    NamedTensors copies;
    for (const auto& [name, tensor] : before) copies.emplace(name, tensor.clone());
    manual_seed(5);
    const Tensor place = default_generator().get_state();
    try {
      load_checkpoint(folder / "a", model, optimizer);
      ADD_FAILURE() << why;
    } catch (const ValueError& error) {
      EXPECT_THAT(error.what(), HasSubstr(why));
    }
    for (const auto& [name, tensor] : before) EXPECT_TRUE(tensor.equal(copies.at(name))) << name;
    EXPECT_TRUE(default_generator().get_state().equal(place));
  };
  nn::Sequential other(nn::Linear(4, 9));
  Adam of_other(other->parameters());
  expect_refused(*other, of_other, "of another size: 0.weight");
  Training same;
  Adam of_some(std::vector<Tensor>{same.model->parameters()[0]});
  expect_refused(*same.model, of_some, "unexpected: state.1.exp_avg");

  NamedTensors without = load_safetensors(folder / "a");
  without.erase("epoch");
  save_safetensors(folder / "a", without);
  expect_refused(*same.model, same.optimizer, "not a checkpoint: it has no 'epoch'");
}

}  // namespace
}  // namespace notape::optim
