// `notape latency` as a user runs it: what it prints and its exit status.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "paper_examples/testing/command.h"

namespace notape {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::StartsWith;

struct LatencyCommand : CommandTest {
  Outcome run(const std::string& words) const {
    return CommandTest::run("latency --repetitions 3 " + words);
  }
  /// A program that acts as another library; each call takes `ns`.
  std::string library_with(const std::string& name, int ns) const {
    return program(name, "printf 'ready\\tLibTorch 9, C++\\n'\nwhile read -r a b c d; do echo $((" +
                             std::to_string(ns) + " * d)); done\n");
  }
};

TEST_F(LatencyCommand, GatesDecideTheExitStatus) {
  const Outcome holds = run("--gate 'tensor.minimum<=1000us' --gate 'tensor.minimum>=0.001ns'");
  EXPECT_EQ(holds.status, 0) << holds.error;
  EXPECT_THAT(holds.error, IsEmpty());
  EXPECT_THAT(holds.out, HasSubstr("gate holds: tensor.minimum<=1000us"));

  const Outcome fails =
      run("--gate 'tensor.minimum<=0.001ns' --gate 'tensor.minimum<=1000us' "
          "--gate 'differentiable.minimum<=0.01x tensor.minimum' --format json");
  EXPECT_EQ(fails.status, 1);
  EXPECT_EQ(std::count(fails.error.begin(), fails.error.end(), '\n'), 2) << fails.error;
  EXPECT_THAT(fails.error,
              AllOf(StartsWith("gate fails: tensor.minimum<=0.001ns: "), HasSubstr(" is above ")));
  const auto gates = nlohmann::json::parse(fails.out)["gates"];
  EXPECT_EQ(gates[0]["holds"], false);
  EXPECT_EQ(gates[1]["holds"], true);
}

TEST_F(LatencyCommand, AGateWithoutDataFailsWithTheReason) {
  const Outcome outcome = run("--gate 'tensor.pre_launch.p50<=1us'");
  EXPECT_EQ(outcome.status, 1);
  EXPECT_THAT(outcome.error, HasSubstr("no data about tensor.pre_launch.p50 (the operands lie on "
                                       "the CPU, where nothing is launched)"));
}

TEST_F(LatencyCommand, MeasuresALibraryThatIsNamedAndSaysWhyOneWasNot) {
  const std::string slow = library_with("slow", 50'000'000);
  const Outcome outcome = run("--libtorch " + slow +
                              " --python no-such-python-at-all "
                              "--gate 'tensor.p50<=1x libtorch.tensor.p50'");
  EXPECT_EQ(outcome.status, 0) << outcome.error;
  EXPECT_THAT(outcome.out,
              AllOf(HasSubstr("LibTorch 9, C++"), HasSubstr("50000000.0"),
                    HasSubstr("not measured: no-such-python-at-all: No such file or directory")));
  const Outcome slower = run("--libtorch " + slow + " --libtorch " + library_with("fast", 1) +
                             " --gate 'libtorch_2.tensor.p50>=1x libtorch.tensor.p50'");
  EXPECT_EQ(slower.status, 1);
  EXPECT_THAT(slower.error, HasSubstr("1.0 ns is below 50000000.0 ns, 1 x 50000000.0 ns"));
}

TEST_F(LatencyCommand, PyTorchIsLookedForWhereTheEnvironmentSays) {
  setenv("NOTAPE_TORCH_PYTHON", "no-such-python-at-all", 1);
  const Outcome outcome = run("--against pytorch");
  unsetenv("NOTAPE_TORCH_PYTHON");
  EXPECT_EQ(outcome.status, 0) << outcome.error;
  EXPECT_THAT(outcome.out, HasSubstr("not measured: no-such-python-at-all: No such file"));
}

TEST_F(LatencyCommand, ThePictureIsOfTheCurve) {
  const Outcome outcome = run("--operation mul -o " + path("curve.svg"));
  EXPECT_EQ(outcome.status, 0) << outcome.error;
  EXPECT_THAT(outcome.out, AllOf(HasSubstr("65536"), HasSubstr("outweighs it from about"),
                                 HasSubstr("written: " + path("curve.svg"))));
  EXPECT_THAT(trace::read_file(path("curve.svg")), AllOf(StartsWith("<svg"), HasSubstr("</svg>")));
}

TEST_F(LatencyCommand, CsvHasARowPerFigureAndPerPoint) {
  const Outcome outcome = run("--curve --format csv");
  EXPECT_EQ(outcome.status, 0) << outcome.error;
  EXPECT_THAT(outcome.out,
              AllOf(StartsWith("metric,value,unit,n,window,"), HasSubstr("\nbackward.self.p50,"),
                    HasSubstr("\nnotape,tensor,64,"), HasSubstr("\nnotape,backward,65536,")));
}

}  // namespace
}  // namespace notape
