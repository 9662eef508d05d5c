// A fraction as an operand of formulas for one or several numbers of any type.
#pragma once
#include "ops/core/device_function.h"

namespace notape {

template <typename T>
NOTAPE_HD T constant(double value) {
  return Number(value, 0).as<T>();
}

}  // namespace notape
