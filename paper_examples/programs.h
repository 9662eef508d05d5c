// The programs themselves, one per file of the same name, in the folder of its paper. Each prints
// to `out` and returns 0 only if it saw what the paper, or its own text, promises.
#pragma once
#include <iosfwd>

#include "paper_examples/support/example_options.h"

namespace notape::paper {

int fig1(std::ostream& out);
int invalidation(std::ostream& out);
int aliasing(std::ostream& out);
int flags(std::ostream& out);
int freeze(std::ostream& out);
int inplace(std::ostream& out);
int grad(std::ostream& out);
int hooks(std::ostream& out);
/// Some of those that train read the digits (data/find_data.h); they throw FileError if these are
/// nowhere.
int listing1(std::ostream& out, const ExampleOptions& options = {});
int listing2(std::ostream& out, const ExampleOptions& options = {});
int hogwild(std::ostream& out, const ExampleOptions& options = {});
int parallel(std::ostream& out, const ExampleOptions& options = {});
int maml(std::ostream& out, const ExampleOptions& options = {});
int implicit(std::ostream& out, const ExampleOptions& options = {});
int debugger(std::ostream& out);
int components(std::ostream& out, const ExampleOptions& options = {});
int forward(std::ostream& out, const ExampleOptions& options = {});
int copies(std::ostream& out, const ExampleOptions& options = {});
int memory(std::ostream& out, const ExampleOptions& options = {});

// These read data of Debian packages; throw MissingPackage (data/package_file.h) without them.
int finetune(std::ostream& out, const ExampleOptions& options = {});
int ncf(std::ostream& out, const ExampleOptions& options = {});
int gnmt(std::ostream& out, const ExampleOptions& options = {});

}  // namespace notape::paper
