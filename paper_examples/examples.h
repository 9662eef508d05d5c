// The registry of the papers' programs, in the order in which they are best read.
#pragma once
#include <functional>
#include <iosfwd>
#include <string>
#include <vector>

#include "paper_examples/support/example_options.h"

namespace notape {

/// Options that a program takes.
enum Takes : unsigned {
  kTakesSeed = 1,
  kTakesSeeds = 2,
  kTakesQuick = 4,
  kTakesFull = 8,
  kTakesOut = 16,
  kTakesDevice = 32
};

/// One program: prints what it does, ends in a line "expected: ...; seen: ..." and returns 0 only
/// if the two agree.
struct Example {
  const char* name;  ///< also of its file
  const char* summary;
  std::function<int(std::ostream&)> run;
  std::vector<std::string> packages = {};  ///< the Debian packages whose data it reads
  unsigned takes = 0;                      ///< of Takes
  /// The same with options; empty if it takes none.
  std::function<int(std::ostream&, const ExampleOptions&)> run_with = {};
};

const std::vector<Example>& examples();

}  // namespace notape
