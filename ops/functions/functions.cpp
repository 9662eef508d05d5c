#include "ops/functions/functions.h"

#include <algorithm>

namespace notape::functions {
namespace {

Functions& functions_so_far() {
  static Functions all;
  return all;
}

}  // namespace

bool Overload::takes(const Values& values) const {
  return std::equal(parameters.begin(), parameters.end(), values.begin(), values.end(),
                    [](const Parameter& one, const Value& value) { return one.takes(value); });
}

void Functions::add(const std::string& name, Overload overload) {
  overloads_[name].push_back(std::move(overload));
}

const Functions& functions() { return functions_so_far(); }

const Overload* find_overload(const std::string& name, const Values& values) {
  const auto found = functions().all().find(name);
  if (found == functions().all().end()) return nullptr;
  for (const Overload& one : found->second)
    if (one.takes(values)) return &one;
  return nullptr;
}

RegisterFunctions::RegisterFunctions(void (*list)(Functions&)) { list(functions_so_far()); }

}  // namespace notape::functions
