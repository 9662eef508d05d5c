// Four times the rows cost about four times the time, whatever the rows are like: what grows with
// the square would cost sixteen times. The time is that of this thread on its processor, so that
// other programs matter little.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <time.h>

#include <algorithm>

#include "trace/analysis/by_process.h"
#include "trace/convert/convert.h"
#include "trace/report/report_page.h"
#include "trace/testing/micro_trace.h"
#include "trace/testing/trace_files.h"

namespace notape::trace {
namespace {

constexpr int64_t kFew = 4'000, kMany = 4 * kFew;
constexpr double kMostRatio = 8;

int64_t thread_ns() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return now.tv_sec * 1'000'000'000 + now.tv_nsec;
}

class Rows {
 public:
  void add(const char* category, const char* name, int64_t pid, int64_t tid, int64_t begin,
           int64_t length, const std::string& arguments = "") {
    text_ += fmt::format(
        R"({}{{"ph":"X","cat":"{}","name":"{}","pid":{},"tid":{},"ts":{},"dur":{},"args":{{{}}}}})",
        text_.empty() ? "" : ",\n", category, name, pid, tid, begin, length, arguments);
  }
  void launch(int64_t pid, int64_t tid, int64_t begin, int64_t length, int64_t correlation) {
    add("cuda_runtime", "cudaLaunchKernel", pid, tid, begin, length,
        fmt::format(R"("correlation":{})", correlation));
  }
  void kernel(int64_t device, int64_t stream, int64_t begin, int64_t length, int64_t correlation) {
    add("kernel", "k", device, stream, begin, length,
        fmt::format(R"("device":{},"stream":{},"correlation":{})", device, stream, correlation));
  }
  std::string trace() const { return testing::trace_of(text_); }

 private:
  std::string text_;
};

struct Shape {
  const char* what;
  void (*add)(Rows& rows, int64_t i, int64_t n);
};

constexpr int64_t kPid = 4242;

const Shape kShapes[] = {
    {"ops that are all open at once, none inside another",
     [](Rows& rows, int64_t i, int64_t n) { rows.add("cpu_op", "a", kPid, 1, i, n); }},
    {"ops inside each other",
     [](Rows& rows, int64_t i, int64_t n) {
       rows.add("cpu_op", "MulBackward0", kPid, 1, i, 4 * n - 2 * i);
       rows.launch(kPid, 1, 2 * n + i, 1, i + 1);
     }},
    {"a thread for each op",
     [](Rows& rows, int64_t i, int64_t) {
       rows.add("cpu_op", "a", kPid, i + 1, 10 * i, 8);
       rows.launch(kPid, i + 1, 10 * i + 1, 3, i + 1);
       rows.kernel(0, 7, 10 * i + 5, 2, i + 1);
     }},
    {"a stream for each kernel",
     [](Rows& rows, int64_t i, int64_t) {
       rows.launch(kPid, 1, 10 * i, 3, i + 1);
       rows.kernel(0, i + 1, 10 * i + 5, 20, i + 1);
     }},
    {"a step for each op",
     [](Rows& rows, int64_t i, int64_t) {
       rows.add("user_annotation", fmt::format("ProfilerStep#{}", i).c_str(), kPid, 1, 20 * i, 19);
       rows.add("cpu_op", "a", kPid, 1, 20 * i + 1, 8);
       rows.launch(kPid, 1, 20 * i + 2, 3, i + 1);
       rows.kernel(0, 7, 20 * i + 6, 9, i + 1);
     }},
    {"launch calls that are all under way at once",
     [](Rows& rows, int64_t i, int64_t n) {
       rows.launch(kPid, i % 100, i, 2 * n, i + 1);
       rows.kernel(0, 7, n + i, 1, i + 1);
     }},
    {"one correlation for all",
     [](Rows& rows, int64_t i, int64_t) {
       rows.launch(kPid, 1, 10 * i, 3, 1);
       rows.kernel(0, 7, 10 * i + 5, 2, 1);
     }},
    {"one correlation for all of three processes",
     [](Rows& rows, int64_t i, int64_t n) {
       rows.add("cpu_op", "a", kPid + i % 3, 1, i, 1);
       rows.launch(kPid + i % 3, 1, i, 1, 1);
       rows.kernel(0, 7, 2 * n + 3 * i, 2, 1);
     }},
    {"waits that are all open at once",
     [](Rows& rows, int64_t i, int64_t n) {
       rows.launch(kPid, 1, 10 * i, 3, i + 1);
       rows.kernel(0, 7, 10 * i + 5, 2, i + 1);
       rows.add("cuda_sync", "Stream Wait Event", 0, 7, i, 10 * n,
                R"("device":0,"stream":7,"wait_on_stream":8)");
     }},
};

int64_t cost_of(const Shape& shape, int64_t n) {
  Rows rows;
  for (int64_t i = 0; i < n; ++i) shape.add(rows, i, n);
  const testing::TextFile file(rows.trace());
  const testing::TemporaryFile converted(".json");
  int64_t least = INT64_MAX;
  for (int repetition = 0; repetition < 2; ++repetition) {
    const int64_t begin = thread_ns();
    const TraceModel model = load_model(file.path());
    by_process(model, [](const TraceModel& of_one) {
      testing::all_reports(of_one);
      return Report();
    });
    report_page(model);
    convert(file.path(), converted.path(), {});
    least = std::min(least, thread_ns() - begin);
  }
  return least;
}

TEST(Scaling, FourTimesTheRowsTakeAboutFourTimesTheTime) {
  for (const Shape& shape : kShapes) {
    const auto few = static_cast<double>(cost_of(shape, kFew));
    const auto many = static_cast<double>(cost_of(shape, kMany));
    EXPECT_LT(many / few, kMostRatio)
        << shape.what << ": " << few / 1e6 << " ms, " << many / 1e6 << " ms";
  }
}

}  // namespace
}  // namespace notape::trace
