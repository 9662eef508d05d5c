// Steps of optimizers on a GPU: one launch moves many tensors, a block at each part. (For most
// tensors a launch of their own would cost the host more than their step the GPU.)
#include "cuda/kernels/multi_tensor.h"

#include "cuda/kernels/launch_slices.h"
#include "cuda/library/library.h"

namespace notape::cuda {
namespace {

using optimize::Row;

template <typename T>
void step_all(const std::vector<Row>& rows, const optimize::AnyStep& any) {
  void* const stream = stream_of(rows.front().parameter);
  optimize::visit_update<T>(any, [&]<typename Update>(const auto& step) {
    static_assert(sizeof(StepOfRows<T, Update>) + sizeof(int64_t) <= kArguments);
    for (std::size_t first = 0; first < rows.size(); first += kRows) {
      StepOfRows<T, Update> work;
      for (std::size_t i = first; i < std::min(rows.size(), first + kRows); ++i)
        work.add(rows[i], Update(step, rows[i].step));
      detail::launch_by_blocks(work, work.parts(), stream);
    }
  });
}

void multi_tensor_on_cuda(const Operation& op, const std::vector<Row>& rows,
                          const optimize::AnyStep& step) {
  if (rows.empty()) return;
  cuda_device().refuse_capture("an optimizer's step: its rate and number would stay the same",
                               rows.front().parameter.device().index);
  const ScalarType type = rows.front().parameter.dtype();
  if (type == kFloat32) return step_all<float>(rows, step);
  if (type == kFloat64) return step_all<double>(rows, step);
  no_kernel(op, type, kCUDA);
}

const Implementation on_cuda(optimize::multi_tensor_kernel, kCUDA, multi_tensor_on_cuda);

}  // namespace
}  // namespace notape::cuda
