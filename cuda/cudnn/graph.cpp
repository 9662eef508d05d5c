// Plans of cuDNN's graph API, by the C++ headers that NVIDIA puts over it (PyPI:
// nvidia-cudnn-frontend). Built where CMake finds these. A convolution is a graph of one operation;
// heuristics list engines for it, and a plan is an engine that cuDNN has made ready.
#include <cudnn.h>  // which the others need first

#include <cudnn_frontend_ConvDesc.h>
#include <cudnn_frontend_ExecutionPlan.h>
#include <cudnn_frontend_Heuristics.h>
#include <cudnn_frontend_Operation.h>
#include <cudnn_frontend_OperationGraph.h>
#include <cudnn_frontend_Tensor.h>
#include <cudnn_frontend_VariantPack.h>
#include <cudnn_frontend_version.h>

#include <set>

#include "cuda/cudnn/handle.h"
#include "cuda/cudnn/plan.h"

namespace notape::cuda {
namespace {

namespace frontend = cudnn_frontend;

cudnnDataType_t type_of(ScalarType dtype) {
  return dtype == kFloat64   ? CUDNN_DATA_DOUBLE
         : dtype == kFloat32 ? CUDNN_DATA_FLOAT
         : dtype == kFloat16 ? CUDNN_DATA_HALF
                             : CUDNN_DATA_BFLOAT16;
}

enum Uid : int64_t { kImage = 1, kFilter, kResponse };

frontend::Tensor tensor_of(Uid uid, const PlanKey& key, const PlanKey::Sizes& sizes,
                           const PlanKey::Sizes& strides) {
  const std::array<int64_t, 4> size{sizes[0], sizes[1], sizes[2], sizes[3]},
      stride{strides[0], strides[1], strides[2], strides[3]};
  return frontend::TensorBuilder()
      .setDim(4, size.data())
      .setStride(4, stride.data())
      .setId(uid)
      .setAlignment(16)
      .setDataType(type_of(key.dtype))
      .build();
}

frontend::ConvDesc convolution_of(const PlanKey& key) {
  const auto wide = [](const std::array<int, 2>& pair) {
    return std::array<int64_t, 2>{pair[0], pair[1]};
  };
  const auto stride = wide(key.stride), padding = wide(key.padding), dilation = wide(key.dilation);
  return frontend::ConvDescBuilder()
      .setComputeType(key.dtype == kFloat64 ? CUDNN_DATA_DOUBLE : CUDNN_DATA_FLOAT)
      .setMathMode(CUDNN_CROSS_CORRELATION)
      .setSpatialDimCount(2)
      .setSpatialStride(2, stride.data())
      .setPrePadding(2, padding.data())
      .setPostPadding(2, padding.data())
      .setDilation(2, dilation.data())
      .build();
}

/// Groups follow from the channels of image and filter.
frontend::OperationGraph graph_of(cudnnHandle_t handle, const PlanKey& key) {
  const auto [k, c, h, w] = key.filter;
  const auto image = tensor_of(kImage, key, key.image, key.image_strides),
             filter = tensor_of(kFilter, key, key.filter, {c * h * w, h * w, w, 1}),
             response = tensor_of(kResponse, key, key.response, key.response_strides);
  const auto kind = key.product == Product::Response
                        ? CUDNN_BACKEND_OPERATION_CONVOLUTION_FORWARD_DESCRIPTOR
                    : key.product == Product::Image
                        ? CUDNN_BACKEND_OPERATION_CONVOLUTION_BACKWARD_DATA_DESCRIPTOR
                        : CUDNN_BACKEND_OPERATION_CONVOLUTION_BACKWARD_FILTER_DESCRIPTOR;
  // Where these are gradients, the frontend takes them by the same names.
  const auto operation = frontend::OperationBuilder(kind)
                             .setxDesc(image)
                             .setwDesc(filter)
                             .setyDesc(response)
                             .setcDesc(convolution_of(key))
                             .setAlpha(1.0)
                             .setBeta(key.adds ? 1.0 : 0.0)
                             .build();
  const frontend::Operation* const operations[] = {&operation};
  return frontend::OperationGraphBuilder()
      .setHandle(handle)
      .setOperationGraph(1, const_cast<const frontend::Operation**>(operations))
      .build();
}

template <cudnnBackendNumericalNote_t kNote>
bool has(const frontend::ManagedOpaqueDescriptor& config) {
  return frontend::hasNumericalNote<kNote>(config->get_backend_descriptor());
}

class PlanOfGraph final : public Plan {
 public:
  PlanOfGraph(const Operation& op, cudnnHandle_t handle, const PlanKey& key) : key_(key) {
    try {
      auto graph = graph_of(handle, key);
      frontend::EngineConfigList configs;
      const std::vector<std::string> modes = {"heuristics_mode_a", "heuristics_mode_b",
                                              "heuristics_fallback"};
      for (const cudnnStatus_t status :
           frontend::get_heuristics_list(modes, graph, frontend::AllowAll, configs, true))
        if (status != CUDNN_STATUS_SUCCESS && !is_refusal(status)) check(op, status);
      std::set<std::string> seen;  // the modes name many twice
      for (const auto& config : configs) {
        Engine engine = described(config);
        if (key.source == Source::Graph && !engine.refusal.empty()) continue;
        add(op, handle, config, graph.getTag(), std::move(engine), seen);
        if (key.source == Source::Graph && !choices_.empty()) return;
      }
    } catch (frontend::cudnnException& error) {
      if (!is_refusal(error.getCudnnStatus())) check(op, error.getCudnnStatus());
    }
  }

