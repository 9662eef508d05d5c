#include "ops/linalg/add_product.h"

#include "ops/core/allocate.h"
#include "ops/core/promotion.h"
#include "ops/shape.h"

namespace notape {

void check_add_product(const Operation& op, const Tensor& self, const Tensor& mat1,
                       const Tensor& mat2, const ProductFactors& factors) {
  check_same_type(op, mat1, mat2);
  check_same_type(op, mat1, self);
  if (self.device().of_samples() != mat1.device().of_samples())
    op.fail<DeviceError>("Expected all tensors to be on the same device, but found {} and {}",
                         to_string(self.device()), to_string(mat1.device()));
  if (!self.is_floating_point() &&
      (factors.beta.is_floating_point() || factors.alpha.is_floating_point()))
    op.fail<DtypeError>(
        "For integral input tensors, arguments beta and alpha must not be floating point numbers");
  for (const Scalar factor : {factors.beta, factors.alpha}) check_fits(op, factor, self.dtype());
}

void add_product(const Operation& op, const Tensor& result, const Tensor& mat1, const Tensor& mat2,
                 const ProductFactors& factors) {
  gemm(op, {.result = matrix_of(result),
            .a = matrix_of(mat1),
            .b = matrix_of(mat2),
            .batch = result.dim() == 3 ? result.size(0) : 1,
            .beta = factors.beta,
            .alpha = factors.alpha,
            .dtype = result.dtype(),
            .device = result.device()});
}

void add_product_to_copy(const Operation& op, const Tensor& result, const Tensor& self,
                         const Tensor& mat1, const Tensor& mat2, const ProductFactors& factors) {
  if (!factors.beta.equals(0)) raw_copy(result, self);
  add_product(op, result, mat1, mat2, factors);
}
constinit AddmmKernel addmm_kernel(add_product_to_copy);

Tensor compute_add_products(const Operation& op, const Tensor& self, const Tensor& mat1,
                            const Tensor& mat2, const ProductFactors& factors) {
  if (any_batched(self, mat1, mat2))
    return over_batch(
        [&](int64_t size, const Tensor& s, const Tensor& a, const Tensor& b) {
          const auto flattened = [&](const Tensor& all) {
            return reshape(all, {size * all.size(1), all.size(2), all.size(3)});
          };
          return reshape(
              compute_add_products(op, flattened(s), flattened(a), flattened(b), factors),
              {size, self.size(0), self.size(1), self.size(2)});
        },
        self, mat1, mat2);
  Tensor result = allocate(self.sizes(), self.dtype(), self.device());
  add_product_to_copy(op, result, self, mat1, mat2, factors);
  return result;
}

}  // namespace notape
