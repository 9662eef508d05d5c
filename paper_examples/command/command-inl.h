// The template part of command.h.
#pragma once
#include <CLI/CLI.hpp>
#include <algorithm>
#include <iostream>

#include "autograd/error.h"
#include "ops/parallel.h"
#include "verify/command/complaint.h"
#include "verify/command/words.h"
#include "verify/processes/interruption.h"

namespace notape::command {

template <typename Body>
int parse_and_run(CLI::App& app, const Arguments& arguments, Body body) {
  const verify::Interruption interruption;
  const auto refuse = [&](const std::string& what) {
    return complain(app.get_name(), verify::complaint(what, arguments));
  };
  try {
    app.parse(Arguments(arguments.rbegin(), arguments.rend()));
  } catch (const CLI::CallForHelp&) {
    std::cout << app.help();
    return kFine;
  } catch (const CLI::ParseError& error) {
    return refuse(std::string(error.what()) + "; see " + app.get_name() + " --help");
  }
  try {
    verify::refuse_empty_words(app);
    static_cast<void>(get_num_threads());  // says now what is wrong with NOTAPE_NUM_THREADS
    return body();
  } catch (const verify::Interrupted& error) {
    refuse(error.what_without_backtrace());
    return verify::Interruption::exit_code();
  } catch (const Error& error) {
    return refuse(error.what_without_backtrace());
  }
}

}  // namespace notape::command
