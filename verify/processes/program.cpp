#include "verify/processes/program.h"

#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

#include <utility>

namespace notape::verify {
namespace {

/// In the child, whose parent may have had threads: nothing but system calls.
[[noreturn]] void become(char* const* arguments, int output, Program::Errors errors) {
  ::dup2(output, STDOUT_FILENO);
  if (errors == Program::Errors::Dropped) {
    const int nowhere = ::open("/dev/null", O_WRONLY);
    if (nowhere >= 0) ::dup2(nowhere, STDERR_FILENO);
  }
  for (const int number : {SIGINT, SIGTERM, SIGPIPE}) ::signal(number, SIG_DFL);
  ::execvp(arguments[0], arguments);
  ::_exit(127);
}

Child started(std::vector<std::string> words, Program::Errors errors) {
  std::vector<char*> arguments;
  for (std::string& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  return Child([&](ToParent& parent) { become(arguments.data(), parent.descriptor(), errors); },
               kNoLimits);
}

}  // namespace

Program::Program(std::vector<std::string> words, Errors errors)
    : child_(started(std::move(words), errors)) {}

std::string Program::output() {
  ChildEnd end = child_.wait();
  end_ = end.detail;
  return std::move(end.said);
}

}  // namespace notape::verify
