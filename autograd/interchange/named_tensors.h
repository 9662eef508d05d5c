// NamedTensors: what a file of several tensors holds.
#pragma once
#include <map>
#include <string>

#include "autograd/tensor/tensor.h"

namespace notape {

using NamedTensors = std::map<std::string, Tensor>;

}  // namespace notape
