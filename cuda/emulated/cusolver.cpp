// The functions of cuSOLVER, and those of cuBLAS that decompose or solve: they check what they are
// given, are queued, and compute by the CPU's LAPACK.
#include "cusolverDn.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <vector>

#include "autograd/tensor/factories.h"
#include "cuda/emulated/accesses.h"
#include "cuda/emulated/findings.h"
#include "cuda/emulated/memory.h"
#include "cuda/emulated/work.h"
#include "ops/cpu/blas_threads.h"
#include "ops/cpu/lapack.h"
#include "ops/linalg/decompositions.h"

using namespace emulator;

struct cusolverDnContext {
  int device;
  cudaStream_t stream = nullptr;
};
struct cusolverDnParams {};

namespace emulator {
namespace {

/// Dense columns that a call reads or writes.
struct Columns {
  const void* data;
  int64_t rows, columns, leading;
  std::size_t size = 0;  // bytes of an element; 0: of the matrices' type
  bool reads = true, writes = true;

  bool is_valid() const {
    return rows >= 0 && columns >= 0 && leading >= std::max<int64_t>(1, rows);
  }
  bool is_of(int device) const {
    const auto all = static_cast<std::size_t>((columns - 1) * leading + rows) * size;
    if (rows == 0 || columns == 0 || owner_of(data, all) == device) return true;
    found("illegal address: a decomposition in memory that is not its device's, or past its end");
    return false;
  }
  void note(uint32_t launch) const {
    for (int64_t j = 0; j < columns; ++j)
      for (const bool write : {false, true})
        if (write ? writes : reads)
          note_access(static_cast<const char*>(data) + static_cast<std::size_t>(j * leading) * size,
                      static_cast<std::size_t>(rows) * size, write, launch, "a decomposition");
  }
};
template <typename T>
Columns read_of(const T* data, int64_t count) {
  return {data, count, 1, std::max<int64_t>(1, count), sizeof(T), true, false};
}
template <typename T>
Columns written_of(T* data, int64_t count) {
  return {data, count, 1, std::max<int64_t>(1, count), sizeof(T), false, true};
}

using Guard = std::lock_guard<std::recursive_mutex>;

/// f(note) once the stream comes to it. It is false where note(columns) is: what lies behind
/// pointers in memory of the device is known only then.
template <typename Status, typename F>
Status queue_solver(cudaStream_t given, const std::vector<Columns>& arrays, const F& f) {
  constexpr bool kIsBlas = std::is_same_v<Status, cublasStatus_t>;
  constexpr int kInvalid =
      kIsBlas ? int{CUBLAS_STATUS_INVALID_VALUE} : CUSOLVER_STATUS_INVALID_VALUE;
  constexpr int kFailed =
      kIsBlas ? int{CUBLAS_STATUS_EXECUTION_FAILED} : CUSOLVER_STATUS_EXECUTION_FAILED;
  CUstream_st& stream = stream_of(given);
  for (const Columns& one : arrays)
    if (!one.is_valid() || !one.is_of(stream.device))
      return Status(one.is_valid() ? kFailed : kInvalid);
  ++counts.launches;
  queue(stream, "a decomposition", [=, device = stream.device](uint32_t launch) {
    const notape::blas::OneThread alone(true);
    for (const Columns& one : arrays) one.note(launch);
    return f([=](const Columns& one) {
      return one.is_valid() && one.is_of(device) && (one.note(launch), true);
    });
  });
  return Status(has_faulted ? kFailed : 0);
}

/// As LAPACK takes it.
struct Int {
  blasint value;
  explicit Int(int64_t size) : value(static_cast<blasint>(size)) {}
  operator const blasint*() const { return &value; }
};
const notape::Operation kOperation("emulated cuSOLVER", notape::SourceLocation::current());
template <typename T>
const notape::lapack::Library<T>& lapack_of() {
  return notape::lapack::library<T>(kOperation);
}
template <typename... Arguments>
void run_on_cpu(const auto& slot, const notape::Tensor& matrices, const Arguments&... arguments) {
  slot(kOperation, matrices.dtype(), notape::kCPU, matrices, arguments...);
}
template <typename T>
std::vector<T> memory_of(int64_t count) {
  return std::vector<T>(static_cast<std::size_t>(count));
}
/// The same memory as (count, rows, columns) of the CPU, for its slots.
notape::Tensor over(const void* data, cudaDataType type, int64_t count, int64_t rows,
                    int64_t columns) {
  return notape::from_blob(const_cast<void*>(data), notape::IntArrayRef({count, rows, columns}),
                           notape::IntArrayRef({rows * columns, 1, rows}), nullptr,
                           type == CUDA_R_32F ? notape::kFloat32 : notape::kFloat64);
}
notape::Tensor infos_over(int* infos, int64_t count) {
  std::fill_n(infos, count, 0);
  return notape::from_blob(infos, notape::IntArrayRef({count}), notape::kInt32);
}

template <typename T, typename Pivot>
int factor(int64_t n, T* a, int64_t lda, Pivot* pivots) {
  auto rows = memory_of<blasint>(n);
  blasint info = 0;
  lapack_of<T>().getrf(Int(n), Int(n), a, Int(lda), rows.data(), &info);
  std::copy(rows.begin(), rows.end(), pivots);
  return static_cast<int>(info);
}
template <typename T, typename Pivot>
bool solve(int64_t n, int64_t columns, const T* a, int64_t lda, const Pivot* pivots, T* b,
           int64_t ldb) {
  const std::vector<blasint> rows(pivots, pivots + n);
  blasint info = 0;
  if (std::any_of(rows.begin(), rows.end(), [=](blasint row) { return row < 1 || row > n; })) {
    found("illegal address: a solution exchanges rows that there are not");
    return false;
  }
  lapack_of<T>().getrs("N", Int(n), Int(columns), a, Int(lda), rows.data(), b, Int(ldb), &info, 1);
  return true;
}

template <typename T>
int factor_symmetric(int64_t n, T* a, int64_t lda) {
  blasint info = 0;
  lapack_of<T>().potrf("L", Int(n), a, Int(lda), &info, 1);
  return static_cast<int>(info);
}

}  // namespace

template <typename T>
cublasStatus_t OfMatrices<T>::getrf(cublasHandle_t handle, int n, T* const a[], int lda,
                                    int* pivots, int* infos, int count) {
  const Guard guard(lock);
  return queue_solver<cublasStatus_t>(
      handle->stream, {read_of(a, count), written_of(pivots, n * count), written_of(infos, count)},
      [=](const auto& note) {
        for (int i = 0; i < count; ++i) {
          if (!note(Columns{a[i], n, n, lda, sizeof(T)})) return false;
          infos[i] = factor(n, a[i], lda, pivots + i * n);
        }
        return true;
      });
}
template <typename T>
cublasStatus_t OfMatrices<T>::getrs(cublasHandle_t handle, cublasOperation_t as, int n, int columns,
                                    const T* const a[], int lda, const int* pivots, T* const b[],
                                    int ldb, int* info, int count) {
  const Guard guard(lock);
  *info = 0;
  if (as != CUBLAS_OP_N) return CUBLAS_STATUS_NOT_SUPPORTED;
  return queue_solver<cublasStatus_t>(
      handle->stream, {read_of(a, count), read_of(b, count), read_of(pivots, n * count)},
      [=](const auto& note) {
        for (int i = 0; i < count; ++i)
          if (!note(Columns{a[i], n, n, lda, sizeof(T), true, false}) ||
              !note(Columns{b[i], n, columns, ldb, sizeof(T)}) ||
              !solve(n, columns, a[i], lda, pivots + i * n, b[i], ldb))
            return false;
        return true;
      });
}
template <typename T>
cublasStatus_t OfMatrices<T>::trsm(cublasHandle_t handle, cublasSideMode_t side,
                                   cublasFillMode_t fill, cublasOperation_t as,
                                   cublasDiagType_t diagonal, int64_t m, int64_t n, const T* alpha,
                                   const T* const a[], int64_t lda, T* const b[], int64_t ldb,
                                   int64_t count) {
  const Guard guard(lock);
  if (side != CUBLAS_SIDE_LEFT || as != CUBLAS_OP_N) return CUBLAS_STATUS_NOT_SUPPORTED;
  return queue_solver<cublasStatus_t>(
      handle->stream, {read_of(a, count), read_of(b, count)}, [=, one = *alpha](const auto& note) {
        for (int64_t i = 0; i < count; ++i) {
          if (!note(Columns{a[i], m, m, lda, sizeof(T), true, false}) ||
              !note(Columns{b[i], m, n, ldb, sizeof(T)}))
            return false;
          lapack_of<T>().trsm("L", fill == CUBLAS_FILL_MODE_UPPER ? "U" : "L", "N",
                              diagonal == CUBLAS_DIAG_UNIT ? "U" : "N", Int(m), Int(n), &one, a[i],
                              Int(lda), b[i], Int(ldb), 1, 1, 1, 1);
        }
        return true;
      });
}
template struct OfMatrices<float>;
template struct OfMatrices<double>;

template <typename T>
cusolverStatus_t Decompositions<T>::potrf(cusolverDnHandle_t handle, cublasFillMode_t fill, int n,
                                          T* a[], int lda, int* infos, int count) {
  const Guard guard(lock);
  if (fill != CUBLAS_FILL_MODE_LOWER) return CUSOLVER_STATUS_NOT_SUPPORTED;
  return queue_solver<cusolverStatus_t>(
      handle->stream, {read_of(a, count), written_of(infos, count)}, [=](const auto& note) {
        for (int i = 0; i < count; ++i) {
          if (!note(Columns{a[i], n, n, lda, sizeof(T)})) return false;
          infos[i] = factor_symmetric(n, a[i], lda);
        }
        return true;
      });
}
template <typename T>
cusolverStatus_t Decompositions<T>::orgqr(cusolverDnHandle_t handle, int m, int n, int k, T* a,
                                          int lda, const T* tau, T* work, int size, int* info) {
  const Guard guard(lock);
  if (m < n || n < k) return CUSOLVER_STATUS_INVALID_VALUE;
  if (size < kSolverWorkspace) return CUSOLVER_STATUS_INVALID_WORKSPACE;
  return queue_solver<cusolverStatus_t>(handle->stream,
                                        {{a, m, k, lda, sizeof(T)},
                                         {a, m, n, lda, sizeof(T), false},
                                         read_of(tau, k),
                                         written_of(work, kSolverWorkspace),
                                         written_of(info, 1)},
                                        [=](const auto&) {
                                          auto memory = memory_of<T>(64 * n);
                                          blasint failure = 0;
                                          lapack_of<T>().orgqr(Int(m), Int(n), Int(k), a, Int(lda),
                                                               tau, memory.data(), Int(64 * n),
                                                               &failure);
                                          *info = static_cast<int>(failure);
                                          return true;
                                        });
}
template struct Decompositions<float>;
template struct Decompositions<double>;

namespace {

/// f(T()) of the type, which all of `types` are, once the stream comes to it.
template <typename F>
cusolverStatus_t decompose(const SolverCall& call, const std::vector<cudaDataType>& types,
                           std::vector<Columns> arrays, const F& f) {
  const Guard guard(lock);
  const auto& [device, stream] = *call.handle;
  if (stream_of(stream).device != device || current_device != device)
    return CUSOLVER_STATUS_INVALID_VALUE;
  const cudaDataType type = call.computes;
  if ((type != CUDA_R_32F && type != CUDA_R_64F) ||
      std::any_of(types.begin(), types.end(), [=](cudaDataType one) { return one != type; }))
    return CUSOLVER_STATUS_NOT_SUPPORTED;
  if (std::min(call.bytes, call.host_bytes) < kSolverWorkspace)
    return CUSOLVER_STATUS_INVALID_WORKSPACE;
  std::memset(call.host, 1, kSolverWorkspace);
  arrays.push_back(written_of(static_cast<char*>(call.work), kSolverWorkspace));
  arrays.push_back(written_of(call.infos, call.count));
  for (Columns& one : arrays)
    if (one.size == 0) one.size = type == CUDA_R_32F ? sizeof(float) : sizeof(double);
  return queue_solver<cusolverStatus_t>(stream, arrays, [=](const auto&) {
    type == CUDA_R_32F ? f(float()) : f(double());
    return true;
  });
}

}  // namespace

cusolverStatus_t potrf(const SolverCall& call, cublasFillMode_t fill, int64_t n, cudaDataType type,
                       void* a, int64_t lda) {
  if (fill != CUBLAS_FILL_MODE_LOWER) return CUSOLVER_STATUS_NOT_SUPPORTED;
  return decompose(call, {type}, {{a, n, n, lda}}, [=]<typename T>(T) {
    *call.infos = factor_symmetric(n, static_cast<T*>(a), lda);
  });
}
cusolverStatus_t getrf(const SolverCall& call, int64_t m, int64_t n, cudaDataType type, void* a,
                       int64_t lda, int64_t* pivots) {
  if (m != n) return CUSOLVER_STATUS_NOT_SUPPORTED;
  return decompose(call, {type}, {{a, n, n, lda}, written_of(pivots, n)}, [=]<typename T>(T) {
    *call.infos = factor(n, static_cast<T*>(a), lda, pivots);
  });
}
cusolverStatus_t geqrf(const SolverCall& call, int64_t m, int64_t n, cudaDataType type, void* a,
                       int64_t lda, cudaDataType of_tau, void* tau) {
  const int64_t k = std::min(m, n);
  return decompose(
      call, {type, of_tau}, {{a, m, n, lda}, {tau, k, 1, k, 0, false}}, [=]<typename T>(T) {
        auto memory = memory_of<T>(64 * n);
        blasint failure = 0;
        lapack_of<T>().geqrf(Int(m), Int(n), static_cast<T*>(a), Int(lda), static_cast<T*>(tau),
                             memory.data(), Int(64 * n), &failure);
        *call.infos = static_cast<int>(failure);
      });
}
cusolverStatus_t syev(const SolverCall& call, cusolverEigMode_t mode, cublasFillMode_t fill,
                      int64_t n, cudaDataType type, void* a, int64_t lda, cudaDataType of_w,
                      void* w) {
  if (fill != CUBLAS_FILL_MODE_LOWER || lda > n) return CUSOLVER_STATUS_NOT_SUPPORTED;
  return decompose(call, {type, of_w},
                   {{a, n, n * call.count, lda}, {w, n, call.count, n, 0, false}}, [=](auto) {
                     run_on_cpu(notape::eigh_kernel, over(a, type, call.count, n, n),
                                over(w, type, call.count, n, 1), mode == CUSOLVER_EIG_MODE_VECTOR,
                                infos_over(call.infos, call.count));
                   });
}
cusolverStatus_t gesvd(const SolverCall& call, signed char job_u, signed char job_vt, int64_t m,
                       int64_t n, cudaDataType type, void* a, int64_t lda, cudaDataType of_s,
                       void* s, cudaDataType of_u, void* u, int64_t ldu, cudaDataType of_vt,
                       void* vt, int64_t ldvt) {
  if (m < n || job_u != job_vt || std::max(lda, ldu) > m || ldvt > n)
    return CUSOLVER_STATUS_INVALID_VALUE;
  const bool vectors = job_u != 'N';
  const int64_t columns = job_u == 'A' ? m : n;
  return decompose(call, {type, of_s, of_u, of_vt},
                   {{a, m, n, lda},
                    {s, n, 1, n, 0, false},
                    {u, vectors ? m : 0, columns, ldu, 0, false},
                    {vt, vectors ? n : 0, n, ldvt, 0, false}},
                   [=](auto) {
                     const auto factor = [=](void* data, int64_t rows, int64_t of) {
                       return vectors ? over(data, type, 1, rows, of) : notape::Tensor();
                     };
                     run_on_cpu(notape::svd_kernel, over(a, type, 1, m, n), factor(u, m, columns),
                                over(s, type, 1, n, 1), factor(vt, n, n),
                                infos_over(call.infos, 1));
                     *call.infos = std::abs(*call.infos);  // it does not say what is not finite
                   });
}

}  // namespace emulator

