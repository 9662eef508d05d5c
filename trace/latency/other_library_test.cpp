#include "trace/latency/other_library.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "trace/latency/pytorch_program.h"
#include "trace/record/clock.h"

namespace notape::trace {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::StartsWith;

OtherLibrary shell_script(const std::string& script) {
  return {"libtorch", "LibTorch", {"sh", "-c", script}};
}

std::string reason_of(const OtherLibrary& library) {
  try {
    OtherProcess process(library);
    process.run({}, 10);
  } catch (const ProcessError& error) {
    return error.what_without_backtrace();
  }
  return "";
}

TEST(OtherProcess, AnswersWithTheTimesOfCalls) {
  OtherProcess process(shell_script(
      "printf 'ready\\tLibTorch 9, C++\\n'; while read -r a b c d; do echo \"$c$d\"; done"));
  EXPECT_EQ(process.name(), "LibTorch 9, C++");
  EXPECT_EQ(process.run({"add", WorkClass::Tensor, 16}, 7), 167);
  EXPECT_EQ(process.run({"mul", WorkClass::Backward, 4}, 100), 4100);
}

TEST(OtherProcess, IsToldWhatToMeasure) {
  OtherProcess process(
      shell_script("printf 'ready\\tx\\n'; read -r line; [ \"$line\" = 'mul backward 64 9' ] && "
                   "echo 1 || echo \"$line\" >&2"));
  EXPECT_EQ(process.run({"mul", WorkClass::Backward, 64}, 9), 1);
}

TEST(OtherProcess, RunsWithOneThread) {
  OtherProcess process(shell_script(
      "printf 'ready\\tx\\n'; read -r line; echo \"$OMP_NUM_THREADS$MKL_NUM_THREADS\""));
  EXPECT_EQ(process.run({}, 1), 11);
}

TEST(OtherProcess, SaysWhyThereAreNoTimes) {
  EXPECT_THAT(reason_of({"pytorch", "PyTorch", {"/no/such/python"}}),
              HasSubstr("/no/such/python: No such file or directory"));
  EXPECT_THAT(reason_of({"pytorch", "PyTorch", {}, "it is not installed"}),
              HasSubstr("it is not installed"));
  EXPECT_THAT(reason_of(shell_script("printf 'missing\\tno torch here\\n'")),
              HasSubstr("sh: no torch here"));
  EXPECT_THAT(reason_of(shell_script("echo first >&2; echo libc10.so: cannot open >&2; exit 127")),
              HasSubstr("it ended: libc10.so: cannot open"));
  EXPECT_THAT(reason_of(shell_script("echo hello")), HasSubstr("it says 'hello'"));
  EXPECT_THAT(reason_of(shell_script("printf 'ready\\tx\\n'; read -r line")),
              HasSubstr("it ended"));
  EXPECT_THAT(reason_of(shell_script("printf 'ready\\tx\\n'; read -r line; echo fast")),
              HasSubstr("it says 'fast'"));
  EXPECT_THAT(reason_of(shell_script("printf 'ready\\tx\\n'; read -r line; echo -5")),
              HasSubstr("it says '-5'"));
}

TEST(OtherProcess, IsNotWaitedForOnceThatIsEnough) {
  const int64_t begin = now_ns();
  try {
    OtherProcess process(shell_script("sleep 100"), [] { return true; });
    ADD_FAILURE() << "it was never ready";
  } catch (const ProcessError& error) {
    EXPECT_THAT(error.what(), HasSubstr("interrupted before it was ready"));
  }
  EXPECT_LT(now_ns() - begin, int64_t{20'000'000'000}) << "and it is ended, not waited for";
}

/// Most of them close their end before they are asked.
TEST(OtherProcess, OneThatHasEndedIsNoSignalForUs) {
  for (int i = 0; i < 20; ++i)
    EXPECT_THAT(reason_of(shell_script("printf 'ready\\tx\\n'")), HasSubstr("it ended"));
}

TEST(OtherProcess, APythonWithoutTorchSaysSo) {
  const OtherLibrary library{"pytorch", "PyTorch", {"python3", "-S", "-I", "-c", kPytorchProgram}};
  EXPECT_THAT(reason_of(library),
              AllOf(StartsWith("python3: "), HasSubstr("No module named 'torch'")));
}

/// A stand-in for torch in which tensors are lists: the program's own lines are run.
TEST(OtherProcess, ThePythonProgramMeasuresAllClasses) {
  const std::string torch = R"(
import sys, types
class Tensor:
    def __init__(self): self.grad = None
    def __add__(self, other): return Tensor()
    __mul__ = __add__
    def backward(self, gradient): assert isinstance(gradient, Tensor)
torch = types.ModuleType('torch')
torch.__version__ = '9.1+cpu'
torch.ones = lambda n, requires_grad=False: Tensor()
torch.set_num_threads = lambda n: None
sys.modules['torch'] = torch
)";
  OtherProcess process({"pytorch", "PyTorch", {"python3", "-c", torch + kPytorchProgram}});
  EXPECT_THAT(process.name(), StartsWith("PyTorch 9.1, Python 3"));
  for (const std::string_view operation : kWorkOperations)
    for (const WorkClass work : kWorkClasses)
      EXPECT_GT(process.run({std::string(operation), work, 4}, 50), 0)
          << operation << ' ' << name_of(work);
}

}  // namespace
}  // namespace notape::trace
