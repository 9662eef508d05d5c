#include "trace/model/api_kind.h"

namespace notape::trace {
namespace {

struct Rule {
  std::string_view beginning;
  ApiKind kind;
};

// The first that fits; so longer beginnings stand before shorter ones.
constexpr Rule kRules[] = {
    {"cudaLaunchHostFunc", ApiKind::Other},
    {"cuLaunchHostFunc", ApiKind::Other},
    {"cudaLaunch", ApiKind::KernelLaunch},
    {"cuLaunch", ApiKind::KernelLaunch},
    {"cudaGraphLaunch", ApiKind::GraphLaunch},
    {"cuGraphLaunch", ApiKind::GraphLaunch},
    {"cudaMallocHost", ApiKind::HostAllocation},
    {"cudaHostAlloc", ApiKind::HostAllocation},
    {"cuMemAllocHost", ApiKind::HostAllocation},
    {"cudaMalloc", ApiKind::DeviceAllocation},
    {"cudaFree", ApiKind::Free},
    {"cuMemAlloc", ApiKind::DeviceAllocation},
    {"cuMemFree", ApiKind::Free},
    {"cuMemCreate", ApiKind::DeviceAllocation},
    {"cuMemMap", ApiKind::DeviceAllocation},
    {"cuMemSetAccess", ApiKind::DeviceAllocation},
    {"cuMemUnmap", ApiKind::Free},
    {"cuMemRelease", ApiKind::Free},
    {"cudaDeviceSynchronize", ApiKind::BlockingSync},
    {"cudaStreamSynchronize", ApiKind::BlockingSync},
    {"cudaEventSynchronize", ApiKind::BlockingSync},
    {"cuCtxSynchronize", ApiKind::BlockingSync},
    {"cuStreamSynchronize", ApiKind::BlockingSync},
    {"cuEventSynchronize", ApiKind::BlockingSync},
    {"cudaStreamCreate", ApiKind::Initialisation},
    {"cudaEventCreate", ApiKind::Initialisation},
    {"cudaGetDevice", ApiKind::Initialisation},
    {"cudaDeviceGet", ApiKind::Initialisation},
    {"cudaFuncSet", ApiKind::Initialisation},
    {"cudaMemGetInfo", ApiKind::Initialisation},
    {"cudaOccupancy", ApiKind::Initialisation},
    {"cuStreamCreate", ApiKind::Initialisation},
    {"cuEventCreate", ApiKind::Initialisation},
    {"cuInit", ApiKind::Initialisation},
    {"cuDeviceGet", ApiKind::Initialisation},
    {"cuDevicePrimaryCtx", ApiKind::Initialisation},
    {"cuCtxCreate", ApiKind::Initialisation},
    {"cuModuleLoad", ApiKind::Initialisation},
    {"cuLibraryLoad", ApiKind::Initialisation},
    {"cuMemGetInfo", ApiKind::Initialisation},
    {"cuOccupancy", ApiKind::Initialisation},
    {"cublasCreate", ApiKind::Initialisation},
    {"cublasLtCreate", ApiKind::Initialisation},
    {"cudnnCreate", ApiKind::Initialisation},
    {"cusolverDnCreate", ApiKind::Initialisation},
    {"cusparseCreate", ApiKind::Initialisation},
};

}  // namespace

ApiKind api_kind(std::string_view name) {
  for (const Rule& rule : kRules)
    if (name.starts_with(rule.beginning)) return rule.kind;
  return ApiKind::Other;
}

bool is_data_loading_name(std::string_view name) {
  return name.starts_with("enumerate(DataLoader)");
}

bool is_container_name(std::string_view name) {
  return name.starts_with("ProfilerStep") || name.starts_with("Optimizer.") ||
         is_data_loading_name(name);
}

bool is_backward_root_name(std::string_view name) {
  return name.starts_with("autograd::engine::evaluate_function: ");
}

bool is_backward_node_name(std::string_view name) {
  while (!name.empty() && name.back() >= '0' && name.back() <= '9') name.remove_suffix(1);
  return name.ends_with("Backward") || name.ends_with("AccumulateGrad");
}

}  // namespace notape::trace
