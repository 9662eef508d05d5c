// A program as C++ that compiles against the library.
#pragma once
#include <string>

#include "verify/alias/trial.h"

namespace notape::verify::alias {

/// One statement, e.g. "t2 = t0.select(0, 1);".
std::string statement_text(const Statement& s);
/// A whole file with main(), `comment` on top.
std::string program_text(const Program& program, const Settings& settings,
                         const std::string& comment);

}  // namespace notape::verify::alias
