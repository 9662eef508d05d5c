// Environment: what else a result may depend on, as names and values.
#pragma once
#include <string>
#include <utility>
#include <vector>

#include "autograd/tensor/device.h"

namespace notape::verify {

using Environment = std::vector<std::pair<std::string, std::string>>;

/// Of this process: commit, compiler, flags, arithmetic, processor, threads, libraries. What cannot
/// be found out is "unknown".
const Environment& environment();
/// With what is to be had of rounding modes on that device.
Environment environment_on(Device device);

/// "unknown" if there is no such name.
std::string value_of(const Environment& environment, const std::string& name);

/// A line per value that differs: "threads: 4 then, 2 now".
std::vector<std::string> differences(const Environment& then, const Environment& now);

}  // namespace notape::verify
