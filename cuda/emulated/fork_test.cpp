// A GPU's driver does not survive a fork.
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include "autograd/autograd.h"

namespace notape::cuda {
namespace {

TEST(Fork, IsANamedErrorOfTheChildAndNothingToTheParent) {
  const Tensor x = ones({3}, Device(kCUDA));
  const pid_t child = ::fork();
  if (child == 0) {
    bool is_named = false;
    try {
      static_cast<void>(x + x);
    } catch (const DeviceError& error) {
      is_named = std::string(error.what()).find("forked") != std::string::npos;
    }
    ::_exit(is_named ? 0 : 1);
  }
  int status = 1;
  ::waitpid(child, &status, 0);
  EXPECT_EQ(status, 0);
  EXPECT_EQ((x + x).sum().cpu().item(), 6);
}

}  // namespace
}  // namespace notape::cuda
