// Right operators of version 2 of the C interface, for tests, and what verification says of them.
#pragma once
#include <deque>

#include "verify/mutate/mutant_test_helper.h"
#include "verify/plugin/c_operator.h"
#include "verify/plugin/operator.h"

namespace notape::verify::foreign {

namespace np = notape::plugin;

template <typename F>
notape_operator2 declared() {
  return np::internal::Bound<F>::declared();
}
inline std::vector<Certificate> certificates_of(const notape_operator2& foreign) {
  // Certificates point to the row.
  static std::deque<OpSpec> rows;
  return verify_operator(rows.emplace_back(row_of(foreign)));
}
inline std::vector<std::string> alarms_in(const notape_operator2& foreign) {
  return alarms(certificates_of(foreign));
}
/// The message of the first certificate that has a failure.
inline std::string first_complaint(const notape_operator2& foreign) {
  for (const Certificate& certificate : certificates_of(foreign))
    if (certificate.failure) return certificate.failure->outcome.message;
  return "";
}
inline std::vector<std::string> checks_run(const notape_operator2& foreign) {
  std::vector<std::string> names;
  for (const Certificate& one : certificates_of(foreign))
    if (one.comparisons > 0) names.push_back(one.check);
  return names;
}

/// y[s] = sum of x[i] with segment[i] == s
struct SegmentSum {
  static np::About about() {
    return np::About("segment_sum")
        .ways(3)
        .real("x", -4, 4)
        .whole("segment", 0, 2, NOTAPE_ASCENDING);
  }
  static void shape(np::Case& one) {
    one.input(0) = one.input(1) = {1 + 2 * one.way()};
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

/// Keeps the indices of what is positive: how many, only forward knows.
struct SumOfPositive {
  static np::About about() {
    return np::About("sum_of_positive")
        .ways(3)
        .real("x", -3, 3, {np::kink(0, NOTAPE_KINK_BELOW)})
        .saves_whole("which");
  }
  static void shape(np::Case& one) {
    one.input(0) = one.saved(0) = {2 + one.way()};
    one.output(0) = {};
  }
  template <typename T>
  static void forward(const np::Call<T>& call) {
    T sum = 0;
    int64_t count = 0;
    for (int64_t i = 0; i < call.input(0).count(); ++i)
      if (call.input(0)[i] > 0) {
        sum += call.input(0)[i];
        call.saved_whole(0)[count++] = i;
      }
    call.output(0)[0] = sum;
    call.lower_saved(0, {count});
  }
  template <typename T>
  static void backward(const np::Call<T>& call) {
    for (int64_t i = 0; i < call.input(0).count(); ++i) call.grad_input(0)[i] = 0;
    for (int64_t n = 0; n < call.saved_whole(0).count(); ++n)
      call.grad_input(0)[call.saved_whole(0)[n]] = call.grad_output(0)[0];
  }
};

/// Any strides are welcome.
struct StridedSquare {
  static np::About about() { return np::About("square").ways(3).real("x", -3, 3).strided(); }
  static void shape(np::Case& one) { one.input(0) = one.output(0) = {1 + one.way(), 2}; }
  static inline int64_t strided_calls = 0;
  template <typename T>
  static void forward(const np::Call<T>& call) {
    for (int64_t i = 0; i < call.input(0).count(); ++i)
      call.output(0)[i] = call.input(0)[i] * call.input(0)[i];
  }
  template <typename T>
  static void backward(const np::Call<T>& call) {
    const auto grad = call.grad_output(0);
    strided_calls += call.input(0).stride(1) != 1 && call.input(0).size(0) > 1;
    for (int64_t i = 0; i < grad.count(); ++i)
      call.grad_input(0)[i] = 2 * call.input(0)[i] * grad[i];
  }
};
}  // namespace notape::verify::foreign
