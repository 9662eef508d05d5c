// A program that ends with an error of ours uncaught says which.
#include <cxxabi.h>

#include "autograd/testing/expect.h"

namespace notape::testing {
namespace {

void end_with(const std::function<void()>& program) noexcept { program(); }

TEST(UncaughtDeathTest, NamesItsClassAsTheProgramWritesIt) {
  EXPECT_DEATH(end_with([] { throw ShapeError("by {}", "nobody"); }),
               "instance of 'notape::ShapeError'(.|\n)*by nobody");
  EXPECT_DEATH(end_with([] { constant({1}).backward(); }),
               "instance of 'notape::NothingRequiresGrad'");
}

template <typename E>
std::string readable_name() {
  int status = 0;
  char* name = abi::__cxa_demangle(typeid(E).name(), nullptr, nullptr, &status);
  const std::string result = status == 0 ? name : "?";
  std::free(name);
  return result;
}

TEST(Uncaught, ClassesAreTypesOfTheirOwnUnderOneBase) {
  EXPECT_EQ(readable_name<ValueError>(), "notape::ValueError");
  EXPECT_EQ(readable_name<SavedTensorModified>(), "notape::SavedTensorModified");
  EXPECT_EQ(readable_name<BackwardTooDeep>(), "notape::BackwardTooDeep");
  EXPECT_STREQ(ValueError("{}", 1).kind(), "ValueError");
  try {
    throw HookError("{}", "x");
  } catch (const Error& error) {
    EXPECT_STREQ(error.kind(), "HookError");
  }
}

}  // namespace
}  // namespace notape::testing
