#include "trace/nvtx_observer.h"

#include <gtest/gtest.h>

#include <cstdlib>

#include "autograd/tensor/factories.h"
#include "ops/elementwise.h"
#include "trace/range.h"
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

TEST(NvtxObserver, MarksNothingWhileThereIsNone) {
  testing::take_nvtx_marks();
  const Range range("range");
  const Tensor y = ones({4}) + ones({4});
  EXPECT_TRUE(testing::take_nvtx_marks().empty());
}

#else

TEST(NvtxObserver, SaysThatThisBuildHasNone) { EXPECT_FALSE(nvtx_is_available()); }

#endif

}  // namespace
}  // namespace notape::trace
