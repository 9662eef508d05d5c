#pragma once
#include <string>

#include "paper_examples/examples.h"

namespace notape::command {

/// Throws ValueError for a name that no example has.
const Example& find_example(const std::string& name);

}  // namespace notape::command
