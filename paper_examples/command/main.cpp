// notape COMMAND [arguments]
#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <iostream>
#include <system_error>

#include "autograd/printable.h"
#include "cuda/cudnn/convolution_library.h"
#include "cuda/cusolver/decomposition_library.h"
#include "ops/core/instruction_set.h"
#include "ops/cpu/blas_description.h"
#include "paper_examples/command/command.h"
#include "verify/command/complaint.h"

namespace notape::command {
namespace {

void print_help(std::ostream& out) {
  out << "notape " NOTAPE_VERSION
         ": a define-by-run autograd, its verification and its measurement\n\n"
         "usage: notape COMMAND [arguments]\n\n";
  for (const Command& command : all_commands()) {
    std::string name = command.name;
    name.resize(10, ' ');
    out << "  " << name << command.summary << '\n';
  }
  out << "\nFor a start:\n"
         "  notape verify                                  every operator, or name some\n"
         "  notape ops                                     what they are; notape ops softmax: one\n"
         "  notape examples list                           the programs there are\n"
         "  notape examples run fig1                       one of them\n"
         "  notape examples graph fig1                     its graph as a picture, fig1.svg\n"
         "  notape trace record fig1                       its timeline: open ui.perfetto.dev\n"
         "  notape trace record -- ./program               that of any program which uses "
         "libnotape.so\n"
         "  notape trace idle trace.json.gz                why a GPU does nothing; trace --help: "
         "more\n"
         "  notape latency                                 beside the 2017 paper's figures\n"
         "  notape latency --format json --out now.json    the same for a program to read\n"
         "  notape bench table1 --against torch            training beside PyTorch: the paper's "
         "Table 1\n"
         "  notape latency --curve --against all           1 to 65536 floats, beside PyTorch\n"
         "\n`notape COMMAND --help` says more. Exit status: 0 fine, 1 something failed, 2 "
         "unusable\n"
         "arguments or files, or output that cannot be written, 130 and 143 interrupted by Ctrl-C "
         "and\nby SIGTERM; notape verify has 0 to 6, see notape verify --help.\n";
}

int run(const Arguments& arguments) {
  if (arguments.empty()) {
    print_help(std::cerr);
    return kUnusable;
  }
  const std::string& name = arguments[0];
  if (name == "--help" || name == "-h" || name == "help") {
    print_help(std::cout);
    return kFine;
  }
  if (name == "--version") {
    const char* const vectors = uses_avx512() ? "AVX-512" : "AVX2";
    std::cout << "notape " NOTAPE_VERSION "\nVectors: " << vectors
              << "\nOpenBLAS: " << blas::description()
              << "\ncuDNN: " << cuda::open_convolution_library("libnotape_cudnn.so").version
              << "\ncuSOLVER: " << cuda::open_decomposition_library("libnotape_cusolver.so").version
              << '\n';
    return kFine;
  }
  const std::span<const Command> commands = all_commands();
  const auto command = std::ranges::find(commands, name, &Command::name);
  if (command == commands.end())
    return complain(
        "notape",
        verify::complaint("there is no command '" + name + "'; see notape --help", arguments));
  return command->run(Arguments(arguments.begin() + 1, arguments.end()));
}

/// A result file must not get the number of a standard stream that the caller has closed. What is
/// then printed goes nowhere, and is an error.
void occupy_closed_streams() {
  for (const int stream : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO})
    if (::fcntl(stream, F_GETFD) < 0)
      static_cast<void>(::open("/dev/null", stream == STDIN_FILENO ? O_WRONLY : O_RDONLY));
}

}  // namespace

int run_all(const Arguments& arguments) {
  occupy_closed_streams();
  std::signal(SIGXFSZ, SIG_IGN);  // a file that may not grow is an error, not the end
  int code = kFailed;
  try {
    code = run(arguments);
  } catch (const std::system_error& error) {
    code = kUnusable;
    if (!std::ferror(stdout)) complain("notape", error.what());  // else it is told below
  } catch (const std::exception& error) {
    std::cerr << "notape: " << printable_lines(error.what()) << '\n';
  }
  return verify::written_out(stdout, stderr, "notape", code);
}

int complain(const std::string& who, const std::string& what) {
  std::cerr << who << ": " << what << '\n';
  return kUnusable;
}

}  // namespace notape::command

int main(int argc, char** argv) { return notape::command::run_all({argv + 1, argv + argc}); }
