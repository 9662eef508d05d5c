// functor::sinh and the like: the functions of ops/core/math_functions.h as functors.
#pragma once
#include "ops/core/device_function.h"
#include "ops/elementwise/vector_loop.h"

namespace notape::functor {

#define NOTAPE_FUNCTION(name, ...)      \
  struct name {                         \
    using Loop = VectorLoop;            \
    template <typename T>               \
    NOTAPE_HD T operator()(T x) const { \
      return math::name(x);             \
    }                                   \
  };
#include "ops/core/math_functions.h"

}  // namespace notape::functor
