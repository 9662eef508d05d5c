#include "cuda/kernels/part_norms.h"

#include "cuda/kernels/launch_slices.h"
#include "cuda/kernels/multi_tensor.h"

namespace notape::cuda {
namespace {

void part_norms_on_cuda(const Operation&, const Tensor& result,
                        const std::vector<Tensor>& tensors) {
  static_assert(sizeof(PartNorms) + sizeof(int64_t) <= kArguments);
  double* next = result.impl().data_as<double>();
  for (std::size_t first = 0; first < tensors.size(); first += PartNorms::kRows) {
    PartNorms work(next);
    const std::size_t end = std::min(tensors.size(), first + PartNorms::kRows);
    for (std::size_t i = first; i < end; ++i)
      work.add(tensors[i].impl().data_as<float>(), tensors[i].numel());
    detail::launch_by_blocks(work, work.parts(), stream_of(result));
    next += work.parts();
  }
}

const Implementation on_cuda(optimize::part_norms_kernel, kCUDA, part_norms_on_cuda);

}  // namespace
}  // namespace notape::cuda
