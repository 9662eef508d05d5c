// beta self + alpha mat1 mat2, of one pair of matrices or a batch: what addmm and baddbmm share.
#pragma once
#include "ops/arithmetic.h"
#include "ops/linalg/gemm.h"

namespace notape {

struct ProductFactors {
  Scalar beta, alpha;
  bool factors_are_finite() const { return std::isfinite(beta.to<double>()) && beta.fits<float>(); }
};

inline Tensor scaled(const Tensor& value, Scalar factor) {
  return factor.equals(1) ? value : value * factor;
}

/// Throws DtypeError or DeviceError unless the three and their factors have fitting types and
/// devices, ValueError for a factor that does not fit.
void check_add_product(const Operation& op, const Tensor& self, const Tensor& mat1,
                       const Tensor& mat2, const ProductFactors& factors);

/// result = beta result + alpha mat1 mat2, with two or three dimensions each. Not batched by vmap.
void add_product(const Operation& op, const Tensor& result, const Tensor& mat1, const Tensor& mat2,
                 const ProductFactors& factors);

/// Overwrites the row-major `result` with beta self + alpha mat1 mat2 of matrices, self
/// broadcasting to it. Where the device has a way of its own, a bias is added in the product's
/// launch.
using AddmmKernel =
    Kernel<void(const Operation&, const Tensor& result, const Tensor& self, const Tensor& mat1,
                const Tensor& mat2, const ProductFactors& factors)>;
extern AddmmKernel addmm_kernel;
/// Of any device: a copy of self, and a product added to it.
void add_product_to_copy(const Operation& op, const Tensor& result, const Tensor& self,
                         const Tensor& mat1, const Tensor& mat2, const ProductFactors& factors);

/// The same out of place for self (b, n, m), mat1 (b, n, k), mat2 (b, k, m), also inside vmap.
Tensor compute_add_products(const Operation& op, const Tensor& self, const Tensor& mat1,
                            const Tensor& mat2, const ProductFactors& factors);

}  // namespace notape
