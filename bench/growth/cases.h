// Graphs of any size, whose cost shall grow by as much for each node as for the one before.
#pragma once
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace notape::bench {

/// Calls each part of a case once, in order.
using Part = std::function<void(const char* name, const std::function<void()>& part)>;

struct GrowthCase {
  std::string name;
  void (*run)(int64_t nodes, const Part& part);
};

const std::vector<GrowthCase>& growth_cases();

}  // namespace notape::bench
