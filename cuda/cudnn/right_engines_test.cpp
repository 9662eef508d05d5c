// Convolutions take the algorithms that a census has found right, and none else.
#include "cuda/cudnn/right_engines.h"

#include <gtest/gtest.h>

#include "autograd/autograd.h"
#include "cuda/emulated/emulator.h"
#include "ops/ops.h"

namespace notape::cuda {
namespace {

/// A convolution that no other test has.
struct OfTheCensus {
  Tensor image, filter;

  OfTheCensus() {
    static int64_t width = 30;
    image = randn({2, 2, 5, ++width});
    filter = randn({4, 2, 3, 3});
  }
  std::string problem() const {
    return "2x2x5x" + std::to_string(image.size(3)) + ",4x2x3x3,1x1,1x1,1x1,1";
  }
  /// The algorithm that ran, -1 without one; the values are checked.
  int algorithm() const {
    emulator::cudnn.algorithm = -1;
    const Tensor y = conv2d(image.to(Device(kCUDA)), filter.to(Device(kCUDA)), {}, 1, 1);
    EXPECT_TRUE(allclose(y.cpu(), conv2d(image, filter, {}, 1, 1), 1e-4, 1e-4));
    return emulator::cudnn.algorithm;
  }
  std::string row(int algorithm, const char* verdict, const char* dtype = "float32") const {
    return R"({"product": "forward", "dtype": ")" + std::string(dtype) +
           R"(", "tf32": false, "problem": ")" + problem() + R"(", "algorithm": ")" +
           std::to_string(algorithm) + R"(", "verdict": ")" + verdict + "\"}";
  }
};

std::string census(const std::string& rows, const std::string& version = cudnn_version()) {
  return R"({"cudnn": ")" + version + R"(", "rows": [)" + rows + "]}";
}

/// In its scope.
struct Restricted {
  explicit Restricted(const std::string& rows) : engines(census(rows), "a test's file") {
    right_engines = &engines;
  }
  ~Restricted() { right_engines = nullptr; }
  const RightEngines engines;
};

TEST(RightEngines, AreTakenInCudnnsOrder) {
  const int favourite = OfTheCensus().algorithm();
  ASSERT_NE(favourite, 0);
  ASSERT_NE(favourite, -1);
  {
    const OfTheCensus one;
    const Restricted to(one.row(0, "pass") + "," + one.row(favourite, "pass"));
    EXPECT_EQ(one.algorithm(), favourite);
  }
  const OfTheCensus one;
  const Restricted to(one.row(0, "pass") + "," + one.row(favourite, "fail"));
  EXPECT_EQ(one.algorithm(), 0);
}

TEST(RightEngines, LeaveAConvolutionToOtherKernelsWhereThereAreNone) {
  const OfTheCensus wrong, unknown, of_another_type;
  const Restricted to(wrong.row(0, "fail") + "," + wrong.row(1, "refused") + "," +
                      of_another_type.row(0, "pass", "float64"));
  struct Heard : WarningHandler {
    std::vector<std::string> messages;
    void process(const Warning& warning) override { messages.push_back(warning.msg()); }
  } heard;
  const WarningHandlerGuard guard(&heard);
  EXPECT_EQ(wrong.algorithm(), -1);
  EXPECT_TRUE(heard.messages.empty());
  EXPECT_EQ(unknown.algorithm(), -1);
  ASSERT_EQ(heard.messages.size(), 1u);
  EXPECT_NE(heard.messages[0].find("--problem " + unknown.problem()), std::string::npos);
  EXPECT_EQ(of_another_type.algorithm(), -1);
}

TEST(RightEngines, AreThoseOfRowMajorOperands) {
  const OfTheCensus one;
  const Restricted to(one.row(0, "pass"));
  const Tensor channels_last =
      one.image.permute({0, 2, 3, 1}).contiguous().to(Device(kCUDA)).permute({0, 3, 1, 2});
  emulator::cudnn.algorithm = -1;
  emulator::take_counts();
  conv2d(channels_last, one.filter.to(Device(kCUDA)), {}, 1, 1);
  EXPECT_EQ(emulator::cudnn.algorithm, 0);
  EXPECT_GE(emulator::take_counts().launches, 2);  // it was copied first
}

TEST(RightEngines, RefuseFilesThatAreNoCensus) {
  EXPECT_THROW(RightEngines("{", "x"), FileError);
  EXPECT_THROW(RightEngines("{}", "x"), FileError);
  EXPECT_THROW(RightEngines(census("{}"), "x"), FileError);
  EXPECT_THROW(RightEngines(census("", "8.0.0"), "x"), FileError);
  EXPECT_THROW(RightEngines("/nowhere/engines.json"), FileError);
}

}  // namespace
}  // namespace notape::cuda
