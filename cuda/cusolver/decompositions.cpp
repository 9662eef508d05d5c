// Decompositions of matrices by cuSOLVER, and by cuBLAS where it has the function of a batch.
#include <cusolverDn.h>

#include <limits>
#include <map>
#include <tuple>
#include <vector>

#include "autograd/tensor/device_interface.h"
#include "autograd/tensor/factories.h"
#include "cuda/cusolver/decomposition_library.h"
#include "cuda/kernels/blas.h"
#include "ops/arithmetic.h"
#include "ops/comparison.h"
#include "ops/linalg/matrices.h"
#include "ops/reduce.h"
#include "ops/selection.h"
#include "ops/shape.h"

namespace notape::cuda {
namespace {

/// Matrices of a batch up to this size are decomposed together, larger ones one after another.
/// Nobody has measured it.
constexpr int64_t kTogether = 128;
bool go_together(const Tensor& matrices) {
  return matrices.size(0) > 1 && matrices.size(1) <= kTogether;
}

/// A handle of cuSOLVER for matrices of one type, on the current stream of their device. Other
/// threads' calls on that stream wait as long as it lives.
class Solver {
 public:
  Solver(const Operation& op, const Tensor& matrices)
      : type(matrices.dtype() == kFloat32 ? CUDA_R_32F : CUDA_R_64F),
        op_(op),
        device_(matrices.device()) {
    static std::mutex lock;
    static auto* const all = new std::map<std::pair<int, void*>, Own>;
    void* const stream = device_interface(device_).current_stream(device_.index);
    Own* own = nullptr;
    {
      const std::lock_guard guard(lock);
      own = &(*all)[{device_.index, stream}];
    }
    in_use_ = std::unique_lock(own->in_use);
    if (!own->parameters) check(cusolverDnCreateParams(&own->parameters));
    if (!own->handle) check(cusolverDnCreate(&own->handle));
    check(cusolverDnSetStream(own->handle, static_cast<cudaStream_t>(stream)));
    handle = own->handle;
    parameters = own->parameters;
  }

  void check(cusolverStatus_t status) const {
    if (status != CUSOLVER_STATUS_SUCCESS)
      op_.fail<DeviceError>("cuSOLVER: status {}", static_cast<int>(status));
  }

  /// Calls a function of 64-bit sizes, in as much memory as it `asks` for. `batch`: its arguments
  /// behind `info`.
  template <typename Asks, typename Function, typename... Batch, typename... Arguments>
  void run(const Asks& asks, Function function, int* info, std::tuple<Batch...> batch,
           Arguments... arguments) const {
    const auto with_batch = [&](auto... count) {
      std::size_t there = 0, here = 0;
      check(asks(handle, parameters, arguments..., type, &there, &here, count...));
      const Tensor device = allocate(IntArrayRef({static_cast<int64_t>(there)}), kByte, device_);
      std::vector<char> host(here);
      check(function(handle, parameters, arguments..., type, device.impl().data_as<uint8_t>(),
                     there, host.data(), here, info, count...));
    };
    std::apply(with_batch, batch);
  }

  const cudaDataType_t type;
  cusolverDnHandle_t handle;
  cusolverDnParams_t parameters;

 private:
  struct Own {
    std::mutex in_use;
    cusolverDnHandle_t handle = nullptr;
    cusolverDnParams_t parameters = nullptr;
  };

