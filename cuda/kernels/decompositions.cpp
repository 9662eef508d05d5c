// Decompositions of matrices on CUDA. The CPU's LAPACK computes them: matrices travel there and
// back, and the program waits for it.
#include "ops/linalg/decompositions.h"

#include <tuple>

#include "ops/core/allocate.h"

namespace notape::cuda {
namespace {

Tensor on_cpu(const Tensor& there) {
  if (!there.defined()) return {};
  const Tensor here = allocate(there.impl().geometry().at_offset(0), there.dtype(), kCPU);
  raw_copy(here, there);
  return here;
}
template <typename Option>
Option on_cpu(Option option) {
  return option;
}

void give_back(const Tensor& there, const Tensor& here) {
  if (there.defined()) raw_copy(there, here);
}
template <typename Option>
void give_back(const Option&, const Option&) {}

template <auto& kKernel, typename... Arguments>
void by_the_cpu(const Operation& op, Arguments... there) {
  const std::tuple here(on_cpu(there)...);
  std::apply(
      [&](const auto&... arguments) {
        kKernel(op, std::get<0>(here).dtype(), kCPU, arguments...);
        (give_back(there, arguments), ...);
      },
      here);
}

const Implementation implementations[] = {
    {lu_kernel, kCUDA, by_the_cpu<lu_kernel>},
    {solve_kernel, kCUDA, by_the_cpu<solve_kernel>},
    {triangular_solve_kernel, kCUDA, by_the_cpu<triangular_solve_kernel>},
    {cholesky_kernel, kCUDA, by_the_cpu<cholesky_kernel>},
    {qr_kernel, kCUDA, by_the_cpu<qr_kernel>},
    {eigh_kernel, kCUDA, by_the_cpu<eigh_kernel>},
    {svd_kernel, kCUDA, by_the_cpu<svd_kernel>},
};

}  // namespace
}  // namespace notape::cuda