cusolverStatus_t cusolverGetVersion(int* version) {
  *version = CUSOLVER_VERSION;
  return CUSOLVER_STATUS_SUCCESS;
}
cusolverStatus_t cusolverDnCreate(cusolverDnHandle_t* handle) {
  *handle = new cusolverDnContext{current_device};
  return CUSOLVER_STATUS_SUCCESS;
}
cusolverStatus_t cusolverDnCreateParams(cusolverDnParams_t* parameters) {
  *parameters = new cusolverDnParams;
  return CUSOLVER_STATUS_SUCCESS;
}
cusolverStatus_t cusolverDnSetStream(cusolverDnHandle_t handle, cudaStream_t stream) {
  handle->stream = stream;
  return CUSOLVER_STATUS_SUCCESS;
}
cusolverStatus_t cusolverDnXgetrs(cusolverDnHandle_t handle, cusolverDnParams_t,
                                  cublasOperation_t as, int64_t n, int64_t columns,
                                  cudaDataType type, const void* a, int64_t lda,
                                  const int64_t* pivots, cudaDataType of_b, void* b, int64_t ldb,
                                  int* info) {
  const Guard guard(lock);
  if (as != CUBLAS_OP_N || type != of_b) return CUSOLVER_STATUS_NOT_SUPPORTED;
  const std::size_t size = type == CUDA_R_32F ? sizeof(float) : sizeof(double);
  return queue_solver<cusolverStatus_t>(
      handle->stream,
      {{a, n, n, lda, size, true, false},
       {b, n, columns, ldb, size},
       read_of(pivots, n),
       written_of(info, 1)},
      [=](const auto&) {
        const auto solved = [=]<typename T>(T) {
          return solve(n, columns, static_cast<const T*>(a), lda, pivots, static_cast<T*>(b), ldb);
        };
        *info = 0;
        return type == CUDA_R_32F ? solved(float()) : solved(double());
      });
}
