#include "verify/processes/workers.h"

#include <gtest/gtest.h>
#include <pthread.h>
#include <signal.h>
#include <unistd.h>

#include <set>
#include <stdexcept>
#include <vector>

namespace notape::verify {
namespace {

/// Runs `tasks` on workers; the answers, empty for those that were given up.
std::vector<std::string> answers(std::size_t tasks, int jobs,
                                 const std::function<std::string(std::size_t, ToParent&)>& run,
                                 std::vector<WorkerDeath>* deaths = nullptr, bool again = false) {
  std::vector<std::string> said(tasks);
  run_in_workers({.tasks = tasks,
                  .jobs = jobs,
                  .run = run,
                  .done = [&](std::size_t i, const std::string& answer) { said[i] = answer; },
                  .died =
                      [&](const WorkerDeath& death) {
                        if (deaths) deaths->push_back(death);
                        return again;
                      }});
  return said;
}

TEST(Workers, EveryTaskIsAnsweredWholeByOneOfThem) {
  const std::string long_text(300000, '\n');
  for (int jobs : {1, 3}) {
    const auto said = answers(
        20, jobs, [&](std::size_t task, ToParent&) { return std::to_string(task) + long_text; });
    for (std::size_t i = 0; i < said.size(); ++i) EXPECT_EQ(said[i], std::to_string(i) + long_text);
  }
}

TEST(Workers, WorkIsDoneByOtherProcessesAsManyAsAskedFor) {
  const auto said = answers(3, 3, [](std::size_t, ToParent&) {
    ::usleep(200000);  // so that nobody gets two
    return std::to_string(::getpid());
  });
  const std::set<std::string> processes(said.begin(), said.end());
  EXPECT_EQ(processes.size(), 3u);
  EXPECT_FALSE(processes.contains(std::to_string(::getpid())));
}

TEST(Workers, ADeathCostsOneTaskAndIsTold) {
  std::vector<WorkerDeath> deaths;
  const auto said = answers(
      10, 2,
      [](std::size_t task, ToParent& note) -> std::string {
        note.note("at " + std::to_string(task));
        if (task == 4) ::raise(SIGSEGV);
        if (task == 7) throw std::runtime_error("seven");
        return "well";
      },
      &deaths);
  for (std::size_t i = 0; i < said.size(); ++i) EXPECT_EQ(said[i], i == 4 || i == 7 ? "" : "well");
  ASSERT_EQ(deaths.size(), 2u);
  const WorkerDeath& first = deaths[deaths[0].task == 4 ? 0 : 1];
  EXPECT_EQ(first.task, 4u);
  EXPECT_EQ(first.doing, "at 4");
  EXPECT_EQ(first.how, "SIGSEGV");
  EXPECT_EQ(deaths[deaths[0].task == 7 ? 0 : 1].how, "an exception");
}

TEST(Workers, ASecondAttemptKnowsOfTheFirst) {
  std::vector<WorkerDeath> deaths;
  const auto said = answers(
      3, 2,
      [&](std::size_t task, ToParent&) -> std::string {
        if (task == 1 && deaths.empty()) ::raise(SIGKILL);
        return "well";
      },
      &deaths, true);
  EXPECT_EQ(said, std::vector<std::string>(3, "well"));
  EXPECT_EQ(deaths.size(), 1u);
}

TEST(Workers, EnoughLeavesTheRest) {
  int done = 0;
  run_in_workers({.tasks = 1000000,
                  .jobs = 2,
                  .run = [](std::size_t, ToParent&) { return std::string("well"); },
                  .done = [&](std::size_t, const std::string&) { ++done; },
                  .died = [](const WorkerDeath&) { return false; },
                  .enough = [&] { return done > 3; }});
  EXPECT_LT(done, 100000);
}

bool children_die_at_once = false;

TEST(Workers, WhoDiesBeforeAnyTaskIsNotReplacedForever) {
  ASSERT_EQ(::pthread_atfork(nullptr, nullptr,
                             [] {
                               if (children_die_at_once) ::_exit(3);
                             }),
            0);
  children_die_at_once = true;
  EXPECT_THROW(run_in_workers({.tasks = 1,
                               .jobs = 2,
                               .run = [](std::size_t, ToParent&) { return std::string(); },
                               .done = [](std::size_t, const std::string&) {},
                               .died = [](const WorkerDeath&) { return false; }}),
               std::exception);
  children_die_at_once = false;
}

}  // namespace
}  // namespace notape::verify
