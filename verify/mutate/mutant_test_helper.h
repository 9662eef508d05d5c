// Deliberately wrong operators and the harness that must find them. A mutant takes its value from
// its 113-bit reference, so that only what it gets wrong on purpose is wrong.
#pragma once
#include <gtest/gtest.h>

#include <algorithm>

#include "autograd/autograd.h"
#include "autograd/graph/record.h"
#include "ops/core/promotion.h"
#include "ops/ops.h"
#include "ops/spec/plain.h"
#include "verify/numeric/wide_case.h"
#include "verify/schedule/run.h"

namespace notape::verify {

inline std::vector<Certificate> verify_operator(const OpSpec& spec, const Options& options = {}) {
  Listener silent;
  return run({&spec}, options, silent);
}

/// "reverse FAIL", ... for every red certificate, without repeats.
inline std::vector<std::string> alarms(const std::vector<Certificate>& certificates) {
  std::vector<std::string> result;
  for (const Certificate& certificate : certificates) {
    if (!is_red(certificate.verdict)) continue;
    std::string alarm =
        std::string(certificate.check) + " " + std::string(name_of(certificate.verdict));
    if (std::find(result.begin(), result.end(), alarm) == result.end()) result.push_back(alarm);
  }
  return result;
}

/// The reference's value at the inputs, rounded to their common dtype; no graph, no tangents.
inline Tensor right_value(const Reference& reference, const variable_list& inputs) {
  WideList wide;
  ResultType common;
  for (const Tensor& input : inputs) {
    common.add(input);
    WideTensor& tensor = wide.emplace_back();
    tensor.sizes = input.sizes().vec();
    const Numbers numbers = numbers_of(input);
    tensor.values.assign(numbers.begin(), numbers.end());
  }
  const WideTensor y = reference(wide);
  const ScalarType dtype = common.get();
  Numbers numbers;
  for (const Wide& value : y.values) numbers.push_back(round_to(static_cast<double>(value), dtype));
  return make_tensor(numbers, y.sizes, dtype);
}

/// y = reference(x) with the given derivative.
template <typename D>
Tensor with_derivative(const D& derivative, const Reference& reference, const Tensor& x) {
  const Operation op("mutant", SourceLocation::current());
  return record(derivative, op, right_value(reference, {x}), NoParameters{}, x);
}
template <typename D>
Tensor with_derivative(const D& derivative, const Reference& reference, const Tensor& a,
                       const Tensor& b) {
  const Operation op("mutant", SourceLocation::current());
  return record(derivative, op, right_value(reference, {a, b}), NoParameters{}, a, b);
}

using Call = std::function<Tensor(const variable_list&)>;

/// An operator on one tensor of any shape.
inline OpSpec unary_mutant(Call call, Reference reference, int min_rank = 0, int max_rank = 3) {
  return {.name = "mutant", .family = "elementwise", .draw = [=](Draw& draw) {
            OpCase one;
            one.arguments = {{.sizes = draw.shape(min_rank, max_rank)}};
            one.call = call;
            one.reference = reference;
            return one;
          }};
}
/// An operator on two tensors of one shape.
inline OpSpec binary_mutant(Call call, Reference reference) {
  return {.name = "mutant", .family = "elementwise", .draw = [=](Draw& draw) {
            OpCase one;
            const auto sizes = draw.shape(0, 3);
            one.arguments = {{.sizes = sizes}, {.sizes = sizes}};
            one.call = call;
            one.reference = reference;
            return one;
          }};
}

inline constexpr auto plain_tanh = []<typename T>(const PlainList<T>& x) {
  return plain_map([](T a) { return math::tanh(a); }, x[0]);
};
inline constexpr auto plain_mul = []<typename T>(const PlainList<T>& x) {
  return plain_map([](T a, T b) { return a * b; }, x[0], x[1]);
};

}  // namespace notape::verify
