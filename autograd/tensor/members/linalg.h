// The members of a Tensor that ops/linalg/ defines: x.f() for f(x), x.f_() for f_(x). The formula,
// shapes, errors and derivative of each stand beside f in ops/linalg.h.
#pragma once
#include <tuple>

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
  Tensor mv(const Tensor& vec, At at = At::current()) const;
  Tensor addmv(const Tensor& mat, const Tensor& vec, Scalar beta = 1, Scalar alpha = 1,
               At at = At::current()) const;
  Tensor& addmv_(const Tensor& mat, const Tensor& vec, Scalar beta = 1, Scalar alpha = 1,
                 At at = At::current()) const;
  Tensor baddbmm(const Tensor& batch1, const Tensor& batch2, Scalar beta = 1, Scalar alpha = 1,
                 At at = At::current()) const;
  Tensor& baddbmm_(const Tensor& batch1, const Tensor& batch2, Scalar beta = 1, Scalar alpha = 1,
                   At at = At::current()) const;
  Tensor inner(const Tensor& other, At at = At::current()) const;
  Tensor kron(const Tensor& other, At at = At::current()) const;
  Tensor inverse(At at = At::current()) const;
  Tensor cholesky(bool upper = false, At at = At::current()) const;
  Tensor det(At at = At::current()) const;
  std::tuple<Tensor, Tensor> slogdet(At at = At::current()) const;
  Tensor logdet(At at = At::current()) const;

 private:
  Tensor& self() const;
};

}  // namespace notape
