// At: the user's line, defaulted at the end of every public operator's parameters.
#pragma once
#include "autograd/tensor/tensor.h"

namespace notape {

using At = SourceLocation;

}  // namespace notape
