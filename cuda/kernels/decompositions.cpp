// Decompositions of matrices on CUDA. The CPU's LAPACK computes them: matrices travel there and
// back, and the program waits for it.
#include "ops/linalg/decompositions.h"

#include <tuple>

#include "ops/core/allocate.h"

namespace notape::cuda {
namespace {

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

/// Sets of places of arguments, 1 for the first: those that are read, and those whose new values
/// anybody reads.
template <auto& kKernel, unsigned kRead, unsigned kWritten, typename... Arguments>
void by_the_cpu(const Operation& op, Arguments... there) {
  const auto run = [&]<std::size_t... kPlace>(std::index_sequence<kPlace...>) {
    const std::tuple here(on_cpu(there, has(kRead, kPlace))...);
    kKernel(op, std::get<0>(here).dtype(), kCPU, std::get<kPlace>(here)...);
    ((has(kWritten, kPlace) ? give_back(there, std::get<kPlace>(here)) : void()), ...);
  };
  run(std::index_sequence_for<Arguments...>());
}

const Implementation implementations[] = {
    {lu_kernel, kCUDA, by_the_cpu<lu_kernel, 1, 1 | 2>},
    {solve_kernel, kCUDA, by_the_cpu<solve_kernel, 1 | 2, 2>},
    {triangular_solve_kernel, kCUDA, by_the_cpu<triangular_solve_kernel, 1 | 2, 2>},
    {cholesky_kernel, kCUDA, by_the_cpu<cholesky_kernel, 1, 1>},
    {qr_kernel, kCUDA, by_the_cpu<qr_kernel, 1, 1 | 2>},
    {eigh_kernel, kCUDA, by_the_cpu<eigh_kernel, 1, 1 | 2>},
    {svd_kernel, kCUDA, by_the_cpu<svd_kernel, 1, 2 | 4 | 8>},
};

}  // namespace
}  // namespace notape::cuda