  bool run(const Operation& op, cudnnHandle_t handle, const void* a, const void* b, bool,
           void* result) const override {
    return !choices_.empty() && run_choice(choices_.front(), op, handle, a, b, result);
  }
  bool run_listed(std::size_t which, const Operation& op, cudnnHandle_t handle, const void* a,
                  const void* b, void* result) const override {
    for (const Choice& choice : choices_)
      if (choice.listed == which) return run_choice(choice, op, handle, a, b, result);
    return false;
  }

 private:
  struct Choice {
    std::size_t listed;
    frontend::ExecutionPlan plan;
  };

  /// What the engine's notes say, before it is made ready, which may compile a kernel.
  Engine described(const frontend::ManagedOpaqueDescriptor& config) const {
    const bool rounds = has<CUDNN_NUMERICAL_NOTE_TENSOR_CORE>(config) ||
                        has<CUDNN_NUMERICAL_NOTE_DOWN_CONVERT_INPUTS>(config);
    Engine engine{.name = "",
                  .refusal = "",
                  .is_deterministic = !has<CUDNN_NUMERICAL_NOTE_NONDETERMINISTIC>(config),
                  .rounds_factors = key_.dtype == kFloat32 && rounds,
                  .workspace = 0};
    if (engine.rounds_factors && !key_.allows_tf32)
      engine.refusal = "rounds factors";
    else if (has<CUDNN_NUMERICAL_NOTE_REDUCED_PRECISION_REDUCTION>(config))
      engine.refusal = "rounds sums";
    else if (key_.is_deterministic && !engine.is_deterministic)
      engine.refusal = "is not deterministic";
    return engine;
  }

  /// Not if cuDNN refuses the engine, which then has no name.
  void add(const Operation& op, cudnnHandle_t handle,
           const frontend::ManagedOpaqueDescriptor& config, const std::string& tag, Engine engine,
           std::set<std::string>& seen) {
    try {
      auto plan =
          frontend::ExecutionPlanBuilder().setHandle(handle).setEngineConfig(config, tag).build();
      engine.name = plan.getTag();
      engine.workspace = static_cast<std::size_t>(plan.getWorkspaceSize());
      if (!seen.insert(engine.name).second) return;
      if (engine.refusal.empty()) engine.refusal = refusal_of(engine, key_);
      if (engine.refusal.empty()) choices_.push_back({listed_.size(), std::move(plan)});
      listed_.push_back(std::move(engine));
    } catch (frontend::cudnnException& error) {
      if (!is_refusal(error.getCudnnStatus())) check(op, error.getCudnnStatus());
    }
  }

  bool run_choice(const Choice& choice, const Operation& op, cudnnHandle_t handle, const void* a,
                  const void* b, void* result) const {
    const Tensor workspace = workspace_of(listed_[choice.listed], key_);
    // In the order of the products' calls: the factors, and the result.
    const std::array<int64_t, 3> uids =
        key_.product == Product::Response ? std::array<int64_t, 3>{kImage, kFilter, kResponse}
        : key_.product == Product::Image  ? std::array<int64_t, 3>{kFilter, kResponse, kImage}
                                          : std::array<int64_t, 3>{kImage, kResponse, kFilter};
    void* data[] = {const_cast<void*>(a), const_cast<void*>(b), result};
    cudnnStatus_t status = CUDNN_STATUS_SUCCESS;
    try {
      const auto pack = frontend::VariantPackBuilder()
                            .setDataPointers(3, data)
                            .setUids(3, uids.data())
                            .setWorkspacePointer(memory_of(workspace))
                            .build();
      status = cudnnBackendExecute(handle, choice.plan.get_raw_desc(), pack.get_raw_desc());
    } catch (frontend::cudnnException& error) {
      status = error.getCudnnStatus();
    }
    if (is_refusal(status)) return false;
    check(op, status);
    return true;
  }

  const PlanKey key_;
  std::vector<Choice> choices_;
};

const bool is_here = [] {
  plan_of_graph = [](const Operation& op, cudnnHandle_t handle,
                     const PlanKey& key) -> std::shared_ptr<const Plan> {
    return std::make_shared<const PlanOfGraph>(op, handle, key);
  };
  static const std::string version = std::to_string(CUDNN_FRONTEND_MAJOR_VERSION) + "." +
                                     std::to_string(CUDNN_FRONTEND_MINOR_VERSION) + "." +
                                     std::to_string(CUDNN_FRONTEND_PATCH_VERSION);
  graph_version = version.c_str();
  return true;
}();

}  // namespace
}  // namespace notape::cuda
