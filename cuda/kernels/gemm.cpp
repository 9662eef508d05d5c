// gemm on CUDA by cuBLAS, which thinks in columns: a row-major result is computed transposed.
#include <cublas_v2.h>

#include <map>
#include <mutex>

#include "autograd/tensor/device_interface.h"
#include "cuda/kernels/kernels.h"
#include "ops/core/allocate.h"
#include "ops/core/raw_copy.h"
#include "ops/linalg/gemm.h"

namespace notape::cuda {
namespace {

void check(cublasStatus_t status) {
  if (status != CUBLAS_STATUS_SUCCESS)
    throw DeviceError("cuBLAS: {}", cublasGetStatusString(status));
}

/// A cuBLAS handle works for one stream at a time, so each stream has its own.
struct Handle {
  std::mutex in_use;
  cublasHandle_t native = nullptr;
};

Handle& handle_of(Device device, void* stream) {
  static std::mutex lock;
  static auto* const handles = new std::map<std::pair<int, void*>, Handle>;
  const std::lock_guard guard(lock);
  Handle& handle = (*handles)[{device.index, stream}];
  if (!handle.native) {
    check(cublasCreate(&handle.native));
    check(cublasSetStream(handle.native, static_cast<cudaStream_t>(stream)));
  }
  return handle;
}

/// As cuBLAS takes a factor or a result: columns that are dense, or rows (a transpose).
struct Operand {
  const void* data;
  cublasOperation_t operation;
  int64_t leading;
  int64_t batch_stride;
};

bool has_dense_columns(const Matrix& m) {
  return (m.row_stride == 1 || m.rows <= 1) &&
         (m.columns <= 1 || m.column_stride >= std::max<int64_t>(m.rows, 1));
}

Operand operand_of(const Matrix& m) {
  if (has_dense_columns(m)) {
    const int64_t leading = m.columns <= 1 ? std::max<int64_t>(m.rows, 1) : m.column_stride;
    return {m.data, CUBLAS_OP_N, leading, m.batch_stride};
  }
  Operand transposed = operand_of(m.transposed());
  transposed.operation = CUBLAS_OP_T;
  return transposed;
}

bool fits(const Matrix& m) { return has_dense_columns(m) || has_dense_columns(m.transposed()); }

/// A plan to copy between matrices of one shape and type, `batch` times.
ElementwisePlan copy_plan(const Matrix& to, const Matrix& from, int64_t batch, ScalarType dtype) {
  ElementwisePlan plan;
  plan.operands = 2;
  plan.ndim = 3;
  plan.numel = batch * to.rows * to.columns;
  plan.data[0] = static_cast<char*>(to.data);
  plan.data[1] = static_cast<char*>(from.data);
  const auto size = static_cast<int64_t>(element_size(dtype));
  const int64_t sizes[] = {to.columns, to.rows, batch};
  const int64_t strides[][2] = {{to.column_stride, from.column_stride},
                                {to.row_stride, from.row_stride},
                                {to.batch_stride, from.batch_stride}};
  for (int d = 0; d < 3; ++d) {
    plan.sizes[d] = sizes[d];
    for (int k = 0; k < 2; ++k) plan.strides[d][k] = strides[d][k] * size;
  }
  return plan;
}

/// A matrix in a layout that cuBLAS takes, copied if it has to be.
class Dense {
 public:
  Dense(const Matrix& given, const GemmCall& call, void* stream) : matrix_(given) {
    if (fits(given)) return;
    const int64_t batch = given.batch_stride == 0 ? 1 : call.batch;
    copy_ = allocate(IntArrayRef({batch, given.rows, given.columns}), call.dtype, call.device);
    matrix_ = matrix_of(copy_);
    if (given.batch_stride == 0) matrix_.batch_stride = 0;
    copy_on_cuda(copy_plan(matrix_, given, batch, call.dtype), call.dtype, call.dtype, stream);
  }
  const Matrix& matrix() const { return matrix_; }

 private:
  Tensor copy_;
  Matrix matrix_;
};

template <typename T>
void multiply(cublasHandle_t handle, const GemmCall& call, const Matrix& result, const Matrix& left,
              const Matrix& right) {
  const T alpha = call.alpha.to<T>(), beta = call.beta.to<T>();
  const int64_t k = alpha == T(0) ? 0 : left.columns;
  const Operand a = operand_of(left), b = operand_of(right), c = operand_of(result);
  const auto run = [&](auto function) {
    check(function(handle, a.operation, b.operation, result.rows, result.columns, k, &alpha,
                   static_cast<const T*>(a.data), a.leading, a.batch_stride,
                   static_cast<const T*>(b.data), b.leading, b.batch_stride, &beta,
                   static_cast<T*>(result.data), c.leading, c.batch_stride, call.batch));
  };
  if constexpr (std::is_same_v<T, float>)
    run(cublasSgemmStridedBatched_64);
  else
    run(cublasDgemmStridedBatched_64);
}

template <typename T>
void run(const GemmCall& call, void* stream) {
  const Dense a(call.a, call, stream), b(call.b, call, stream);
  // A result without dense rows or columns is computed beside its place.
  const Dense result(call.result, call, stream);
  Handle& handle = handle_of(call.device, stream);
  {
    const std::lock_guard guard(handle.in_use);
    if (has_dense_columns(result.matrix()))
      multiply<T>(handle.native, call, result.matrix(), a.matrix(), b.matrix());
    else
      multiply<T>(handle.native, call, result.matrix().transposed(), b.matrix().transposed(),
                  a.matrix().transposed());
  }
  if (result.matrix().data != call.result.data)
    copy_on_cuda(copy_plan(call.result, result.matrix(), call.batch, call.dtype), call.dtype,
                 call.dtype, stream);
}

}  // namespace

void gemm_on_cuda(const Operation& op, const GemmCall& call) {
  if (!is_floating_point(call.dtype)) no_kernel(op, call.dtype, call.device);
  if (call.result.rows == 0 || call.result.columns == 0 || call.batch == 0) return;
  void* stream = device_interface(call.device).current_stream(call.device.index);
  if (call.dtype == kFloat32)
    run<float>(call, stream);
  else
    run<double>(call, stream);
}

}  // namespace notape::cuda
