// A program that knows nothing of recorders, for tests of `notape trace record -- PROGRAM`, of how
// soon a program computes, and of what a debugger shows.
//   recorded_program forks_and_has_threads      status 0 if the child's was 3
//   recorded_program computes                   a few operations, and ends
//   recorded_program runs_until_it_is_ended SIGN  makes the file SIGN once it has computed a while
#include <notape/notape.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <fstream>
#include <string>
#include <thread>

namespace {

using namespace notape;

int fork_and_have_threads() {
  ones({4}).tanh();
  std::thread([] { ones({4}).sin(); }).join();
  const pid_t child = fork();
  ones({4}).exp();
  if (child == 0) std::exit(3);
  int status = 0;
  waitpid(child, &status, 0);
  return WIFEXITED(status) && WEXITSTATUS(status) == 3 ? 0 : 1;
}

int show_to_a_debugger() {
  const Tensor x = arange(6, kFloat64).view({2, 3}).t(), nothing;
  const Tensor y = ones({4}, requires_grad()).tanh();
  return y.numel() == 4 ? 0 : 1;
}

[[noreturn]] void run_until_ended(const char* sign_of_life) {
  const Tensor a = ones({4, 4}, requires_grad());
  for (int i = 0;; ++i) {
    a.mm(a).sum().backward();
    if (i != 50) continue;
    std::this_thread::sleep_for(std::chrono::milliseconds(300));
    std::ofstream file(sign_of_life);
  }
}

}  // namespace

int main(int count, char** words) {
  const std::string what = count > 1 ? words[1] : "";
  if (what == "forks_and_has_threads") return fork_and_have_threads();
  if (what == "computes") return show_to_a_debugger();
  if (what == "runs_until_it_is_ended" && count == 3) run_until_ended(words[2]);
  return 2;
}
