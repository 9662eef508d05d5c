// The programs themselves, one per file of the same name. Each prints to `out` and returns 0 only
// if it saw what the paper, or its own text, promises.
#pragma once
#include <iosfwd>

#include "paper_examples/example_options.h"

namespace notape::paper {

int fig1(std::ostream& out);
int invalidation(std::ostream& out);
int aliasing(std::ostream& out);
int flags(std::ostream& out);
int freeze(std::ostream& out);
int inplace(std::ostream& out);
int grad(std::ostream& out);
int hooks(std::ostream& out);
/// Reads the digits (data/find_data.h); throws FileError if they are nowhere.
int listing1(std::ostream& out);

// These read data of Debian packages; throw MissingPackage (data/package_file.h) without them.
int finetune(std::ostream& out, const ExampleOptions& options = {});
int ncf(std::ostream& out, const ExampleOptions& options = {});
int gnmt(std::ostream& out, const ExampleOptions& options = {});

}  // namespace notape::paper