  const Operation& op_;
  Device device_;
  std::unique_lock<std::mutex> in_use_;
};

template <typename T>
T* entries(const Tensor& of, int64_t which = 0) {
  return of.impl().data_as<T>() + which * of.stride(0);
}
void* matrix(const Tensor& of, int64_t which) {
  return static_cast<char*>(of.data_ptr()) +
         which * of.stride(0) * static_cast<int64_t>(element_size(of.dtype()));
}

Tensor integers(const Tensor& like, IntArrayRef sizes, ScalarType dtype = kInt32) {
  return allocate(sizes, dtype, like.device());
}
/// Where each matrix begins, in memory of the GPU.
Tensor addresses(const Tensor& of) {
  const auto first = reinterpret_cast<int64_t>(matrix(of, 0));
  const int64_t step = reinterpret_cast<int64_t>(matrix(of, 1)) - first;
  return arange(first, first + of.size(0) * step, step, TensorOptions(kInt64).device(of.device()));
}
template <typename T>
T** pointers(const Tensor& addresses) {
  return reinterpret_cast<T**>(addresses.impl().data_as<int64_t>());
}

/// f.operator()<T>() for the type of the matrices, and of two functions the one for it.
template <typename F>
void by_type(const Tensor& matrices, const F& f) {
  matrices.dtype() == kFloat32 ? f.template operator()<float>() : f.template operator()<double>();
}
template <typename T, typename OfFloat, typename OfDouble>
auto pick(OfFloat of_float, OfDouble of_double) {
  if constexpr (std::is_same_v<T, float>)
    return of_float;
  else
    return of_double;
}

/// P A = L U in place of A, and the solution in place of `right`, unless that is undefined.
/// Returns (count, n): with which row each was exchanged, 1 for the first.
Tensor factor(const Operation& op, const Tensor& matrices, const Tensor& right, Infos infos) {
  const int64_t count = matrices.size(0), n = matrices.size(1);
  const int64_t columns = right.defined() ? right.size(2) : 0;
  int* const info = entries<int>(infos);
  const bool together = go_together(matrices);
  const Tensor rows = integers(matrices, {count, n}, together ? kInt32 : kInt64);
  if (together) {
    const Tensor all = addresses(matrices), all_right = columns > 0 ? addresses(right) : Tensor();
    const Device device = matrices.device();
    BlasHandle& blas = blas_handle(device, device_interface(device).current_stream(device.index));
    const std::lock_guard guard(blas.in_use);
    by_type(matrices, [&]<typename T>() {
      const int size = static_cast<int>(n), many = static_cast<int>(count);
      check(pick<T>(cublasSgetrfBatched, cublasDgetrfBatched)(
          blas.native, size, pointers<T>(all), size, entries<int>(rows), info, many));
      int unused = 0;
      if (columns > 0)
        check(pick<T>(cublasSgetrsBatched, cublasDgetrsBatched)(
            blas.native, CUBLAS_OP_N, size, static_cast<int>(columns), pointers<T>(all), size,
            entries<int>(rows), pointers<T>(all_right), size, &unused, many));
    });
    return rows;
  }
  const Tensor unused = integers(matrices, {1});
  const Solver solver(op, matrices);
  const auto asks = [](auto handle, auto parameters, auto m, auto k, auto type, auto a,
                       auto leading, int64_t*, auto... others) {
    return cusolverDnXgetrf_bufferSize(handle, parameters, m, k, type, a, leading, others...);
  };
  for (int64_t i = 0; i < count; ++i) {
    solver.run(asks, cusolverDnXgetrf, info + i, std::tuple(), n, n, solver.type,
               matrix(matrices, i), n, entries<int64_t>(rows, i));
    if (columns > 0)
      solver.check(cusolverDnXgetrs(solver.handle, solver.parameters, CUBLAS_OP_N, n, columns,
                                    solver.type, matrix(matrices, i), n, entries<int64_t>(rows, i),
                                    solver.type, matrix(right, i), n, entries<int>(unused)));
  }
  return rows;
}

void lu(const Operation& op, const Tensor& matrices, const Tensor& signs) {
  const int64_t n = matrices.size(1);
  if (matrices.numel() == 0) return raw_copy(signs, ones_like(signs));
  const Tensor rows = factor(op, matrices, Tensor(), integers(matrices, {matrices.size(0)}));
  const Tensor exchanges = sum(ne(rows, arange(1, n + 1, rows.options())), {1});
  raw_copy(signs, 1 - 2 * remainder(exchanges, 2));
}

void solve(const Operation& op, const Tensor& matrices, const Tensor& right, Infos infos) {
  if (matrices.numel() > 0) factor(op, matrices, right, infos);
}

void triangular_solve(const Operation&, const Tensor& matrices, const Tensor& right,
                      Triangle triangle) {
  const int64_t n = matrices.size(1);
  if (right.numel() == 0) return;
  const Tensor all = addresses(matrices), all_right = addresses(right);
  const Device device = matrices.device();
  BlasHandle& blas = blas_handle(device, device_interface(device).current_stream(device.index));
  const std::lock_guard guard(blas.in_use);
  by_type(matrices, [&]<typename T>() {
    const T one = 1;
    check(pick<T>(cublasStrsmBatched_64, cublasDtrsmBatched_64)(
        blas.native, CUBLAS_SIDE_LEFT,
        triangle.upper ? CUBLAS_FILL_MODE_UPPER : CUBLAS_FILL_MODE_LOWER, CUBLAS_OP_N,
        triangle.unitriangular ? CUBLAS_DIAG_UNIT : CUBLAS_DIAG_NON_UNIT, n, right.size(2), &one,
        pointers<T>(all), n, pointers<T>(all_right), n, matrices.size(0)));
  });
}

void cholesky(const Operation& op, const Tensor& matrices, Infos infos) {
  const int64_t count = matrices.size(0), n = matrices.size(1);
  if (matrices.numel() == 0) return;
  int* const info = entries<int>(infos);
  const Tensor all = go_together(matrices) ? addresses(matrices) : Tensor();
  const Solver solver(op, matrices);
  if (all.defined())
    by_type(matrices, [&]<typename T>() {
      const int size = static_cast<int>(n);
      solver.check(pick<T>(cusolverDnSpotrfBatched, cusolverDnDpotrfBatched)(
          solver.handle, CUBLAS_FILL_MODE_LOWER, size, pointers<T>(all), size, info,
          static_cast<int>(count)));
    });
  else
    for (int64_t i = 0; i < count; ++i)
      solver.run(cusolverDnXpotrf_bufferSize, cusolverDnXpotrf, info + i, std::tuple(),
                 CUBLAS_FILL_MODE_LOWER, n, solver.type, matrix(matrices, i), n);
  raw_copy(matrices, tril(matrices));
}

void qr(const Operation& op, const Tensor& matrices, const Tensor& q) {
  const int64_t count = matrices.size(0), m = matrices.size(1), n = matrices.size(2);
  const int64_t reflectors = std::min(m, n), k = q.defined() ? q.size(2) : 0;
  if (matrices.numel() == 0) return k > 0 ? raw_copy(q, eye(m, k, q.options())) : void();
  const Tensor tau =
      allocate(IntArrayRef({count, reflectors}), matrices.dtype(), matrices.device());
  const Tensor unused = integers(matrices, {1});
  // Entries that are not finite make all NaN, as on the CPU: what is added in the end.
  const Tensor spoil = sum(matrices * 0, {1, 2}, true);
  const Solver solver(op, matrices);
  for (int64_t i = 0; i < count; ++i)
    solver.run(cusolverDnXgeqrf_bufferSize, cusolverDnXgeqrf, entries<int>(unused), std::tuple(), m,
               n, solver.type, matrix(matrices, i), m, solver.type, matrix(tau, i));
  if (k == 0) return raw_copy(matrices, matrices + spoil);
  raw_copy(narrow(q, 2, 0, std::min(n, k)), narrow(matrices, 2, 0, std::min(n, k)));
  by_type(matrices, [&]<typename T>() {
    const int sizes[] = {static_cast<int>(m), static_cast<int>(k), static_cast<int>(reflectors)};
    int size = 0;
    solver.check(pick<T>(cusolverDnSorgqr_bufferSize, cusolverDnDorgqr_bufferSize)(
        solver.handle, sizes[0], sizes[1], sizes[2], entries<T>(q), sizes[0], entries<T>(tau),
        &size));
    const Tensor work = allocate(IntArrayRef({size}), q.dtype(), q.device());
    for (int64_t i = 0; i < count; ++i)
      solver.check(pick<T>(cusolverDnSorgqr, cusolverDnDorgqr)(
          solver.handle, sizes[0], sizes[1], sizes[2], entries<T>(q, i), sizes[0],
          entries<T>(tau, i), entries<T>(work), size, entries<int>(unused)));
  });
  raw_copy(q, q + spoil);
  raw_copy(matrices, matrices + spoil);
}

void eigh(const Operation& op, const Tensor& matrices, const Tensor& values, bool vectors,
          Infos infos) {
  const int64_t n = matrices.size(1);
  if (matrices.numel() == 0) return;
  // It takes no more elements at a time.
  const int64_t most = std::max<int64_t>(std::numeric_limits<int>::max() / (n * n), 1);
  const Solver solver(op, matrices);
  for (int64_t i = 0; i < matrices.size(0); i += most)
    solver.run(cusolverDnXsyevBatched_bufferSize, cusolverDnXsyevBatched, entries<int>(infos) + i,
               std::tuple(std::min(most, matrices.size(0) - i)),
               vectors ? CUSOLVER_EIG_MODE_VECTOR : CUSOLVER_EIG_MODE_NOVECTOR,
               CUBLAS_FILL_MODE_LOWER, n, solver.type, matrix(matrices, i), n, solver.type,
               matrix(values, i));
}

void svd(const Operation& op, const Tensor& matrices, const Tensor& u, const Tensor& s,
         const Tensor& vh, Infos infos) {
  const int64_t count = matrices.size(0), m = matrices.size(1), n = matrices.size(2);
  const bool vectors = u.defined();
  if (matrices.numel() == 0) return;
  if (m < n) {  // which cuSOLVER does not take: A^T = V S U^T
    const Tensor v = vectors ? allocate_columns(count, n, vh.size(1), u) : Tensor();
    const Tensor uh = vectors ? allocate_columns(count, u.size(2), m, u) : Tensor();
    svd(op, copy_columns(transposed(matrices)), v, s, uh, infos);
    if (vectors) raw_copy(u, transposed(uh));
    if (vectors) raw_copy(vh, transposed(v));
    return;
  }
  const Tensor is_finite = isfinite(sum(matrices * 0, {1, 2}));
  const signed char job = !vectors ? 'N' : u.size(2) == m ? 'A' : 'S';
  const Solver solver(op, matrices);
  for (int64_t i = 0; i < count; ++i)
    solver.run(cusolverDnXgesvd_bufferSize, cusolverDnXgesvd, entries<int>(infos) + i, std::tuple(),
               job, job, m, n, solver.type, matrix(matrices, i), m, solver.type, matrix(s, i),
               solver.type, vectors ? matrix(u, i) : nullptr, m, solver.type,
               vectors ? matrix(vh, i) : nullptr, n);
  raw_copy(infos, where(is_finite, infos, -1));
}

}  // namespace
}  // namespace notape::cuda

extern "C" void notape_describe_cusolver(notape::cuda::DecompositionLibrary& library) {
  using namespace notape::cuda;
  int version = 0;
  cusolverGetVersion(&version);
  const std::string text =
      notape::format_message("{}.{}.{}", {version / 1000, version / 100 % 10, version % 100});
  library = {text, lu, solve, triangular_solve, cholesky, qr, eigh, svd};
}
