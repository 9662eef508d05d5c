// Steps of optimizers on the CPU: all tensors are cut into parts of one size, which threads share.
#include "ops/optimize/multi_tensor.h"
#include "ops/parallel.h"

namespace notape::optimize {
namespace {

/// Part of a row.
struct Part {
  std::size_t row;
  int64_t first, count;
};

std::vector<Part> parts_of(const std::vector<Row>& rows) {
  std::vector<Part> parts;
  for (std::size_t i = 0; i < rows.size(); ++i)
    for (int64_t first = 0, n = rows[i].parameter.numel(); first < n; first += kParallelGrain)
      parts.push_back({i, first, std::min(kParallelGrain, n - first)});
  return parts;
}

template <typename T>
T* at(const Tensor& tensor, int64_t first) {
  return tensor.impl().data_as<T>() + first;
}

template <typename T, typename Update>
void run(const Update& update, const Row& row, const Part& part) {
  T* const p = at<T>(row.parameter, part.first);
  const T* const g = at<T>(row.gradient, part.first);
  std::array<T*, kMostStates> s{};
  for (int i = 0; i < Update::kStates; ++i)
    s[static_cast<std::size_t>(i)] = at<T>(row.states[static_cast<std::size_t>(i)], part.first);
  for (int64_t i = 0; i < part.count; ++i) {
    if constexpr (Update::kStates == 0) update(p[i], g[i]);
    if constexpr (Update::kStates == 1) update(p[i], g[i], s[0][i]);
    if constexpr (Update::kStates == 2) update(p[i], g[i], s[0][i], s[1][i]);
    if constexpr (Update::kStates == 3) update(p[i], g[i], s[0][i], s[1][i], s[2][i]);
  }
}

template <typename T>
void step_all(const std::vector<Row>& rows, const AnyStep& any) {
  const std::vector<Part> parts = parts_of(rows);
  int64_t whole = 0;
  for (const Part& part : parts) whole += part.count;
  // So many parts to a piece that it is worth the handing over.
  const auto count = static_cast<int64_t>(parts.size());
  const int64_t grain = std::max<int64_t>(1, count * kParallelGrain / std::max<int64_t>(1, whole));
  visit_update<T>(any, [&]<typename Update>(const auto& step) {
    parallel_for(0, count, grain, [&](int64_t first, int64_t last) {
      for (int64_t i = first; i < last; ++i) {
        const Part& part = parts[static_cast<std::size_t>(i)];
        run<T>(Update(step, rows[part.row].step), rows[part.row], part);
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
