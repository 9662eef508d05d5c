// notape trace record -- PROGRAM, with the command and cmake/recorded_program/main.cpp as programs.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <set>
#include <thread>

#include "paper_examples/testing/command.h"
#include "trace/write/check_trace.h"
#include "trace/write/output_file.h"

namespace notape::command {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;

struct RecordProgram : CommandTest {
  Outcome record(const std::string& words) const { return run("trace record " + words); }
  nlohmann::json rows_of(const std::string& name) const {
    EXPECT_THAT(trace::check_trace(folder_ / name).complaints, IsEmpty());
    return nlohmann::json::parse(trace::read_file(folder_ / name));
  }
  std::string names_of(const std::string& name) const {
    std::string names;
    const nlohmann::json file = rows_of(name);
    for (const auto& event : file["traceEvents"])
      if (event.value("cat", "") == "cpu_op") names += event["name"].get<std::string>() + " ";
    return names;
  }
  /// As the name of its unfinished file tells.
  pid_t program_that_writes() const {
    for (const std::string& name : files())
      if (name.starts_with("x.partial-")) return std::stoi(name.substr(10));
    ADD_FAILURE() << "nobody writes";
    return 0;
  }
  std::set<std::string> files() const {
    std::set<std::string> names;
    for (const auto& entry : std::filesystem::directory_iterator(folder_.path()))
      names.insert(entry.path().filename());
    names.erase("out");
    names.erase("error");
    return names;
  }
};

TEST_F(RecordProgram, RecordsAProgramThatKnowsNothingOfIt) {
  const Outcome said =
      record("-o x.json.gz --shapes --memory -- " NOTAPE_COMMAND " examples run fig1");
  EXPECT_EQ(said.status, 0) << said.error;
  EXPECT_THAT(said.out, HasSubstr("=== 1 example, all as expected"));
  EXPECT_THAT(said.error, HasSubstr("written: " + (folder_ / "x.json.gz") + ", "));
  EXPECT_THAT(names_of("x.json.gz"), HasSubstr("TanhBackward0"));
  const std::string text = trace::read_file(folder_ / "x.json.gz");
  EXPECT_THAT(text, HasSubstr("\"Input Dims\":[[20,10],[10,1]]"));
  EXPECT_THAT(text, HasSubstr("[memory]"));
  EXPECT_EQ(files(), std::set<std::string>{"x.json.gz"});
}

TEST_F(RecordProgram, NeedsNoCommandForIt) {
  const Outcome said = shell("NOTAPE_TRACE=y.json " NOTAPE_COMMAND " examples run fig1");
  EXPECT_EQ(said.status, 0);
  EXPECT_THAT(said.error, IsEmpty());
  EXPECT_THAT(names_of("y.json"), HasSubstr("tanh"));
}

TEST_F(RecordProgram, PassesTheExitStatusOn) {
  EXPECT_EQ(record("-o x.json -- sh -c '" NOTAPE_COMMAND " examples run fig1; exit 7'").status, 7);
  EXPECT_THAT(names_of("x.json"), HasSubstr("tanh"));
}

TEST_F(RecordProgram, SaysInOneLineThatNothingWasRecorded) {
  for (const auto& [program, status] : {std::pair("true", 2), std::pair("false", 1)}) {
    const Outcome said = record(std::string("-o x.json -- ") + program);
    EXPECT_EQ(said.status, status);
    EXPECT_THAT(said.error,
                HasSubstr(std::string(program) + " has recorded nothing: it does not use "
                                                 "libnotape.so"));
    EXPECT_EQ(said.error_lines(), 1) << said.error;
    EXPECT_THAT(files(), IsEmpty());
  }
  EXPECT_THAT(record("-o x.json -- " NOTAPE_COMMAND " --version").error,
              HasSubstr("in which no operator ran"));
}

TEST_F(RecordProgram, RefusesInOneLineWhatCannotBeDone) {
  for (const auto& [words, what] :
       {std::pair("-o x.json -- /no/such/program", "/no/such/program: cannot be run: No such file"),
        std::pair("-o x.svg -- true", "ends in .json or .json.gz"),
        std::pair("-o /no/such/folder/x.json -- true", "/no/such/folder/x.json"),
        std::pair("fig1 -- true",
                  "EXAMPLE, --steps, --device, --nvtx and --gpu are not for programs"),
        std::pair("-o x.json", "EXAMPLE is required"), std::pair("--", "EXAMPLE is required")}) {
    const Outcome said = record(words);
    EXPECT_EQ(said.status, 2) << words;
    EXPECT_THAT(said.error, HasSubstr(what)) << words;
    EXPECT_EQ(said.error_lines(), 1) << said.error;
    EXPECT_THAT(files(), IsEmpty());
  }
}

TEST_F(RecordProgram, WhatAnEnvironmentAsksForInVainIsOneLineAndTheProgramGoesOn) {
  for (const auto& [variables, what] :
       {std::pair("NOTAPE_TRACE=x.txt", "ends in .json or .json.gz"),
        std::pair("NOTAPE_TRACE=/no/such/folder/x.json", "/no/such/folder/x.json"),
        std::pair("NOTAPE_TRACE=x.json NOTAPE_TRACE_OPTIONS=everything", "no 'everything'")}) {
    const Outcome said = shell(std::string(variables) + " " NOTAPE_COMMAND " examples run fig1");
    EXPECT_EQ(said.status, 0);
    EXPECT_THAT(said.error, HasSubstr(std::string("notape: NOTAPE_TRACE: "))) << variables;
    EXPECT_THAT(said.error, HasSubstr(what));
    EXPECT_EQ(said.error_lines(), 1) << said.error;
  }
}

TEST_F(RecordProgram, SeesThreadsAndNotTheForkedChild) {
  const Outcome said = record("-o x.json -- " NOTAPE_RECORDED_PROGRAM " forks_and_has_threads");
  EXPECT_EQ(said.status, 0) << said.out << said.error;
  const std::string names = names_of("x.json");
  for (const char* name : {"tanh ", "sin ", "exp "}) EXPECT_THAT(names, HasSubstr(name));
  EXPECT_EQ(names.find("exp "), names.rfind("exp "));
  EXPECT_EQ(rows_of("x.json")["metadata"]["threads"], 2);
  EXPECT_EQ(files(), std::set<std::string>{"x.json"});
}

/// Signals: those that the program does not handle, and one that nobody can.
TEST_F(RecordProgram, AProgramThatASignalEndsLeavesAWholeTraceBesideTheFile) {
  for (const auto& [signal, code] :
       {std::pair(SIGINT, 130), std::pair(SIGTERM, 143), std::pair(SIGKILL, 137)}) {
    for (const char* name : {"x.interrupted.json", "sign"}) std::filesystem::remove(folder_ / name);
    const pid_t command = fork();
    if (command == 0) {
      const std::string line = "cd " + folder_.path().string() +
                               " && exec " NOTAPE_COMMAND
                               " trace record -o x.json -- " NOTAPE_RECORDED_PROGRAM
                               " runs_until_it_is_ended sign >out 2>error";
      execl("/bin/sh", "sh", "-c", line.c_str(), nullptr);
      _exit(127);
    }
    while (!std::filesystem::exists(folder_ / "sign"))
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
    // The command hands on what it gets; but SIGKILL it cannot, so that goes to the program.
    kill(signal == SIGKILL ? program_that_writes() : command, signal);
    int status = 0;
    ASSERT_EQ(waitpid(command, &status, 0), command);
    const std::string error = trace::read_file(folder_ / "error");
    EXPECT_EQ(WEXITSTATUS(status), code) << error;
    EXPECT_THAT(error, HasSubstr("written: " + (folder_ / "x.interrupted.json")));
    EXPECT_EQ(files(), (std::set<std::string>{"sign", "x.interrupted.json"})) << signal;
    const std::string text = trace::read_file(folder_ / "x.interrupted.json");
    EXPECT_TRUE(nlohmann::json::accept(text)) << signal;
    EXPECT_THAT(text, HasSubstr("MmBackward0"));
  }
}

TEST_F(RecordProgram, AFullDiskIsOneLineAndNotTheProgramsFault) {
  const Outcome said =
      shell("sh -c 'ulimit -f 8; exec " NOTAPE_COMMAND " trace record -o x.json -- " NOTAPE_COMMAND
            " examples run listing1'");
  EXPECT_EQ(said.status, 2) << said.error;
  EXPECT_THAT(said.error, HasSubstr("x.json: cannot be written"));
  EXPECT_THAT(files(), IsEmpty());
}

}  // namespace
}  // namespace notape::command
