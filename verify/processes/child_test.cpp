#include "verify/processes/child.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fstream>
#include <iterator>
#include <stdexcept>
#include <vector>

#include "verify/processes/interruption.h"
#include "verify/processes/orphans.h"
#include "verify/processes/program.h"

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

/// Whether a process is gone within some seconds; a zombie is.
bool goes(pid_t process) {
  for (int i = 0; i < 500; ++i) {
    std::ifstream file("/proc/" + std::to_string(process) + "/stat");
    std::string text((std::istreambuf_iterator<char>(file)), {});
    const std::size_t end = text.rfind(')');
    if (text.empty() || end == text.npos || text.compare(end, 3, ") Z") == 0) return true;
    ::usleep(10'000);
  }
  return false;
}

TEST(Orphans, AreEndedThoughTheyHaveASessionOfTheirOwn) {
  const pid_t own = ::fork();
  if (own == 0) ::pause();
  std::string said;
  {
    const Orphans ended_here;
    said = run_in_child([](ToParent& parent) {
             if (const pid_t between = ::fork()) {
               ::waitpid(between, nullptr, 0);
               return;
             }
             ::setsid();
             if (const pid_t orphan = ::fork()) {
               parent.send(std::to_string(orphan));
               ::_exit(0);
             }
             ::fork();  // and one of its own
             for (;;) ::pause();
           }).said;
  }
  const pid_t orphan = std::stoi(said);
  EXPECT_EQ(::kill(orphan, 0), -1) << "it is there still";
  EXPECT_EQ(::kill(own, 0), 0) << "a child from before is not";
  ::kill(own, SIGKILL);
  EXPECT_EQ(::waitpid(-1, nullptr, 0), own);
  EXPECT_EQ(::waitpid(-1, nullptr, WNOHANG), -1) << "there are children";
}

/// Starts a process that starts another with `start`, which prints its number into the pipe it is
/// given; kills the first one and says whether the second one goes, too.
template <typename Start>
bool goes_with_its_killed_parent(Start start) {
  int ends[2];
  EXPECT_EQ(::pipe(ends), 0);
  const pid_t parent = ::fork();
  if (parent == 0) {
    start(ends[1]);
    ::_exit(1);
  }
  pid_t child = 0;
  EXPECT_EQ(::read(ends[0], &child, sizeof(child)), static_cast<ssize_t>(sizeof(child)));
  ::kill(parent, SIGKILL);
  ::waitpid(parent, nullptr, 0);
  ::close(ends[0]);
  ::close(ends[1]);
  return goes(child);
}

TEST(Child, GoesWithAParentThatIsKilled) {
  EXPECT_TRUE(goes_with_its_killed_parent([](int pipe) {
    run_in_child([&](ToParent&) {
      const pid_t own = ::getpid();
      if (::write(pipe, &own, sizeof(own)) != sizeof(own)) ::_exit(1);
      ::pause();
    });
  }));
}

TEST(Child, SoDoesAnotherProgram) {
  EXPECT_TRUE(goes_with_its_killed_parent([](int pipe) {
    Program sleeper({"sleep", "100"});
    // The only child there is.
    std::ifstream children("/proc/self/task/" + std::to_string(::getpid()) + "/children");
    pid_t child = 0;
    if (!(children >> child)) child = ::getpid();
    if (::write(pipe, &child, sizeof(child)) != sizeof(child)) ::_exit(1);
    ::pause();
  }));
}

TEST(Child, EndsWhereTheRunIsInterrupted) {
  const Interruption interruption;
  EXPECT_THROW(run_in_child([](ToParent&) {
                 ::kill(::getppid(), SIGTERM);
                 for (;;) ::pause();
               }),
               Interrupted);
  EXPECT_EQ(Interruption::name(), "SIGTERM");
  EXPECT_EQ(Interruption::exit_code(), 143);
  EXPECT_THROW(Program({"sleep", "100"}).output(), Interrupted);
  EXPECT_EQ(::waitpid(-1, nullptr, WNOHANG), -1) << "there are children";
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
