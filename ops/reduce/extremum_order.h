// What is larger or smaller, the same on every device.
#pragma once
#include "ops/core/device_function.h"

namespace notape {

struct Larger {
  template <typename T>
  static NOTAPE_HD bool before(T a, T b) {
    return a > b;
  }
};
struct Smaller {
  template <typename T>
  static NOTAPE_HD bool before(T a, T b) {
    return a < b;
  }
};

/// Whether `a` takes the place of `b`, which was found earlier. No short cuts, no branches.
template <typename Order, typename T>
NOTAPE_HD bool beats(T a, T b) {
  const bool is_nan = a != a, replaces_a_number = b == b;
  return Order::before(a, b) | (is_nan & replaces_a_number);
}

/// Calls f.template operator()<Order>().
template <typename F>
decltype(auto) visit_order(bool is_largest, F&& f) {
  return is_largest ? f.template operator()<Larger>() : f.template operator()<Smaller>();
}

}  // namespace notape
