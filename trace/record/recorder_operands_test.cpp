// Recorder with shapes and with memory: what operators were called with, what tensors took.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <thread>

#include "autograd/function.h"
#include "autograd/modes/grad_mode.h"
#include "autograd/tensor/factories.h"
#include "ops/ops.h"
#include "trace/testing/recordings.h"

namespace notape::trace {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using testing::record;

Recorder::Options with_shapes() {
  Recorder::Options options;
  options.shapes = true;
  return options;
}
Recorder::Options with_memory() {
  Recorder::Options options;
  options.memory = true;
  return options;
}

/// Of the first operator of this name.
std::vector<Operand> operands_of(const Recording& recording, std::string_view name) {
  for (const ThreadRecording& thread : recording.threads)
    for (const Event& event : thread.events)
      if (event.name == name) return event.operands;
  ADD_FAILURE() << "no " << name;
  return {};
}

Operand floats(std::vector<int64_t> sizes) { return {true, kFloat, std::move(sizes)}; }

TEST(RecorderWithShapes, KnowsSizesAndTypes) {
  const Tensor a = ones({2, 3}), b = ones({3}), n = ones({4}, kInt64);
  const Recording recording = record(
      [&] {
        a + b;
        n* n;
      },
      with_shapes());
  EXPECT_THAT(operands_of(recording, "add"), ElementsAre(floats({2, 3}), floats({3})));
  const Operand integers{true, kInt64, {4}};
  EXPECT_THAT(operands_of(recording, "mul"), ElementsAre(integers, integers));
}

TEST(RecorderWithShapes, KnowsThemWhetherAGraphIsRecordedOrNot) {
  const Tensor x = ones({2, 3}, requires_grad());
  const Recording recording = record(
      [&] {
        x.tanh();
        const NoGradGuard no_grad;
        x.sin();
      },
      with_shapes());
  EXPECT_THAT(operands_of(recording, "tanh"), ElementsAre(floats({2, 3})));
  EXPECT_THAT(operands_of(recording, "sin"), ElementsAre(floats({2, 3})));
}

TEST(RecorderWithShapes, KnowsThemOfWritesViewsListsAndOperatorsThatCallOthers) {
  Tensor a = ones({2, 3});
  const Tensor b = ones({3}), w = ones({4, 3});
  const Recording recording = record(
      [&] {
        a.add_(b);
        a.fill_(2);
        a.view({3, 2});
        a.select(0, 1);
        cat({a, a, b.view({1, 3})});
        linear(a, w);
      },
      with_shapes());
  EXPECT_THAT(operands_of(recording, "add_"), ElementsAre(floats({2, 3}), floats({3})));
  EXPECT_THAT(operands_of(recording, "fill_").at(0), floats({2, 3}));
  EXPECT_THAT(operands_of(recording, "view"), ElementsAre(floats({2, 3})));
  EXPECT_THAT(operands_of(recording, "select"), ElementsAre(floats({2, 3})));
  EXPECT_THAT(operands_of(recording, "cat"),
              ElementsAre(floats({2, 3}), floats({2, 3}), floats({1, 3})));
  EXPECT_THAT(operands_of(recording, "linear").size(), ::testing::Ge(2U));
}

TEST(RecorderWithShapes, KnowsAllOfManyDimensions) {
  const std::vector<int64_t> sizes = {1, 2, 1, 3, 1, 2, 1, 2, 5};
  const Tensor a = ones(sizes);
  EXPECT_THAT(operands_of(record([&] { a.neg(); }, with_shapes()), "neg"),
              ElementsAre(floats(sizes)));
}

TEST(RecorderWithShapes, SaysNothingUnlessItIsAsked) {
  const Tensor a = ones({2, 3});
  record([&] { a + a; }, with_shapes());
  EXPECT_THAT(operands_of(record([&] { a + a; }), "add"), IsEmpty());
}

/// The thread's word that asks for operands means something else to user functions, too.
TEST(RecorderWithShapes, ChangesNothingOfWhatIsComputed) {
  const Tensor x = ones({2, 3}, requires_grad());
  record(
      [&] {
        const Tensor y = x * x;
        EXPECT_FALSE(y.detach().impl().has(TensorImpl::kConstant));
        EXPECT_TRUE((y + x).requires_grad());
        y.sum().backward();
      },
      with_shapes());
  EXPECT_EQ(x.grad().sum().item(), 12);
  const Tensor after = x + x;
  EXPECT_EQ(thread_state.watched, 0);
}

TEST(RecorderWithMemory, SeesTensorsTakeAndGiveBackMemory) {
  const Tensor before = ones({1000});
  Tensor held = ones({500});
  const Recording recording = record(
      [&] {
        Tensor large = before + before;
        const Tensor small = large.sum();
        held = Tensor();  // was there before
        large = Tensor();
      },
      with_memory());
  ASSERT_EQ(recording.threads.size(), 1U);
  std::vector<int64_t> bytes, totals;
  for (const RecordedMemory& memory : recording.threads[0].memory) {
    bytes.push_back(memory.bytes);
    totals.push_back(memory.allocated);
    EXPECT_TRUE(memory.device.is_cpu());
    EXPECT_NE(memory.address, 0U);
    EXPECT_EQ(memory.reserved, 0);
    EXPECT_GE(memory.time_ns, recording.started.monotonic_ns);
  }
  EXPECT_THAT(bytes, ElementsAre(4000, 4, -4000, -4));
  EXPECT_THAT(totals, ElementsAre(4000, 4004, 4, 0));
}

TEST(RecorderWithMemory, SeesWhatAnotherThreadGivesBack) {
  const Tensor a = ones({1000});
  const Recording recording = record(
      [&] {
        Tensor sum = a + a;
        std::thread([&] { sum = Tensor(); }).join();
      },
      with_memory());
  ASSERT_EQ(recording.threads.size(), 2U);
  EXPECT_EQ(recording.threads[0].memory.at(0).bytes, 4000);
  EXPECT_EQ(recording.threads[1].memory.at(0).bytes, -4000);
  EXPECT_EQ(recording.threads[1].memory.at(0).address, recording.threads[0].memory.at(0).address);
}

TEST(RecorderWithMemory, ForgetsWhatIsGivenBackInALaterSession) {
  const Tensor a = ones({1000});
  Tensor sum;
  record([&] { sum = a + a; }, with_memory());
  const Recording later = record([&] { sum = Tensor(); }, with_memory());
  EXPECT_TRUE(later.threads.empty());
  EXPECT_EQ(active_memory_observer.load(), nullptr);
}

TEST(RecorderWithMemory, KnowsWhatItCosts) {
  const RecorderCost plain = record([] {}).cost;
  EXPECT_EQ(plain.operands_ns, 0);
  EXPECT_EQ(plain.memory_ns, 0);
  EXPECT_GT(record([] {}, with_shapes()).cost.operands_ns, 0);
  EXPECT_GT(record([] {}, with_memory()).cost.memory_ns, 0);
}

}  // namespace
}  // namespace notape::trace
