// The `notape` command: a table of subcommands, each in its own file.
// Exit status: 0 fine; 1 something that was run failed; 2 unusable arguments, or files or standard
// output that cannot be read or written, after one line on standard error; 130 and 143 interrupted
// by SIGINT and SIGTERM, after telling what was done until then.
#pragma once
#include <span>
#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace notape::command {

/// What follows the subcommand's name.
using Arguments = std::vector<std::string>;

struct Command {
  const char* name;
  const char* summary;
  int (*run)(const Arguments& arguments);
};

inline constexpr int kFine = 0, kFailed = 1, kUnusable = 2;

/// Those that this program has: commands.cpp, or quick/commands.cpp.
std::span<const Command> all_commands();

int verify(const Arguments& arguments);
/// notape verify models
int verify_models(const Arguments& arguments);
int examples(const Arguments& arguments);
int trace(const Arguments& arguments);
/// notape trace overlap
int overlap(const Arguments& arguments);
int latency(const Arguments& arguments);
int bench_command(const Arguments& arguments);
int ops(const Arguments& arguments);

/// Parses `arguments` into `app`'s options and then runs `body`; help and complaints, those thrown
/// by `body` included, become their text and exit status.
template <typename Body>
int parse_and_run(CLI::App& app, const Arguments& arguments, Body body);

/// One line on standard error; returns kUnusable.
int complain(const std::string& who, const std::string& what);

}  // namespace notape::command

#include "paper_examples/command/command-inl.h"
