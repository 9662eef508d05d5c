// gemm on CUDA by cuBLAS; runtime/gemm_layout.h has the layouts.
#include "autograd/tensor/device_interface.h"
#include "cuda/kernels/blas.h"
#include "cuda/kernels/copy.h"
#include "cuda/runtime/gemm_layout.h"
#include "ops/core/allocate.h"

namespace notape::cuda {
namespace {

void copy_matrices(const Matrix& to, const Matrix& from, int64_t batch, const GemmCall& call,
                   void* stream) {
  launch_copy(copy_plan(to, from, batch, element_size(call.dtype)), call.dtype, call.dtype, stream);
}

/// A matrix in a layout that cuBLAS takes, copied if it has to be.
class Dense {
 public:
  Dense(const Matrix& given, const GemmCall& call, void* stream) : matrix_(given) {
    if (is_column_major(given)) return;
    const int64_t batch = given.batch_stride == 0 ? 1 : call.batch;
    copy_ = allocate(IntArrayRef({batch, given.rows, given.columns}), call.dtype, call.device);
    matrix_ = matrix_of(copy_);
    if (given.batch_stride == 0) matrix_.batch_stride = 0;
    copy_matrices(matrix_, given, batch, call, stream);
  }
  const Matrix& matrix() const { return matrix_; }

 private:
  Tensor copy_;
  Matrix matrix_;
};

template <typename T>
void multiply(cublasHandle_t handle, const GemmCall& call, const ColumnMajorProduct& product) {
  const T alpha = call.alpha.to<T>(), beta = call.beta.to<T>();
  const auto& [a, b, c, m, n, inner] = product;
  const int64_t k = alpha == T(0) ? 0 : inner;
  const auto data = [](const ColumnMajor& matrix) { return static_cast<T*>(matrix.data); };
  const auto run = [&](auto function) {
    check(function(handle, blas_operation(a), blas_operation(b), m, n, k, &alpha, data(a),
                   a.leading, a.batch_stride, data(b), b.leading, b.batch_stride, &beta, data(c),
                   c.leading, c.batch_stride, call.batch));
  };
  if constexpr (std::is_same_v<T, float>)
    run(cublasSgemmStridedBatched_64);
  else
    run(cublasDgemmStridedBatched_64);
}

/// Added up in float32, and rounded once.
void multiply_16_bits(cublasHandle_t handle, const GemmCall& call,
                      const ColumnMajorProduct& product) {
  const float alpha = call.alpha.to<float>(), beta = call.beta.to<float>();
  const auto& [a, b, c, m, n, inner] = product;
  const cudaDataType_t type = call.dtype == kFloat16 ? CUDA_R_16F : CUDA_R_16BF;
  check(cublasGemmStridedBatchedEx_64(
      handle, blas_operation(a), blas_operation(b), m, n, alpha == 0 ? 0 : inner, &alpha, a.data,
      type, a.leading, a.batch_stride, b.data, type, b.leading, b.batch_stride, &beta, c.data, type,
      c.leading, c.batch_stride, call.batch, CUBLAS_COMPUTE_32F, CUBLAS_GEMM_DEFAULT));
}

void gemm_on_cuda(const Operation& op, const GemmCall& call) {
  if (!is_floating_point(call.dtype)) no_kernel(op, call.dtype, call.device);
  if (call.result.rows == 0 || call.result.columns == 0 || call.batch == 0) return;
  void* stream = device_interface(call.device).current_stream(call.device.index);
  const Dense a(call.a, call, stream), b(call.b, call, stream);
  // A result without dense rows or columns is computed beside its place.
  const Dense result(call.result, call, stream);
  {
    BlasHandle& handle = blas_handle(call.device, stream);
    const std::lock_guard guard(handle.in_use);
    const auto product = column_major_product(result.matrix(), a.matrix(), b.matrix());
    const auto run = call.dtype == kFloat32   ? multiply<float>
                     : call.dtype == kFloat64 ? multiply<double>
                                              : multiply_16_bits;
    run(handle.native, call, product);
  }
  if (result.matrix().data != call.result.data)
    copy_matrices(call.result, result.matrix(), call.batch, call, stream);
}

const Implementation on_cuda(gemm_kernel, kCUDA, gemm_on_cuda);

}  // namespace
}  // namespace notape::cuda
