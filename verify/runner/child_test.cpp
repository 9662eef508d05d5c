#include "verify/runner/child.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <unistd.h>

#include <stdexcept>
#include <vector>

namespace notape::verify {
namespace {

TEST(Child, WhatItSendsArrivesWhole) {
  const std::string long_text(1 << 20, 'x');
  const ChildEnd end = run_in_child([&](ToParent& parent) {
    parent.send("begin ");
    parent.send(long_text);
  });
  EXPECT_EQ(end.kind, ChildEnd::Kind::Finished);
  EXPECT_EQ(end.said, "begin " + long_text);
}

TEST(Child, ACrashNamesTheSignalAndWhatWasGoingOn) {
  const ChildEnd end = run_in_child([](ToParent& parent) {
    parent.send("first");
    parent.note("second");
    ::raise(SIGSEGV);
  });
  EXPECT_EQ(end.kind, ChildEnd::Kind::Crashed);
  EXPECT_EQ(end.detail, "SIGSEGV");
  EXPECT_EQ(end.said, "first");
  EXPECT_EQ(end.doing, "second");
}

TEST(Child, AnEndlessLoopEndsAtTheTimeLimit) {
  const ChildEnd end = run_in_child(
      [](ToParent& parent) {
        parent.note("the loop");
        for (volatile bool forever = true; forever;) {
        }
      },
      {.seconds = 0.2});
  EXPECT_EQ(end.kind, ChildEnd::Kind::TooSlow);
  EXPECT_EQ(end.doing, "the loop");
}

TEST(Child, AnExceptionAndAnExitAreTold) {
  EXPECT_EQ(run_in_child([](ToParent&) { throw std::runtime_error("no"); }).detail, "an exception");
  for (int status : {3, 0}) {
    const ChildEnd left = run_in_child([=](ToParent& parent) {
      parent.send("half an answer");
      ::_exit(status);
    });
    EXPECT_EQ(left.kind, ChildEnd::Kind::Left);
    EXPECT_EQ(left.detail, "exit(" + std::to_string(status) + ")");
  }
}

TEST(Child, WhateverItStartedDoesNotKeepTheParentWaiting) {
  const ChildEnd end = run_in_child([](ToParent& parent) {
    parent.send("done");
    if (::fork() == 0) ::pause();
  });
  EXPECT_EQ(end.kind, ChildEnd::Kind::Finished);
  EXPECT_EQ(end.said, "done");
}

TEST(Child, TheMostMemoryItHadIsTold) {
  const ChildEnd end = run_in_child([](ToParent&) {
    const std::vector<char> large(std::size_t(64) << 20, 'x');
    if (large[large.size() / 2] != 'x') ::_exit(1);
  });
  EXPECT_GT(end.peak_bytes, uint64_t(64) << 20);
}

TEST(Child, MemoryBeyondTheLimitIsRefusedThereAlone) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  GTEST_SKIP() << "sanitizers reserve address space of their own";
#endif
  const ChildEnd end = run_in_child(
      [](ToParent& parent) {
        try {
          std::vector<char> large(std::size_t(1) << 30);
          parent.send(std::string(1, large[1 << 20] == 0 ? 'y' : 'n'));
        } catch (const std::bad_alloc&) {
          parent.send("refused");
        }
      },
      {.bytes = 64 << 20});
  EXPECT_EQ(end.said, "refused");
}

}  // namespace
}  // namespace notape::verify
