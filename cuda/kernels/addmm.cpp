// addmm in one launch by cuBLASLt, which adds a bias, or a matrix that is not the result. What does
// not fit is a copy and a product.
#include <cublasLt.h>

#include "autograd/tensor/device_interface.h"
#include "cuda/kernels/blas.h"
#include "ops/core/allocate.h"
#include "ops/linalg/add_product.h"

namespace notape::cuda {
namespace {

constexpr std::size_t kMostWorkspace = std::size_t{4} << 20;
constexpr uint32_t kAlignment = 16;  // of all operands

/// A description that ends with its scope.
template <typename T, cublasStatus_t (*kDestroy)(T)>
class Described {
 public:
  Described() = default;
  Described(const Described&) = delete;
  Described& operator=(const Described&) = delete;
  ~Described() {
    if (native) kDestroy(native);
  }
  T native = nullptr;
};

class Layout : public Described<cublasLtMatrixLayout_t, cublasLtMatrixLayoutDestroy> {
 public:
  /// Of a matrix that enters as (rows, columns).
  Layout(cudaDataType_t type, const ColumnMajor& matrix, int64_t rows, int64_t columns) {
    if (matrix.is_transposed) std::swap(rows, columns);
    check(cublasLtMatrixLayoutCreate(&native, type, static_cast<uint64_t>(rows),
                                     static_cast<uint64_t>(columns), matrix.leading));
  }
};

class Description : public Described<cublasLtMatmulDesc_t, cublasLtMatmulDescDestroy> {
 public:
  /// `bias` may be null.
  Description(const ColumnMajorProduct& product, bool is_double, const void* bias) {
    check(cublasLtMatmulDescCreate(&native, is_double ? CUBLAS_COMPUTE_64F : CUBLAS_COMPUTE_32F,
                                   is_double ? CUDA_R_64F : CUDA_R_32F));
    set(CUBLASLT_MATMUL_DESC_TRANSA, blas_operation(product.a));
    set(CUBLASLT_MATMUL_DESC_TRANSB, blas_operation(product.b));
    if (!bias) return;
    set(CUBLASLT_MATMUL_DESC_EPILOGUE, CUBLASLT_EPILOGUE_BIAS);
    set(CUBLASLT_MATMUL_DESC_BIAS_POINTER, bias);
  }

 private:
  template <typename T>
  void set(cublasLtMatmulDescAttributes_t attribute, const T& value) {
    check(cublasLtMatmulDescSetAttribute(native, attribute, &value, sizeof value));
  }
};

class Preference : public Described<cublasLtMatmulPreference_t, cublasLtMatmulPreferenceDestroy> {
 public:
  Preference() {
    check(cublasLtMatmulPreferenceCreate(&native));
    set(CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES, kMostWorkspace);
    for (const auto operand :
         {CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_A_BYTES, CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_B_BYTES,
          CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_C_BYTES, CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_D_BYTES})
      set(operand, kAlignment);
  }

