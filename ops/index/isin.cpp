// isin(x, tests): whether each element is among the tests, found by binary search in them, sorted.
#include "autograd/tensor/factories.h"
#include "ops/comparison.h"
#include "ops/core/allocate.h"
#include "ops/core/promotion.h"
#include "ops/index.h"
#include "ops/index/searchsorted.h"
#include "ops/reduce/ordering.h"
#include "ops/selection.h"
#include "ops/shape.h"

namespace notape {
namespace {

Tensor among(const Operation& op, const Tensor& elements, const Tensor& tests, bool invert) {
  check_operands(op, {&elements, &tests});
  const ScalarType type = result_type(elements, tests);
  const int64_t count = tests.numel();
  if (count == 0)
    return full(elements.sizes(), invert,
                TensorOptions(kBool).device(elements.device().of_samples()));
  const Tensor values = reshape(raw_convert(elements, type), {elements.numel()});
  const Tensor line = reshape(raw_convert(tests, type), {count});
  const Tensor sorted = raw_order(op, line, 0, count, false)[0];
  // What would be inserted at the end equals none, be it compared with the last one.
  const Tensor place = clamp(raw_search(op, sorted, {}, values, false), {}, count - 1);
  const Tensor candidate = gather(sorted, 0, place);
  return reshape(invert ? ne(values, candidate) : eq(values, candidate), elements.sizes());
}

}  // namespace

Tensor isin(const Tensor& elements, const Tensor& test_elements, bool /*assume_unique*/,
            bool invert, At at) {
  return among({"isin", at}, elements, test_elements, invert);
}

Tensor isin(const Tensor& elements, Scalar test_element, bool /*assume_unique*/, bool invert,
            At at) {
  check_operand({"isin", at}, elements);
  return invert ? ne(elements, test_element, at) : eq(elements, test_element, at);
}

Tensor isin(Scalar element, const Tensor& test_elements, bool /*assume_unique*/, bool invert,
            At at) {
  check_operand({"isin", at}, test_elements);
  const ScalarType type = result_type(test_elements, element);
  return among({"isin", at}, full({}, element, TensorOptions(type).device(test_elements.device())),
               test_elements, invert);
}

}  // namespace notape
