// Plugins of both versions of the C interface as files: what loads, and what is refused in a line.
#include <gmock/gmock.h>

#include <cstddef>
#include <cstdlib>
#include <sstream>

#include "verify/command/session_test_helper.h"
#include "verify/plugin/c_abi.h"
#include "verify/report/json.h"

namespace notape::verify {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

const std::string kFirst = std::string("plugin:") + NOTAPE_FIRST_VERSION;
const std::string kSecond = std::string("plugin:") + NOTAPE_BAD_OPERATORS2;

// What a plugin of the first version was compiled with.
static_assert(sizeof(void*) != 8 || sizeof(notape_shape) == 72);
static_assert(sizeof(void*) != 8 || sizeof(notape_buffer) == 88);
static_assert(sizeof(void*) != 8 || sizeof(notape_operator) == 104);
static_assert(sizeof(void*) != 8 || offsetof(notape_operator, context) == 96);
static_assert(sizeof(void*) != 8 || sizeof(notape_plugin) == 64);

Said command_on_plugin(std::vector<std::string> words) {
  words.insert(words.end(), {"--timeout", "5", "--memory", "64"});
  return say(words, {});
}

TEST(SecondVersion, APluginOfTheFirstVersionStillLoadsAndIsJudged) {
  const Said right = command_on_plugin({kFirst, "cube", "--dtype", "float64"});
  EXPECT_EQ(right.code, 0) << right.out << right.err;
  const Said wrong = command_on_plugin({kFirst, "wrong_cube", "--dtype", "float64"});
  EXPECT_EQ(wrong.code, 1) << wrong.out << wrong.err;
  EXPECT_THAT(wrong.out, AllOf(HasSubstr("FAIL: wrong_cube/reverse in float64"),
                               HasSubstr("rule       cube.c:24")));
}

const std::string kFrozen = std::string("plugin:") + NOTAPE_SECOND_VERSION;

TEST(SecondVersion, APluginCompiledAgainstItsHeaderStillLoadsAndIsJudged) {
  const Said right = command_on_plugin({kFrozen, "halves", "--samples", "6"});
  EXPECT_EQ(right.code, 0) << right.out << right.err;
  EXPECT_THAT(right.out, AllOf(HasSubstr("float64"), HasSubstr("float32")));
  const Said wrong = command_on_plugin({kFrozen, "wrong_halves", "--samples", "6"});
  EXPECT_EQ(wrong.code, 1) << wrong.out << wrong.err;
  EXPECT_THAT(wrong.out, AllOf(HasSubstr("FAIL: wrong_halves/reverse in float64"),
                               HasSubstr("rule       halves.c:7")));
}

TEST(SecondVersion, ATypeThatNoOperatorDeclaresIsRefusedInALine) {
  const std::pair<const char*, const char*> cases[] = {
      {"halves", "'halves' takes float64 and float32, not bfloat16"},
      {"wrong_halves", "'wrong_halves' takes float64, not bfloat16"},
      {"*halves", "' do not take bfloat16"}};
  for (const auto& [op, why] : cases) {
    const Said said = command_on_plugin({kFrozen, op, "--dtype", "bfloat16"});
    EXPECT_EQ(said.code, 2) << said.out;
    EXPECT_THAT(said.out, IsEmpty());
    EXPECT_THAT(said.err, HasSubstr(why));
    EXPECT_EQ(std::count(said.err.begin(), said.err.end(), '\n'), 1) << said.err;
  }
  const Said device = command_on_plugin({kFrozen, "halves", "--device", "cuda"});
  EXPECT_EQ(device.code, 2);
  EXPECT_THAT(device.err, HasSubstr("'halves' declares the cpu alone"));
}

TEST(SecondVersion, WhatAnOperatorPrintsIsLabelledLineByLine) {
  ::testing::internal::CaptureStderr();
  const Said said = command_on_plugin({kFrozen, "noisy", "--check", "finite"});
  const std::string printed = ::testing::internal::GetCapturedStderr();
  EXPECT_EQ(said.code, 0) << said.err;
  EXPECT_THAT(said.out, Not(HasSubstr("half a line")));
  std::istringstream lines(printed);
  int count = 0;
  for (std::string line; std::getline(lines, line); ++count)
    EXPECT_EQ(line, "[libsecond_version.so noisy] half a line, and the rest");
  EXPECT_GT(count, 0);
}

TEST(SecondVersion, EachBadOperatorIsOneVerdictAndTheOthersStillRun) {
  const testing::TemporaryFolder folder;
  const Said said = command_on_plugin({kSecond, "--samples", "4", "--dtype", "float64", "--format",
                                       "json", "--out", folder / "out"});
  EXPECT_EQ(said.code, 6) << said.out << said.err;
  for (const char* op : {"crash", "hang", "null", "crash_in_reference"})
    EXPECT_THAT(said.out, HasSubstr(std::string("ERROR: ") + op + "/")) << op;
  EXPECT_THAT(said.out,
              AllOf(Not(HasSubstr(": lookup/")), HasSubstr("it gave no answer within 5 s"),
                    HasSubstr("it crashed (SIGSEGV) in the check 'reference'")));
}

TEST(SecondVersion, AStructureOfALaterVersionIsReadAsFarAsItIsKnown) {
  ::setenv("NOTAPE_BAD_PLUGIN", "longer", 1);
  const Said said = command_on_plugin({kSecond, "--samples", "4"});
  ::unsetenv("NOTAPE_BAD_PLUGIN");
  EXPECT_EQ(said.code, 0) << said.out << said.err;
}

TEST(SecondVersion, ADeclarationThatMakesNoSenseIsOneLineAndExitCode2) {
  const std::pair<const char*, const char*> cases[] = {
      {"null", "notape_plugin_v2 gives nothing"},
      {"abi", "speaks version 3 of the plugin interface, this command 2"},
      {"plugin size", "says that notape_plugin2 has 8 bytes"},
      {"plugin huge", "says that notape_plugin2 has 18446744073709551615 bytes"},
      {"many", "declares absurdly many operators"},
      {"nowhere", "declares operators that are nowhere"},
      {"none", "has no operators"},
      {"operator size", "says that notape_operator2 has 16 bytes; here it has"},
      {"operator huge", "says that notape_operator2 has 1099511627776 bytes"},
      {"name", "an operator's name is not 1 to 100 letters"},
      {"no name", "an operator's name is not 1 to 100 letters"},
      {"no shape", "lacks one of its functions shape, forward and backward"},
      {"no backward", "lacks one of its functions shape, forward and backward"},
      {"flags", "sets flags of it that nobody knows: 64"},
      {"dtypes", "takes types that nobody knows: 258"},
      {"float32 only", "does not take float64"},
      {"ways", "offers no shapes"},
      {"outputs", "has 1000000 outputs: 1 to 16 are possible"},
      {"no outputs", "has 0 outputs: 1 to 16 are possible"},
      {"inputs", "has 2000000000 inputs: 1 to 32 are possible"},
      {"negative", "has -1 inputs: 1 to 32 are possible"},
      {"inputs nowhere", "declares 2 inputs that are nowhere"},
      {"input size", "says that inputs[0] has 4 bytes"},
      {"input sizes", "says that inputs[1] has 64 bytes, and inputs[0] 56"},
      {"input type", "has inputs[1] (index) of type 77: neither NOTAPE_REAL"},
      {"float input", "has inputs[1] (index) of type 1: neither NOTAPE_REAL"},
      {"all whole", "has no real input, so nothing to differentiate"},
      {"input name", "has a name of inputs[0] that is not"},
      {"input flags", "sets flags of inputs[0] (x) that nobody knows: 8"},
      {"ascending reals", "has real inputs[0] (x) that ascend"},
      {"range", "has an empty or infinite range of inputs[0] (x): nan to 2"},
      {"endless", "has an empty or infinite range of inputs[0] (x): -2 to inf"},
      {"empty", "has an empty or infinite range of inputs[1] (index): 0 to -1"},
      {"halves", "has a range of inputs[1] (index) that is not of whole numbers"},
      {"int32", "has a range of inputs[1] (index) that int32 does not hold"},
      {"too whole", "has a range of inputs[1] (index) that is not of whole numbers"},
      {"kinks nowhere", "declares 1 kinks that are nowhere"},
      {"kinks", "has 1073741824 kinks: 0 to 1000 are possible"},
      {"whole kinks", "has kinks of inputs[1] (index), which is not differentiated"},
      {"kink nan", "has a kink of inputs[0] (x) at nan, outside of its range"},
      {"kink outside", "has a kink of inputs[0] (x) at 5, outside of its range"},
      {"convention", "has a kink of inputs[0] (x) with convention 99, which nobody knows"},
      {"slopes nan", "has a kink of inputs[0] (x) with slopes 0, 0 and nan"},
      {"slopes equal", "has a kink of inputs[0] (x) at 1 whose slopes are both 0"},
      {"kink size", "says that kinks[0] has 0 bytes"},
      {"attributes", "has 17 attributes: 0 to 16 are possible"},
      {"attribute kind", "has attributes[0] (axis) of kind 2: neither"},
      {"attribute range", "has an empty or infinite range of attributes[0] (axis): nan to 1"},
      {"attribute halves", "has a range of attributes[0] (axis) that is not of whole numbers"},
      {"saved type", "has saved[0] (mask) of type 16, which no saved buffer has"},
      {"saved nowhere", "declares 3 saved that are nowhere"},
      {"slope only", "has a slope of a reference, and no reference"},
      {"wild", "cannot be used: it crashed (SIGSEGV)"},
  };
  for (const auto& [what, why] : cases) {
    ::setenv("NOTAPE_BAD_PLUGIN", what, 1);
    const Said said = command_on_plugin({"run", kSecond});
    EXPECT_EQ(said.code, 2) << what;
    EXPECT_THAT(said.out, IsEmpty()) << what;
    EXPECT_THAT(said.err, HasSubstr(why)) << what;
    EXPECT_EQ(std::count(said.err.begin(), said.err.end(), '\n'), 1) << said.err;
  }
  ::unsetenv("NOTAPE_BAD_PLUGIN");
}

}  // namespace
}  // namespace notape::verify
