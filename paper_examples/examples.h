// The registry of the papers' programs, in the order in which they are best read.
#pragma once
#include <iosfwd>
#include <vector>

#include "paper_examples/settings.h"

namespace notape {

/// A program as it is called: those that train, draw random numbers or make pictures take settings.
class ExampleProgram {
 public:
  ExampleProgram(int (*program)(std::ostream&)) : fixed_(program) {}
  ExampleProgram(int (*program)(std::ostream&, const paper::Settings&)) : settable_(program) {}
  int operator()(std::ostream& out, const paper::Settings& settings = {}) const {
    return settable_ ? settable_(out, settings) : fixed_(out);
  }
  bool takes_settings() const { return settable_ != nullptr; }

 private:
  int (*fixed_)(std::ostream&) = nullptr;
  int (*settable_)(std::ostream&, const paper::Settings&) = nullptr;
};

/// One program: prints what it does, ends in a line "expected: ...; seen: ..." and returns 0 only
/// if the two agree.
struct Example {
  const char* name;  ///< also of its file
  const char* summary;
  ExampleProgram run;
};

const std::vector<Example>& examples();

}  // namespace notape
