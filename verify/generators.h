// RapidCheck generators of tensors, for properties of one's own:
//
//   RC_GTEST_PROP(Relu, IsIdempotent, ()) {
//     const Tensor x = *verify::tensor({.min_rank = 1});
//     RC_ASSERT(relu(relu(x)).equal(relu(x)));
//   }
//
// Values are a mixture of ordinary numbers, special points and their neighbours, small integers and
// repeats; layouts are drawn, too; everything shrinks toward few, small, contiguous tensors.
#pragma once
#include <rapidcheck/Gen.h>

#include "ops/spec/op_spec.h"

namespace notape::verify {

struct TensorRange {
  int min_rank = 0, max_rank = 3;
  int64_t min_size = 0, max_size = 4;
  Domain domain = {};  ///< of the values
  ScalarType dtype = kFloat64;
  bool requires_grad = true;
};

/// One leaf.
rc::Gen<Tensor> tensor(const TensorRange& range = {});
/// `count` leaves of one shape.
rc::Gen<variable_list> tensors(int count, const TensorRange& range = {});
/// Two leaves whose shapes broadcast.
rc::Gen<std::pair<Tensor, Tensor>> broadcasting_tensors(const TensorRange& range = {});

}  // namespace notape::verify
