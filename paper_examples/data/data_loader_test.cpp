#include "paper_examples/data/data_loader.h"

#include <gmock/gmock.h>

#include <atomic>
#include <numeric>
#include <stdexcept>
#include <thread>

#include "autograd/testing/sim_device.h"
#include "ops/ops.h"
#include "paper_examples/data/datasets/shared.h"
#include "paper_examples/data/datasets/tensor.h"
#include "paper_examples/data/samplers/distributed.h"
#include "paper_examples/data/transforms/tensor.h"
#include "paper_examples/testing/message_of.h"

namespace notape::data {
namespace {

using samplers::RandomSampler;
using samplers::SequentialSampler;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using Indices = std::vector<std::size_t>;

/// Example i has data (i, 10 i) and target i.
struct Numbers : datasets::Dataset<Numbers> {
  explicit Numbers(std::size_t n) : count(n) {}
  Example<> get(std::size_t index) override {
    if (failing == index) throw std::runtime_error("boom");
    const int64_t i = static_cast<int64_t>(index);
    return {tensor(std::vector<int64_t>{i, 10 * i}), tensor(std::vector<int64_t>{i})[0]};
  }
  std::optional<std::size_t> size() const override { return count; }

  std::size_t count;
  std::optional<std::size_t> failing;
};

template <typename Loader>
std::vector<std::vector<int64_t>> targets_of(Loader& loader) {
  std::vector<std::vector<int64_t>> batches;
  for (const auto& [data, target] : loader) {
    EXPECT_TRUE(data.select(1, 0).equal(target));
    EXPECT_TRUE(data.select(1, 1).equal(target * 10));
    batches.emplace_back();
    for (int64_t i = 0; i < target.size(0); ++i)
      batches.back().push_back(target[i].template item<int64_t>());
  }
  return batches;
}

auto stacked(std::size_t size) { return Numbers(size).map(transforms::Stack<>()); }

TEST(DataLoader, C16_GivesBatchesInTheSamplersOrderWhateverTheNumberOfWorkers) {
  for (const std::size_t workers : {0, 1, 3}) {
    const auto loader =
        make_data_loader<SequentialSampler>(stacked(10), DataLoaderOptions(4).workers(workers));
    for (int pass = 0; pass < 2; ++pass)
      EXPECT_THAT(targets_of(*loader),
                  ElementsAre(ElementsAre(0, 1, 2, 3), ElementsAre(4, 5, 6, 7), ElementsAre(8, 9)));
  }
}

/// Examples with noise.
struct NoisyNumbers : datasets::Dataset<NoisyNumbers> {
  Example<> get(std::size_t index) override {
    return {randn({2}) + static_cast<double>(index), randperm(4)};
  }
  std::optional<std::size_t> size() const override { return 23; }
};

TEST(DataLoader, C16_WhatIsDrawnForABatchDoesNotDependOnWorkersOrOnWhatElseIsDrawn) {
  std::vector<Tensor> passes;
  for (const std::size_t workers : {0, 1, 3})
    for (const bool draws_between : {false, true}) {
      manual_seed(3);
      const auto loader = make_data_loader(NoisyNumbers().map(transforms::Stack<>()),
                                           DataLoaderOptions(4).workers(workers));
      std::vector<Tensor> batches;
      for (const auto& [data, target] : *loader) {
        batches.push_back(cat({data, target.to(kFloat32)}, 1));
        if (draws_between) rand({5});
      }
      passes.push_back(cat(batches));
      EXPECT_TRUE(passes.back().equal(passes[0])) << workers;
    }
  const auto loader = make_data_loader<SequentialSampler>(NoisyNumbers().map(transforms::Stack<>()),
                                                          DataLoaderOptions(23));
  const Tensor first = loader->begin()->data, second = loader->begin()->data;
  EXPECT_FALSE(first.equal(second)) << "of another pass";
  EXPECT_FALSE((first[0] - 0).equal(first[1] - 1)) << "of another example";
}

TEST(DataLoader, C16_ShufflesByTheSeedWhateverTheNumberOfWorkers) {
  std::vector<std::vector<std::vector<int64_t>>> passes;
  for (const std::size_t workers : {0, 2}) {
    manual_seed(3);
    const auto loader = make_data_loader(stacked(50), DataLoaderOptions(7).workers(workers));
    passes.push_back(targets_of(*loader));
    passes.push_back(targets_of(*loader));
  }
  EXPECT_EQ(passes[0], passes[2]);
  EXPECT_EQ(passes[1], passes[3]);
  EXPECT_NE(passes[0], passes[1]);
  std::vector<int64_t> all;
  for (const auto& batch : passes[0]) all.insert(all.end(), batch.begin(), batch.end());
  std::ranges::sort(all);
  std::vector<int64_t> expected(50);
  std::iota(expected.begin(), expected.end(), 0);
  EXPECT_EQ(all, expected);
}

TEST(DataLoader, MayLeaveTheLastBatchOutAndTheOrderToTheWorkers) {
  const auto loader = make_data_loader<SequentialSampler>(
      stacked(10), DataLoaderOptions(4).workers(2).drop_last(true).enforce_ordering(false));
  EXPECT_THAT(targets_of(*loader),
              ::testing::UnorderedElementsAre(ElementsAre(0, 1, 2, 3), ElementsAre(4, 5, 6, 7)));
}

TEST(DataLoader, C16_TellsWhichExampleFailedInAWorkerAfterTheBatchesBefore) {
  Numbers numbers(20);
  numbers.failing = 9;
  const auto loader = make_data_loader<SequentialSampler>(numbers.map(transforms::Stack<>()),
                                                          DataLoaderOptions(4).workers(2));
  int batches = 0;
  try {
    for ([[maybe_unused]] const auto& batch : *loader) ++batches;
    FAIL() << "no error";
  } catch (const WorkerException& error) {
    EXPECT_STREQ(error.what(),
                 "Caught exception in DataLoader worker thread, example 9. Original message: boom");
    EXPECT_EQ(error.example, 9u);
    EXPECT_THROW(std::rethrow_exception(error.original_exception), std::runtime_error);
  }
  EXPECT_EQ(batches, 2);
  EXPECT_THROW(targets_of(*loader), WorkerException);  // a new pass begins again
}

TEST(DataLoader, LetsErrorsThroughAsTheyAreWithoutWorkers) {
  Numbers numbers(3);
  numbers.failing = 1;
  const auto loader = make_data_loader<SequentialSampler>(numbers.map(transforms::Stack<>()));
  EXPECT_THROW(targets_of(*loader), std::runtime_error);
}

/// Counts its copies' calls that are under way.
struct Busy : datasets::Dataset<Busy, int> {
  int get(std::size_t index) override {
    ++*running;
    ++*made;
    std::this_thread::yield();
    --*running;
    return static_cast<int>(index);
  }
  std::optional<std::size_t> size() const override { return 1000; }
  std::shared_ptr<std::atomic<int>> running = std::make_shared<std::atomic<int>>(0),
                                    made = std::make_shared<std::atomic<int>>(0);
};

TEST(DataLoader, C16_EndsItsWorkersWhenALoopIsLeft) {
  Busy busy;
  const auto loader = make_data_loader<SequentialSampler>(busy, DataLoaderOptions(1).workers(3));
  for (const auto& batch : *loader)
    if (batch[0] == 5) break;
  EXPECT_EQ(*busy.running, 0);
  const int made = *busy.made;
  EXPECT_LE(made, 6 + 6);  // those taken, and max_jobs more
  std::this_thread::yield();
  EXPECT_EQ(*busy.made, made);
  int first = -1;
  for (const auto& batch : *loader) {
    first = batch[0];
    break;
  }
  EXPECT_EQ(first, 0);
}

TEST(DataLoader, C16_PinsBatchesWhereThereIsADevice) {
  for (const std::size_t workers : {0, 2}) {
    const auto options = DataLoaderOptions(4).workers(workers).pin_memory(true);
    const auto loader = make_data_loader<SequentialSampler>(stacked(10), options);
    const auto examples = make_data_loader<SequentialSampler>(Numbers(10), options);
    const auto all_pinned = [&](bool wanted) {
      int64_t next = 0;
      for (const auto& batch : *loader) {
        EXPECT_EQ(batch.data.is_pinned(), wanted);
        EXPECT_EQ(batch.target.is_pinned(), wanted);
        const Tensor there = wanted ? batch.data.to(Device(kSIM), true) : batch.data;
        for (int64_t i = 0; i < batch.target.size(0); ++i)
          EXPECT_EQ(there.cpu()[i][0].item<int64_t>(), next++);
      }
      for (const auto& batch : *examples)
        for (const auto& one : batch) EXPECT_EQ(one.target.is_pinned(), wanted);
    };
    if (!accelerator()) all_pinned(false);
    notape::testing::SimDevice device;
    all_pinned(true);
  }
}

/// What it is made of is its own affair.
struct Sentence {
  Sentence pin_memory() const { return {words.pin_memory()}; }
  Tensor words;
};

TEST(Pinned, GoesThroughWhatBatchesAreMadeOf) {
  notape::testing::SimDevice device;
  const std::pair<std::vector<Tensor>, Sentence> both =
      pinned(std::pair(std::vector<Tensor>{ones({2}), Tensor()}, Sentence{ones({3})}));
  EXPECT_TRUE(both.first[0].is_pinned());
  EXPECT_FALSE(both.first[1].defined());
  EXPECT_TRUE(both.second.words.is_pinned());
  EXPECT_TRUE(pinned(TensorExample(ones({2}))).data.is_pinned());
  EXPECT_FALSE(pinned(ones({2}).to(Device(kSIM))).is_cpu());
  EXPECT_EQ(pinned(3), 3);
  EXPECT_EQ(pinned(std::vector<bool>{true, false}), (std::vector<bool>{true, false}));
  EXPECT_EQ(*pinned(std::make_unique<int>(5)), 5);
}

TEST(DataLoader, RefusesASecondPassWhileWorkersAreAtOne) {
  const auto loader =
      make_data_loader<SequentialSampler>(stacked(4), DataLoaderOptions(2).workers(1));
  auto first = loader->begin();
  EXPECT_THAT(message_of<Error>([&] { loader->begin(); }), HasSubstr("not yet exhausted"));
  ++ ++first;
  EXPECT_TRUE(first == loader->end());
  EXPECT_THROW(*first, IndexError);
  EXPECT_THROW(++first, IndexError);
  EXPECT_EQ(targets_of(*loader).size(), 2u);
}

TEST(DataLoader, WithoutWorkersPassesDoNotKnowOfEachOther) {
  const auto loader = make_data_loader<SequentialSampler>(stacked(4), DataLoaderOptions(2));
  auto first = loader->begin();
  ++first;
  const auto all = ElementsAre(ElementsAre(0, 1), ElementsAre(2, 3));
  EXPECT_THAT(targets_of(*loader), all);
  EXPECT_EQ(first->target[0].item(), 2);  // goes on where it was
  EXPECT_TRUE(++first == loader->end());
  std::size_t pairs = 0;
  for ([[maybe_unused]] const auto& outer : *loader) pairs += targets_of(*loader).size();
  EXPECT_EQ(pairs, 4u);
}

TEST(DataLoader, RefusesOptionsThatGiveNoBatches) {
  EXPECT_THROW(make_data_loader(stacked(4), 0), ValueError);
  EXPECT_THROW(make_data_loader(stacked(4), DataLoaderOptions(1).workers(1).max_jobs(0)),
               ValueError);
}

/// Gives its batch when it is let go.
struct Stuck : datasets::Dataset<Stuck, int> {
  int get(std::size_t) override {
    go->wait(false);
    return 0;
  }
  std::optional<std::size_t> size() const override { return 1; }
  std::shared_ptr<std::atomic<bool>> go = std::make_shared<std::atomic<bool>>(false);
};

TEST(DataLoader, WaitsNoLongerThanTheTimeout) {
  Stuck stuck;
  const auto loader = make_data_loader<SequentialSampler>(
      stuck, DataLoaderOptions(1).workers(1).timeout(std::chrono::milliseconds(1)));
  auto batch = loader->begin();
  EXPECT_THAT(message_of<Error>([&] { *batch; }), HasSubstr("no batch within 1 ms"));
  *stuck.go = true;
  stuck.go->notify_all();
}

TEST(DataLoader, AnErrorOfTheTimeoutDoesNotWaitForTheWorker) {
  Stuck stuck;
  auto loader = make_data_loader<SequentialSampler>(
      stuck, DataLoaderOptions(1).workers(1).timeout(std::chrono::milliseconds(1)));
  // The iterator is gone when the error arrives, and the worker is still at its batch.
  EXPECT_THAT(message_of<Error>([&] {
                for ([[maybe_unused]] const auto& batch : *loader) {
                }
              }),
              HasSubstr("no batch within 1 ms"));
  EXPECT_FALSE(*stuck.go);
  *stuck.go = true;
  stuck.go->notify_all();
  loader.reset();  // waits for it
  EXPECT_EQ(stuck.go.use_count(), 1);
}

TEST(SharedDataset, IsNotCopied) {
  auto shared = datasets::make_shared_dataset<Numbers>(6);
  shared->failing = 2;
  const auto loader = make_data_loader<SequentialSampler>(shared, DataLoaderOptions(2).workers(2));
  shared->failing.reset();
  int batches = 0;
  for (const auto& batch : *loader) batches += batch.size() == 2;
  EXPECT_EQ(batches, 3);
}

TEST(Transforms, NormalizeStackAndFunctions) {
  datasets::TensorDataset images(arange(8, kFloat32).view({2, 1, 2, 2}));
  auto mapped = images.map(transforms::Normalize<example::NoTarget>(1, 2))
                    .map(transforms::Lambda<TensorExample>(
                        [](TensorExample e) { return TensorExample(e.data * 10); }))
                    .map(transforms::Stack<TensorExample>());
  const Indices request{1, 0};
  const Tensor batch = mapped.get_batch(request);
  EXPECT_EQ(batch.sizes(), (IntArrayRef{2, 1, 2, 2}));
  EXPECT_EQ(batch[0][0][0][0].item(), 15);  // (4 - 1) / 2 * 10

  transforms::Normalize<> by_channel({0.0, 1.0}, {1.0, 0.5});
  EXPECT_TRUE(by_channel(ones({2, 1, 1})).equal(tensor({1.0, 0.0}).view({2, 1, 1})));
}

Indices drawn(samplers::Sampler<>& sampler, std::size_t batch_size) {
  Indices all;
  while (const auto batch = sampler.next(batch_size)) {
    EXPECT_LE(batch->size(), batch_size);
    all.insert(all.end(), batch->begin(), batch->end());
  }
  return all;
}

TEST(Samplers, TakeANewSizeWhenTheyBeginAgain) {
  SequentialSampler sequential(3);
  EXPECT_THAT(drawn(sequential, 2), ElementsAre(0, 1, 2));
  sequential.reset(2);
  EXPECT_THAT(drawn(sequential, 2), ElementsAre(0, 1));
  RandomSampler random(3);
  random.reset(5);
  EXPECT_THAT(drawn(random, 2), ::testing::UnorderedElementsAre(0, 1, 2, 3, 4));
  EXPECT_THROW(RandomSampler(-1), ValueError);
}

TEST(DistributedSamplers, ShareTheDataSetOut) {
  const auto parts = [](auto make) {
    Indices all;
    for (std::size_t rank : {0, 1, 2}) {
      auto sampler = make(rank);
      sampler.set_epoch(4);
      for (std::size_t index : drawn(sampler, 3)) all.push_back(index);
    }
    return all;
  };
  using samplers::DistributedRandomSampler;
  using samplers::DistributedSequentialSampler;
  EXPECT_THAT(parts([](std::size_t rank) { return DistributedSequentialSampler(10, 3, rank); }),
              ElementsAre(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 0, 1));
  EXPECT_THAT(
      parts([](std::size_t rank) { return DistributedSequentialSampler(10, 3, rank, false); }),
      ElementsAre(0, 1, 2, 3, 4, 5, 6, 7, 8));
  Indices random = parts([](std::size_t rank) { return DistributedRandomSampler(9, 3, rank); });
  EXPECT_NE(random, (Indices{0, 1, 2, 3, 4, 5, 6, 7, 8}));
  EXPECT_THAT(random, ::testing::UnorderedElementsAre(0, 1, 2, 3, 4, 5, 6, 7, 8));
  EXPECT_THROW(DistributedSequentialSampler(10, 3, 3), ValueError);
}

}  // namespace
}  // namespace notape::data
