// The members of a Tensor that ops/linalg/ defines: x.f() for f(x), x.f_() for f_(x). The formula,
// shapes, errors and derivative of each stand beside f in ops/linalg.h.
#pragma once
#include "autograd/source_location.h"
#include "autograd/tensor/scalar.h"

namespace notape {

class Tensor;

class LinalgMembers {
  using At = SourceLocation;

 public:
  Tensor matmul(const Tensor& other, At at = At::current()) const;
  Tensor mm(const Tensor& mat2, At at = At::current()) const;
  Tensor bmm(const Tensor& mat2, At at = At::current()) const;
  Tensor addmm(const Tensor& mat1, const Tensor& mat2, Scalar beta = 1, Scalar alpha = 1,
               At at = At::current()) const;
  Tensor& addmm_(const Tensor& mat1, const Tensor& mat2, Scalar beta = 1, Scalar alpha = 1,
                 At at = At::current()) const;
  Tensor dot(const Tensor& other, At at = At::current()) const;
  Tensor outer(const Tensor& vec2, At at = At::current()) const;

 private:
  Tensor& self() const;
};

}  // namespace notape
