// The template part of command.h.
#pragma once
#include <CLI/CLI.hpp>
#include <algorithm>
#include <iostream>

#include "autograd/error.h"

namespace notape::command {

template <typename Body>
int parse_and_run(CLI::App& app, const Arguments& arguments, Body body) {
  try {
    app.parse(Arguments(arguments.rbegin(), arguments.rend()));
  } catch (const CLI::CallForHelp&) {
    std::cout << app.help();
    return kFine;
  } catch (const CLI::ParseError& error) {
    return complain(app.get_name(),
                    std::string(error.what()) + "; see " + app.get_name() + " --help");
  }
  try {
    return body();
  } catch (const Error& error) {
    return complain(app.get_name(), error.what_without_backtrace());
  }
}

}  // namespace notape::command
