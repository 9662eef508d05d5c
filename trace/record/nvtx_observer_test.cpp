#include "trace/record/nvtx_observer.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <optional>
#include <thread>

#include "autograd/tensor/factories.h"
#include "ops/elementwise.h"
#include "ops/optimize.h"
#include "trace/record/range.h"
#include "trace/testing/nvtx_receiver.h"
#include "trace/testing/recordings.h"

namespace notape::trace {
namespace {

using testing::record;

Recording record_with_nvtx(const std::function<void()>& program) {
  NvtxObserver observer(Recorder::instance());
  Recorder::Options options;
  options.in_front = &observer;
  return record(program, options);
}

TEST(NvtxObserver, PassesEverythingOnToTheRecorder) {
  const Tensor x = ones({4}, requires_grad());
  const Recording recording = record_with_nvtx([&] {
    const Range range("range");
    (x * x).backward(ones({4}));
  });
  const Timeline timeline = make_timeline(recording);
  EXPECT_EQ(timeline.links.size(), 1U);
  EXPECT_EQ(testing::slice_named(timeline, "mul").parent, 0);
  EXPECT_FALSE(nvtx_is_on());
}

TEST(NvtxObserver, PassesOnWhereABackwardRunBegins) {
  struct Behind final : Observer {
    void operator_begin(const char*, uint64_t) noexcept override {}
    void operator_end(const char*, uint64_t) noexcept override {}
    void node_begin(const Node&) noexcept override {}
    void node_end(const Node&) noexcept override {}
    void backward_begin(const Tensor*, std::size_t count) noexcept override { roots += count; }
    std::size_t roots = 0;
  } behind;
  NvtxObserver observer(behind);
  Observer* const before = set_observer(&observer);
  ones({1}, requires_grad()).backward();
  set_observer(before);
  EXPECT_EQ(behind.roots, 1U);
}

#ifdef NOTAPE_HAVE_NVTX

TEST(NvtxObserver, MarksOperatorsNodesRangesAndStepsInItsDomain) {
  unsetenv("NVTX_INJECTION64_PATH");
  const Tensor x = ones({4}, requires_grad());
  testing::take_nvtx_marks();
  record_with_nvtx([&] {
    const Step step(7);
    const Range range("range");
    const Tensor y = x + x;
    y.backward(ones({4}));
  });
  const auto marks = testing::take_nvtx_marks();
  EXPECT_EQ(testing::nvtx_domains(), std::vector<std::string>{"notape"});
  ASSERT_GE(marks.size(), 8U);
  EXPECT_EQ(marks[0].name, "ProfilerStep");
  EXPECT_EQ(marks[0].payload, 7U);
  EXPECT_EQ(marks[1].name, "range");
  EXPECT_EQ(marks[2].name, "add");
  EXPECT_EQ(marks[3].name, "pop");
  EXPECT_EQ(marks[4].name, "AddBackward0");
  EXPECT_EQ(marks[4].payload, marks[2].payload);  // the sequence number
  EXPECT_NE(marks[4].category, marks[2].category);
  int depth = 0;
  for (const testing::NvtxMark& mark : marks) {
    EXPECT_TRUE(mark.name == "pop" || mark.is_registered) << mark.name;
    depth += mark.name == "pop" ? -1 : 1;
    EXPECT_GE(depth, 0);
  }
  EXPECT_EQ(depth, 0);
}

TEST(NvtxObserver, NamesTheCategoriesOfItsMarks) {
  unsetenv("NVTX_INJECTION64_PATH");
  testing::take_nvtx_marks();
  const Tensor x = ones({4}, requires_grad());
  record_with_nvtx([&] {
    const Step step(7);
    const Range range("range");
    const AsynchronousRange background("background");
    (x + x).backward(ones({4}));
  });
  std::map<std::string, std::string> category_of;
  for (const testing::NvtxMark& mark : testing::take_nvtx_marks())
    category_of[mark.name] = testing::nvtx_categories()[mark.category];
  EXPECT_EQ(category_of["ProfilerStep"], "step");
  EXPECT_EQ(category_of["range"], "range");
  EXPECT_EQ(category_of["add"], "forward");
  EXPECT_EQ(category_of["AddBackward0"], "backward");
  EXPECT_EQ(category_of["background"], "asynchronous");
}

TEST(NvtxObserver, MarksMemoryWithItsBytesAndStepsOfOptimizersAsSuch) {
  unsetenv("NVTX_INJECTION64_PATH");
  testing::take_nvtx_marks();
  const Tensor parameter = ones({4}), gradient = ones({4});
  NvtxObserver observer(Recorder::instance());
  Recorder::Options options;
  options.in_front = &observer;
  options.memory = true;
  record([&] { multi_tensor_sgd_({parameter}, {gradient}, {}, {.lr = 1}, {1}); }, options);
  record([] { ones({1000}); }, options);
  std::vector<int64_t> bytes;
  std::string category;
  for (const testing::NvtxMark& one : testing::take_nvtx_marks()) {
    if (one.name == "multi_tensor_sgd_") category = testing::nvtx_categories()[one.category];
    if (one.name != "memory") continue;
    EXPECT_EQ(testing::nvtx_categories()[one.category], "allocator");
    EXPECT_TRUE(one.is_registered);
    bytes.push_back(static_cast<int64_t>(one.payload));
  }
  EXPECT_EQ(category, "optimizer");
  EXPECT_EQ(bytes, (std::vector<int64_t>{4000, -4000}));
}

TEST(NvtxObserver, RegistersANameOncePerThreadAndThenSendsItsHandle) {
  unsetenv("NVTX_INJECTION64_PATH");
  const int before = testing::nvtx_registrations("hypot");
  const auto work = [] {
    for (int i = 0; i < 10; ++i) const Operation op("hypot", SourceLocation::current());
  };
  testing::take_nvtx_marks();
  record_with_nvtx([&] {
    std::thread other(work);
    other.join();
  });
  EXPECT_EQ(testing::nvtx_registrations("hypot"), before + 1);
  const auto marks = testing::take_nvtx_marks();
  ASSERT_EQ(marks.size(), 20U);
  for (const testing::NvtxMark& mark : marks)
    EXPECT_TRUE(mark.name == "pop" || (mark.name == "hypot" && mark.is_registered));
}

TEST(NvtxObserver, ARangeWithANumberEndsOnAnotherThreadWithoutNesting) {
  unsetenv("NVTX_INJECTION64_PATH");
  testing::take_nvtx_marks();
  record_with_nvtx([] {
    std::optional<AsynchronousRange> first(std::in_place, "first");
    const AsynchronousRange second("second");
    std::thread other([moved = std::move(*first)] {});
    first.reset();
    other.join();
  });
  const auto marks = testing::take_nvtx_marks();
  ASSERT_EQ(marks.size(), 4U);
  EXPECT_EQ(marks[0].name, "first");
  EXPECT_EQ(marks[1].name, "second");
  EXPECT_TRUE(marks[0].is_registered);
  EXPECT_EQ(marks[2].name, "end");
  EXPECT_EQ(marks[2].range, marks[0].range);  // before the second, which began later
  EXPECT_EQ(marks[3].range, marks[1].range);
  EXPECT_NE(marks[0].range, marks[1].range);
}

TEST(NvtxObserver, ALibraryThatDoesNotLoadMakesEveryMarkNothing) {
  // In a process of its own: NVTX looks for a tool once.
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT(
      {
        setenv("NVTX_INJECTION64_PATH", "/no/such/library.so", 1);
        record_with_nvtx([] { const Range range("range"); });
        std::exit(testing::take_nvtx_marks().empty() ? 0 : 1);
      },
      ::testing::ExitedWithCode(0), "");
  EXPECT_EXIT(
      {
        unsetenv("NVTX_INJECTION64_PATH");
        record_with_nvtx([] { const Range range("range"); });
        std::exit(testing::take_nvtx_marks().size() == 2 ? 0 : 1);
      },
      ::testing::ExitedWithCode(0), "");
}

TEST(NvtxObserver, MarksNothingWhileThereIsNone) {
  testing::take_nvtx_marks();
  const Range range("range");
  const AsynchronousRange background("background");
  const Tensor y = ones({4}) + ones({4});
  EXPECT_TRUE(testing::take_nvtx_marks().empty());
}

#else

TEST(NvtxObserver, SaysThatThisBuildHasNone) { EXPECT_FALSE(nvtx_is_available()); }

#endif

}  // namespace
}  // namespace notape::trace
