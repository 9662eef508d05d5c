// What deterministic mode refuses.
#pragma once
#include "autograd/observer.h"
#include "autograd/tensor/device.h"

namespace notape {

/// To be called, before it changes anything, by an operator without a deterministic form on
/// `device`: throws NotDeterministic in deterministic mode (LibTorch: alertNotDeterministic).
void refuse_if_deterministic(const Operation& op, Device device);

}  // namespace notape
