#pragma once

/// LibTorch's header of namespace at.

#include "notape/compat/torch/torch.h"
