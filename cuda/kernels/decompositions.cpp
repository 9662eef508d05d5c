// Decompositions of matrices on CUDA, by cuSOLVER. Where it is missing, the CPU's LAPACK computes
// them: matrices travel there and back, and the program waits for it.
#include "cuda/cusolver/decomposition_library.h"

#include <tuple>

#include "ops/core/allocate.h"

namespace notape::cuda {
namespace {

using Offered = DecompositionLibrary;

const Offered& cusolver() {
  static const auto* const opened =
      new Offered(open_decomposition_library(NOTAPE_CUSOLVER_LIBRARY));
  return *opened;
}

/// With the values, or with memory for those that are computed.
Tensor on_cpu(const Tensor& there, bool is_read) {
  if (!there.defined()) return {};
  const Tensor here = allocate(there.impl().geometry().at_offset(0), there.dtype(), kCPU);
  if (is_read) raw_copy(here, there);
  return here;
}
template <typename Option>
Option on_cpu(Option option, bool) {
  return option;
}

void give_back(const Tensor& there, const Tensor& here) {
  if (there.defined()) raw_copy(there, here);
}
template <typename Option>
void give_back(const Option&, const Option&) {}

constexpr bool has(unsigned set, std::size_t place) { return set >> place & 1; }

/// By cuSOLVER, or by the CPU. Sets of places of arguments, 1 for the first: those that are read
/// there, and those whose new values anybody reads.
template <auto& kKernel, auto kOffered, unsigned kRead, unsigned kWritten, typename... Arguments>
void decompose(const Operation& op, Arguments... there) {
  if (const auto offered = cusolver().*kOffered) return offered(op, there...);
  const auto run = [&]<std::size_t... kPlace>(std::index_sequence<kPlace...>) {
    const std::tuple here(on_cpu(there, has(kRead, kPlace))...);
    kKernel(op, std::get<0>(here).dtype(), kCPU, std::get<kPlace>(here)...);
    ((has(kWritten, kPlace) ? give_back(there, std::get<kPlace>(here)) : void()), ...);
  };
  run(std::index_sequence_for<Arguments...>());
}

const Implementation implementations[] = {
    {lu_kernel, kCUDA, decompose<lu_kernel, &Offered::lu, 1, 1 | 2>},
    {solve_kernel, kCUDA, decompose<solve_kernel, &Offered::solve, 1 | 2 | 4, 2 | 4>},
    {triangular_solve_kernel, kCUDA,
     decompose<triangular_solve_kernel, &Offered::triangular_solve, 1 | 2, 2>},
    {cholesky_kernel, kCUDA, decompose<cholesky_kernel, &Offered::cholesky, 1 | 2, 1 | 2>},
    {qr_kernel, kCUDA, decompose<qr_kernel, &Offered::qr, 1, 1 | 2>},
    {eigh_kernel, kCUDA, decompose<eigh_kernel, &Offered::eigh, 1 | 8, 1 | 2 | 8>},
    {svd_kernel, kCUDA, decompose<svd_kernel, &Offered::svd, 1 | 16, 2 | 4 | 8 | 16>},
};

}  // namespace
}  // namespace notape::cuda
