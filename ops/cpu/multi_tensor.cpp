// Steps of optimizers on the CPU: all tensors are cut into parts of one size, which threads share.
#include "ops/optimize/multi_tensor.h"
#include "ops/parallel.h"

namespace notape::optimize {
namespace {

/// Part of a row.
struct MultiTensorPart {
  std::size_t row;
  int64_t first, count;
};

std::vector<MultiTensorPart> parts_of(const std::vector<Row>& rows) {
  std::vector<MultiTensorPart> parts;
  for (std::size_t i = 0; i < rows.size(); ++i)
    for (int64_t first = 0, n = rows[i].parameter.numel(); first < n; first += kParallelGrain)
      parts.push_back({i, first, std::min(kParallelGrain, n - first)});
  return parts;
}

template <typename T>
void step_all(const std::vector<Row>& rows, const AnyStep& any) {
  const std::vector<MultiTensorPart> parts = parts_of(rows);
  int64_t whole = 0;
  for (const MultiTensorPart& part : parts) whole += part.count;
  // So many parts to a piece that it is worth the handing over.
  const auto count = static_cast<int64_t>(parts.size());
  const int64_t grain = std::max<int64_t>(1, count * kParallelGrain / std::max<int64_t>(1, whole));
  visit_update<T>(any, [&]<typename Update>(const auto& step) {
    parallel_for(0, count, grain, [&](int64_t first, int64_t last) {
      for (int64_t i = first; i < last; ++i) {
        const MultiTensorPart& part = parts[static_cast<std::size_t>(i)];
        const Row& row = rows[part.row];
        const Update update(step, row.step);
        const Pointers<T> pointers(row, part.first);
        for (int64_t j = 0; j < part.count; ++j) pointers.move(update, j);
      }
    });
  });
}

void multi_tensor_on_cpu(const Operation& op, const std::vector<Row>& rows, const AnyStep& step) {
  if (rows.empty()) return;
  const ScalarType type = rows.front().parameter.dtype();
  if (type == kFloat32) return step_all<float>(rows, step);
  if (type == kFloat64) return step_all<double>(rows, step);
  no_kernel(op, type, kCPU);
}

}  // namespace

constinit MultiTensorKernel multi_tensor_kernel(multi_tensor_on_cpu);

}  // namespace notape::optimize
