// notape examples graph NAME [-o FILE.svg|.dot|.json] [--run N]
#pragma once
#include <string>

namespace notape::command {

struct ExampleGraphOptions {
  std::string example;
  std::string path;  ///< EXAMPLE.svg if empty; its end is the format
  int run = 1;       ///< which call of backward() or grad(), from 1
};

/// Runs the example without showing what it prints, and writes the graph as it stood when that run
/// began. Returns the exit status: 1 if the example fails. Throws ValueError for a name or an
/// ending that there is not, or fewer runs, and FileError.
int write_example_graph(const ExampleGraphOptions& options);

}  // namespace notape::command
