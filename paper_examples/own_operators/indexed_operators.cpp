// Operators in C++ that know nothing of notape: templated pairs of functions, made a plugin by one
// header (verify/plugin/operator.h). Segment ids are whole numbers, and so constants. The segment
// sum is right; the lookup's gradient forgets that an index may occur twice.
#include "verify/plugin/operator.h"

namespace np = notape::plugin;

/// y[s] = the sum of the x[i] whose segment[i] is s
struct SegmentSum {
  static np::About about() {
    return np::About("segment_sum").ways(4).real("x", -4, 4).whole("segment", 0, 2);
  }
  static void shape(np::Case& one) {
    one.input(0) = one.input(1) = {1 + 3 * one.way()};
    one.output(0) = {3};
  }
  template <typename T>
  static void forward(const np::Call<T>& call) {
    for (int s = 0; s < 3; ++s) call.output(0)[s] = 0;
    for (int64_t i = 0; i < call.input(0).count(); ++i)
      call.output(0)[call.indices(1)[i]] += call.input(0)[i];
  }
  template <typename T>
  static void backward(const np::Call<T>& call) {
    for (int64_t i = 0; i < call.input(0).count(); ++i)
      call.grad_input(0)[i] = call.grad_output(0)[call.indices(1)[i]];
  }
};

/// y[n] = table[index[n]], row by row
struct Lookup {
  static np::About about() {
    return np::About("lookup").ways(3).real("table", -4, 4).whole("index", 0, 3);
  }
  static void shape(np::Case& one) {
    one.input(0) = {4, 2};
    one.input(1) = {1 + one.way()};
    one.output(0) = {1 + one.way(), 2};
  }
  template <typename T>
  static void forward(const np::Call<T>& call) {
    const auto table = call.input(0);
    const auto index = call.indices(1);
    for (int64_t n = 0; n < index.count(); ++n)
      for (int64_t j = 0; j < 2; ++j) call.output(0)(n, j) = table(index[n], j);
  }
  template <typename T>
  static void backward(const np::Call<T>& call) {
    const auto gradient = call.grad_input(0);
    const auto index = call.indices(1);
    for (int64_t i = 0; i < gradient.count(); ++i) gradient[i] = 0;
    for (int64_t n = 0; n < index.count(); ++n)
      for (int64_t j = 0; j < 2; ++j)
        gradient(index[n], j) = call.grad_output(0)(n, j);  // should be +=
  }
};

extern "C" const notape_plugin2* notape_plugin_v2() { return np::plugin_of<SegmentSum, Lookup>(); }