 private:
  template <typename T>
  void set(cublasLtMatmulPreferenceAttributes_t attribute, const T& value) {
    check(cublasLtMatmulPreferenceSetAttribute(native, attribute, &value, sizeof value));
  }
};

bool is_aligned(const void* data) { return reinterpret_cast<uintptr_t>(data) % kAlignment == 0; }

/// A number for each column of the result, side by side.
bool is_bias(const Tensor& self, const Tensor& result) {
  const int64_t columns = result.size(1);
  return self.dim() > 0 && self.numel() == columns && self.size(-1) == columns &&
         self.stride(-1) == 1 && is_aligned(self.impl().data());
}

/// In rows, as the result is.
bool is_addend(const Tensor& self, const Tensor& result) {
  return self.sizes() == result.sizes() && self.stride(1) == 1 && self.stride(0) >= self.size(1) &&
         is_aligned(self.impl().data());
}

cudaDataType_t blas_type(ScalarType dtype) {
  return dtype == kFloat64   ? CUDA_R_64F
         : dtype == kFloat32 ? CUDA_R_32F
         : dtype == kFloat16 ? CUDA_R_16F
                             : CUDA_R_16BF;
}

/// result = alpha a b + bias, or + beta self where bias is null. False where cuBLASLt has no way.
bool multiply(const Tensor& result, const Tensor& self, const void* bias,
              const ColumnMajorProduct& product, double alpha, double beta) {
  const ScalarType dtype = result.dtype();
  const cudaDataType_t type = blas_type(dtype);
  const auto& [a, b, c, m, n, inner] = product;
  const Layout of_a(type, a, m, inner), of_b(type, b, inner, n), of_d(type, c, m, n);
  const void* const addend = bias ? c.data : self.impl().data();
  const ColumnMajor of_addend{nullptr, false, bias ? c.leading : self.stride(0), 0};
  const Layout of_c(type, of_addend, m, n);
  const Description description(product, dtype == kFloat64, bias);
  const Preference preference;
  cublasLtMatmulHeuristicResult_t way{};
  int found = 0;
  void* const stream = device_interface(result.device()).current_stream(result.device().index);
  BlasHandle& handle = blas_handle(result.device(), stream);
  const std::lock_guard guard(handle.in_use);
  auto* const light = reinterpret_cast<cublasLtHandle_t>(handle.native);  // as cuBLAS admits
  const cublasStatus_t status =
      cublasLtMatmulAlgoGetHeuristic(light, description.native, of_a.native, of_b.native,
                                     of_c.native, of_c.native, preference.native, 1, &way, &found);
  if (status == CUBLAS_STATUS_NOT_SUPPORTED || (status == CUBLAS_STATUS_SUCCESS && found == 0))
    return false;
  check(status);
  Tensor workspace;  // given back to the stream's memory, where later work comes after this
  if (way.workspaceSize > 0)
    workspace =
        allocate(IntArrayRef({static_cast<int64_t>(way.workspaceSize)}), kUInt8, result.device());
  const double wide[] = {alpha, bias ? 0 : beta};
  const float narrow[] = {static_cast<float>(wide[0]), static_cast<float>(wide[1])};
  const auto factor = [&](int i) {
    return dtype == kFloat64 ? static_cast<const void*>(wide + i) : narrow + i;
  };
  check(cublasLtMatmul(light, description.native, factor(0), a.data, of_a.native, b.data,
                       of_b.native, factor(1), addend, of_c.native, c.data, of_d.native, &way.algo,
                       workspace.defined() ? workspace.impl().data() : nullptr, way.workspaceSize,
                       static_cast<cudaStream_t>(stream)));
  return true;
}

void addmm_on_cuda(const Operation& op, const Tensor& result, const Tensor& self,
                   const Tensor& mat1, const Tensor& mat2, const ProductFactors& factors) {
  const Matrix out = matrix_of(result), a = matrix_of(mat1), b = matrix_of(mat2);
  const bool with_bias = factors.beta.equals(1) && is_bias(self, result);
  // A result of one row or column could be taken for the other.
  const bool fits = is_floating_point(result.dtype()) && !factors.alpha.equals(0) &&
                    !factors.beta.equals(0) && result.size(0) > 1 && result.size(1) > 1 &&
                    mat1.size(1) > 0 && (with_bias || is_addend(self, result)) &&
                    is_column_major(a) && is_column_major(b) && is_aligned(a.data) &&
                    is_aligned(b.data);
  if (!fits || !multiply(result, self, with_bias ? self.impl().data() : nullptr,
                         column_major_product(out, a, b), factors.alpha.to<double>(),
                         factors.beta.to<double>()))
    add_product_to_copy(op, result, self, mat1, mat2, factors);
}

const Implementation on_cuda(addmm_kernel, kCUDA, addmm_on_cuda);

}  // namespace
}  // namespace notape::cuda
