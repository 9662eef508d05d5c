// Target: something to be called with hostile arguments, and what is accepted of it.
#pragma once
#include <functional>
#include <string>
#include <vector>

#include "ops/fuzz/hostile.h"

namespace notape::fuzz {

struct Target {
  std::string name;
  /// Calls it once. Throws Failure for what no argument excuses.
  std::function<void(Hostile&)> call;
};

/// What an operator must not do, in words.
struct Failure {
  std::string what;
};

/// A target for each row of the registry: its cases with other arguments, and the arguments of one
/// case in the call of another.
std::vector<Target> row_targets();
/// A target for each overload of a function, in place and out forms among them: dimensions, sizes
/// and scalars from nowhere, and outs that do not fit or share memory with anything.
std::vector<Target> function_targets();

/// Runs `call`, which may write to arguments[0] if `writes`: it gives results, which can be read
/// and differentiated, or throws an Error of a class of its own that names an operator (`called`,
/// if that is known and the error is of sizes) and has changed nothing.
void attempt(const variable_list& arguments, bool writes,
             const std::function<variable_list()>& call, const std::string& called = "");

}  // namespace notape::fuzz
