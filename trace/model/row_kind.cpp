#include "trace/model/row_kind.h"

#include <algorithm>
#include <iterator>

namespace notape::trace {
namespace {

struct Category {
  std::string_view spelling, today;
  RowKind kind;
};

constexpr Category kCategories[] = {
    {"cpu_op", "cpu_op", RowKind::HostOp},
    {"Operator", "cpu_op", RowKind::HostOp},
    {"cpu_kernel", "cpu_kernel", RowKind::HostKernel},
    {"user_annotation", "user_annotation", RowKind::Annotation},
    {"cuda_runtime", "cuda_runtime", RowKind::ApiCall},
    {"cuda_driver", "cuda_driver", RowKind::ApiCall},
    {"Runtime", "cuda_runtime", RowKind::ApiCall},
    {"kernel", "kernel", RowKind::Kernel},
    {"Kernel", "kernel", RowKind::Kernel},
    {"gpu_memcpy", "gpu_memcpy", RowKind::Copy},
    {"Memcpy", "gpu_memcpy", RowKind::Copy},
    {"gpu_memset", "gpu_memset", RowKind::Fill},
    {"Memset", "gpu_memset", RowKind::Fill},
    {"cuda_sync", "cuda_sync", RowKind::Sync},
    {"gpu_user_annotation", "gpu_user_annotation", RowKind::GpuAnnotation},
    {"overhead", "overhead", RowKind::Overhead},
    {"python_function", "python_function", RowKind::Stack},
    {"cpu_instant_event", "cpu_instant_event", RowKind::Memory},
    {"ac2g", "ac2g", RowKind::LaunchFlow},
    {"async", "ac2g", RowKind::LaunchFlow},
    {"async_gpu", "ac2g", RowKind::LaunchFlow},
    {"async_cpu_to_gpu", "ac2g", RowKind::LaunchFlow},
    {"fwdbwd", "fwdbwd", RowKind::GradFlow},
    {"forward_backward", "fwdbwd", RowKind::GradFlow},
    {"Trace", "Trace", RowKind::Span},
};

const Category* find(std::string_view category) {
  const auto* const found =
      std::find_if(std::begin(kCategories), std::end(kCategories),
                   [&](const Category& known) { return known.spelling == category; });
  return found == std::end(kCategories) ? nullptr : found;
}

}  // namespace

RowKind row_kind(std::string_view category) {
  const Category* found = find(category);
  return found ? found->kind : RowKind::Unknown;
}

std::string_view category_today(std::string_view category) {
  const Category* found = find(category);
  return found ? found->today : category;
}

}  // namespace notape::trace
