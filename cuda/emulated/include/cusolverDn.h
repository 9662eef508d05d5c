// In place of NVIDIA's header of this name: the part of cuSOLVER that notape uses. It computes by
// the CPU's LAPACK when the emulated stream comes to it, and checks what it is given
// (cusolver.cpp).
#pragma once
#include <concepts>
#include <tuple>
#include <utility>

#include "cublas_v2.h"

// NOLINTBEGIN(readability-identifier-naming): the names are cuSOLVER's.

#define CUSOLVER_VERSION 12004

enum cusolverStatus_t {
  CUSOLVER_STATUS_SUCCESS = 0,
  CUSOLVER_STATUS_INVALID_VALUE = 3,
  CUSOLVER_STATUS_EXECUTION_FAILED = 6,
  CUSOLVER_STATUS_NOT_SUPPORTED = 9,
  CUSOLVER_STATUS_INVALID_WORKSPACE = 31
};
enum cusolverEigMode_t { CUSOLVER_EIG_MODE_NOVECTOR, CUSOLVER_EIG_MODE_VECTOR };
using cusolverDnHandle_t = struct cusolverDnContext*;
using cusolverDnParams_t = struct cusolverDnParams*;

namespace emulator {

/// Of any function, whatever the matrices are: bytes of a GPU and of the CPU, or elements.
inline constexpr int kSolverWorkspace = 1024;
struct AsksForWorkspace {
  template <typename... Arguments>
  cusolverStatus_t operator()(Arguments... arguments) const {
    const auto answer = [](auto argument) {
      using Argument = decltype(argument);
      if constexpr (std::same_as<Argument, std::size_t*> || std::same_as<Argument, int*>)
        *argument = kSolverWorkspace;
    };
    (answer(arguments), ...);
    return CUSOLVER_STATUS_SUCCESS;
  }
};

/// What all functions of 64-bit sizes are given around their own arguments, of which there are
/// kOwn.
struct SolverCall {
  cusolverDnHandle_t handle;
  cudaDataType computes;
  void* work;
  std::size_t bytes;
  void* host;
  std::size_t host_bytes;
  int* infos;
  int64_t count = 1;
};
template <std::size_t kOwn, auto kFunction>
struct Decomposes {
  cusolverStatus_t operator()(cusolverDnHandle_t handle, cusolverDnParams_t, auto... all) const {
    const std::tuple given(all...);
    const auto call = [&]<std::size_t... kPlace, std::size_t... kOther>(
        std::index_sequence<kPlace...>, std::index_sequence<kOther...>) {
      return kFunction(SolverCall{handle, std::get<kOwn + kOther>(given)...},
                       std::get<kPlace>(given)...);
    };
    return call(std::make_index_sequence<kOwn>(),
                std::make_index_sequence<sizeof...(all) - kOwn>());
  }
};
cusolverStatus_t potrf(const SolverCall&, cublasFillMode_t, int64_t n, cudaDataType, void* a,
                       int64_t lda);
cusolverStatus_t getrf(const SolverCall&, int64_t m, int64_t n, cudaDataType, void* a, int64_t lda,
                       int64_t* pivots);
cusolverStatus_t geqrf(const SolverCall&, int64_t m, int64_t n, cudaDataType, void* a, int64_t lda,
                       cudaDataType, void* tau);
cusolverStatus_t syev(const SolverCall&, cusolverEigMode_t, cublasFillMode_t, int64_t n,
                      cudaDataType, void* a, int64_t lda, cudaDataType, void* w);
cusolverStatus_t gesvd(const SolverCall&, signed char job_u, signed char job_vt, int64_t m,
                       int64_t n, cudaDataType, void* a, int64_t lda, cudaDataType, void* s,
                       cudaDataType, void* u, int64_t ldu, cudaDataType, void* vt, int64_t ldvt);

template <typename T>
struct Decompositions {
  static cusolverStatus_t potrf(cusolverDnHandle_t, cublasFillMode_t, int n, T* a[], int lda,
                                int* infos, int count);
  static cusolverStatus_t orgqr(cusolverDnHandle_t, int m, int n, int k, T* a, int lda,
                                const T* tau, T* work, int size, int* info);
};

}  // namespace emulator

cusolverStatus_t cusolverGetVersion(int* version);
cusolverStatus_t cusolverDnCreate(cusolverDnHandle_t*);
cusolverStatus_t cusolverDnCreateParams(cusolverDnParams_t*);
cusolverStatus_t cusolverDnSetStream(cusolverDnHandle_t, cudaStream_t);

cusolverStatus_t cusolverDnXgetrs(cusolverDnHandle_t, cusolverDnParams_t, cublasOperation_t,
                                  int64_t n, int64_t columns, cudaDataType, const void* a,
                                  int64_t lda, const int64_t* pivots, cudaDataType, void* b,
                                  int64_t ldb, int* info);

inline constexpr emulator::AsksForWorkspace cusolverDnXpotrf_bufferSize,
    cusolverDnXgetrf_bufferSize, cusolverDnXgeqrf_bufferSize, cusolverDnXsyevBatched_bufferSize,
    cusolverDnXgesvd_bufferSize, cusolverDnSorgqr_bufferSize, cusolverDnDorgqr_bufferSize;
inline constexpr emulator::Decomposes<5, emulator::potrf> cusolverDnXpotrf;
inline constexpr emulator::Decomposes<6, emulator::getrf> cusolverDnXgetrf;
inline constexpr emulator::Decomposes<7, emulator::geqrf> cusolverDnXgeqrf;
inline constexpr emulator::Decomposes<8, emulator::syev> cusolverDnXsyevBatched;
inline constexpr emulator::Decomposes<15, emulator::gesvd> cusolverDnXgesvd;
inline constexpr auto* cusolverDnSpotrfBatched = emulator::Decompositions<float>::potrf;
inline constexpr auto* cusolverDnDpotrfBatched = emulator::Decompositions<double>::potrf;
inline constexpr auto* cusolverDnSorgqr = emulator::Decompositions<float>::orgqr;
inline constexpr auto* cusolverDnDorgqr = emulator::Decompositions<double>::orgqr;

// NOLINTEND(readability-identifier-naming)
