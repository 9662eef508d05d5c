// cuDNN's backend API, as far as NVIDIA's frontend calls it for a graph of one convolution: a
// descriptor is what its attributes were set to, and execution reads the operation in its plan.
// This file is compiled with NVIDIA's own headers, which say what attributes are called.
#include <cudnn.h>

#include <cstdio>
#include <cstring>
#include <map>
#include <stdexcept>
#include <vector>

#include "cuda/emulated/cudnn_state.h"
#include "cuda/emulated/emulator.h"

namespace emulator {
namespace {

using Name = cudnnBackendAttributeName_t;

/// Parts are copies, which is why nobody can change what has been finalized.
struct State {
  cudnnBackendDescriptorType_t kind;
  bool is_final = false;
  std::map<Name, std::string> values{};
  std::map<Name, std::vector<State>> parts{};

  // These throw out_of_range for an attribute that is not set.
  template <typename T>
  T number(Name name, std::size_t which = 0) const {
    const std::string& bytes = values.at(name);
    if (bytes.size() < (which + 1) * sizeof(T)) throw std::out_of_range("too few");
    T result;
    std::memcpy(&result, bytes.data() + which * sizeof(T), sizeof(T));
    return result;
  }
  const State& part(Name name) const { return parts.at(name).at(0); }
  /// Of an engine, and of what contains it.
  const State& operation() const {
    const State& engine =
        kind == CUDNN_BACKEND_EXECUTION_PLAN_DESCRIPTOR
            ? part(CUDNN_ATTR_EXECUTION_PLAN_ENGINE_CONFIG).part(CUDNN_ATTR_ENGINECFG_ENGINE)
            : *this;
    return engine.part(CUDNN_ATTR_ENGINE_OPERATION_GRAPH).part(CUDNN_ATTR_OPERATIONGRAPH_OPS);
  }

  template <typename T>
  void set(Name name, const std::vector<T>& numbers) {
    values[name].assign(reinterpret_cast<const char*>(numbers.data()), numbers.size() * sizeof(T));
  }
};

std::size_t size_of(cudnnBackendAttributeType_t type) {
  switch (type) {
    case CUDNN_TYPE_INT64:
    case CUDNN_TYPE_DOUBLE:
    case CUDNN_TYPE_VOID_PTR:
    case CUDNN_TYPE_HANDLE:
      return 8;
    case CUDNN_TYPE_BOOLEAN:
    case CUDNN_TYPE_CHAR:
      return 1;
    default:
      return 4;  // float, int32 and enumerations
  }
}

/// A convolution among operations. The names of its arrays come in the order of Convolution::Array.
struct Kind {
  cudnnBackendDescriptorType_t kind;
  Convolution::Array written;
  Name arrays[3], convolution, alpha, beta;
};
constexpr Kind kKinds[] = {
    {CUDNN_BACKEND_OPERATION_CONVOLUTION_FORWARD_DESCRIPTOR,
     Convolution::Y,
     {CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_X, CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_W,
      CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_Y},
     CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_CONV_DESC,
     CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_ALPHA,
     CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_BETA},
    {CUDNN_BACKEND_OPERATION_CONVOLUTION_BACKWARD_DATA_DESCRIPTOR,
     Convolution::X,
     {CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_DX, CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_W,
      CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_DY},
     CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_CONV_DESC,
     CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_ALPHA,
     CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_BETA},
    {CUDNN_BACKEND_OPERATION_CONVOLUTION_BACKWARD_FILTER_DESCRIPTOR,
     Convolution::W,
     {CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_X, CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_DW,
      CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_DY},
     CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_CONV_DESC,
     CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_ALPHA,
     CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_BETA},
};
const Kind& kind_of(const State& operation) {
  for (const Kind& one : kKinds)
    if (one.kind == operation.kind) return one;
  throw std::out_of_range("not a convolution");
}

Convolution convolution_of(const State& operation) {
  const Kind& kind = kind_of(operation);
  Convolution all{};
  for (std::size_t i = 0; i < 3; ++i) {
    const State& tensor = operation.part(kind.arrays[i]);
    all.layouts[i].type = tensor.number<cudnnDataType_t>(CUDNN_ATTR_TENSOR_DATA_TYPE);
    for (std::size_t d = 0; d < 4; ++d) {
      all.layouts[i].size[d] =
          static_cast<int>(tensor.number<int64_t>(CUDNN_ATTR_TENSOR_DIMENSIONS, d));
      all.layouts[i].stride[d] =
          static_cast<int>(tensor.number<int64_t>(CUDNN_ATTR_TENSOR_STRIDES, d));
    }
  }
  const State& how = operation.part(kind.convolution);
  for (std::size_t d = 0; d < 2; ++d) {
    all.padding[d] = static_cast<int>(how.number<int64_t>(CUDNN_ATTR_CONVOLUTION_PRE_PADDINGS, d));
    all.stride[d] = static_cast<int>(how.number<int64_t>(CUDNN_ATTR_CONVOLUTION_FILTER_STRIDES, d));
    all.dilation[d] = static_cast<int>(how.number<int64_t>(CUDNN_ATTR_CONVOLUTION_DILATIONS, d));
  }
  all.computes_in = how.number<cudnnDataType_t>(CUDNN_ATTR_CONVOLUTION_COMP_TYPE);
  all.groups = all.layouts[Convolution::X].size[1] / all.layouts[Convolution::W].size[1];
  return all;
}

// ---- Engines

struct Way {
  std::vector<cudnnBackendNumericalNote_t> notes;
  bool needs_workspace, reads_channels_last;
};
const std::vector<Way> kEngines = {
    {{CUDNN_NUMERICAL_NOTE_TENSOR_CORE}, true, true},
    {{CUDNN_NUMERICAL_NOTE_NONDETERMINISTIC}, false, false},
    {{}, false, true},  // a fallback
};

int64_t workspace_of(const State& engine) {
  const auto number = engine.number<int64_t>(CUDNN_ATTR_ENGINE_GLOBAL_INDEX);
  return kEngines.at(static_cast<std::size_t>(number)).needs_workspace
             ? static_cast<int64_t>(cudnn.workspace)
             : 0;
}

State config_of(int64_t number, const State& graph) {
  State engine{CUDNN_BACKEND_ENGINE_DESCRIPTOR, true},
      config{CUDNN_BACKEND_ENGINECFG_DESCRIPTOR, true};
  engine.parts[CUDNN_ATTR_ENGINE_OPERATION_GRAPH] = {graph};
  engine.set<int64_t>(CUDNN_ATTR_ENGINE_GLOBAL_INDEX, {number});
  engine.set(CUDNN_ATTR_ENGINE_NUMERICAL_NOTE, kEngines[static_cast<std::size_t>(number)].notes);
  config.parts[CUDNN_ATTR_ENGINECFG_ENGINE] = {engine};
  return config;
}

cudnnStatus_t make_ready(State& plan) {
  const State& engine =
      plan.part(CUDNN_ATTR_EXECUTION_PLAN_ENGINE_CONFIG).part(CUDNN_ATTR_ENGINECFG_ENGINE);
  const Convolution all = convolution_of(plan.operation());
  const Layout &image = all.layouts[Convolution::X], &response = all.layouts[Convolution::Y];
  const auto number = engine.number<int64_t>(CUDNN_ATTR_ENGINE_GLOBAL_INDEX);
  if (!image.is_dense() || !response.is_dense())
    return refuse(CUDNN_STATUS_NOT_SUPPORTED_LAYOUT, "there are gaps in a tensor");
  if ((!image.is_row_major() || !response.is_row_major()) &&
      !kEngines.at(static_cast<std::size_t>(number)).reads_channels_last)
    return refuse(CUDNN_STATUS_NOT_SUPPORTED_LAYOUT, "the channels are last");
  plan.set<int64_t>(CUDNN_ATTR_EXECUTION_PLAN_WORKSPACE_SIZE, {workspace_of(engine)});
  return CUDNN_STATUS_SUCCESS;
}

cudnnStatus_t finish(State& state) {
  switch (state.kind) {
    case CUDNN_BACKEND_TENSOR_DESCRIPTOR:
      for (std::size_t d = 0; d < 4; ++d)
        if (state.number<int64_t>(CUDNN_ATTR_TENSOR_DIMENSIONS, d) <= 0)
          return refuse(CUDNN_STATUS_BAD_PARAM, "a tensor of nothing");
      return state.number<int64_t>(CUDNN_ATTR_TENSOR_BYTE_ALIGNMENT) % 16 == 0
                 ? CUDNN_STATUS_SUCCESS
                 : refuse(CUDNN_STATUS_NOT_SUPPORTED, "16 bytes is the alignment");
    case CUDNN_BACKEND_CONVOLUTION_DESCRIPTOR:
      return state.values.at(CUDNN_ATTR_CONVOLUTION_PRE_PADDINGS) ==
                         state.values.at(CUDNN_ATTR_CONVOLUTION_POST_PADDINGS) &&
                     state.number<int64_t>(CUDNN_ATTR_CONVOLUTION_SPATIAL_DIMS) == 2 &&
                     state.number<cudnnConvolutionMode_t>(CUDNN_ATTR_CONVOLUTION_CONV_MODE) ==
                         CUDNN_CROSS_CORRELATION
                 ? CUDNN_STATUS_SUCCESS
                 : refuse(CUDNN_STATUS_NOT_SUPPORTED, "another kind of convolution");
    case CUDNN_BACKEND_OPERATION_CONVOLUTION_FORWARD_DESCRIPTOR:
    case CUDNN_BACKEND_OPERATION_CONVOLUTION_BACKWARD_DATA_DESCRIPTOR:
    case CUDNN_BACKEND_OPERATION_CONVOLUTION_BACKWARD_FILTER_DESCRIPTOR:
      return check(convolution_of(state));
    case CUDNN_BACKEND_OPERATIONGRAPH_DESCRIPTOR:
      state.number<cudnnHandle_t>(CUDNN_ATTR_OPERATIONGRAPH_HANDLE);
      return state.parts.at(CUDNN_ATTR_OPERATIONGRAPH_OPS).size() == 1
                 ? CUDNN_STATUS_SUCCESS
                 : refuse(CUDNN_STATUS_NOT_SUPPORTED, "a graph of several operations");
    case CUDNN_BACKEND_ENGINEHEUR_DESCRIPTOR: {
      if (!cudnn.offers) return refuse(CUDNN_STATUS_NOT_SUPPORTED, "nothing is offered");
      const auto mode = state.number<cudnnBackendHeurMode_t>(CUDNN_ATTR_ENGINEHEUR_MODE);
      const std::vector<int64_t> numbers = mode == CUDNN_HEUR_MODE_FALLBACK
                                               ? std::vector<int64_t>{2}
                                           : mode == CUDNN_HEUR_MODE_B ? std::vector<int64_t>{1, 0}
                                                                       : std::vector<int64_t>{0, 1};
      for (const int64_t number : numbers)
        state.parts[CUDNN_ATTR_ENGINEHEUR_RESULTS].push_back(
            config_of(number, state.part(CUDNN_ATTR_ENGINEHEUR_OPERATION_GRAPH)));
      return CUDNN_STATUS_SUCCESS;
    }
    case CUDNN_BACKEND_EXECUTION_PLAN_DESCRIPTOR:
      return make_ready(state);
    default:
      return CUDNN_STATUS_SUCCESS;
  }
}

cudnnStatus_t execute(const cudnnContext& handle, const State& plan, const State& pack) {
  const State& operation = plan.operation();
  const Kind& kind = kind_of(operation);
  const auto number = plan.part(CUDNN_ATTR_EXECUTION_PLAN_ENGINE_CONFIG)
                          .part(CUDNN_ATTR_ENGINECFG_ENGINE)
                          .number<int64_t>(CUDNN_ATTR_ENGINE_GLOBAL_INDEX);
  Convolution all = convolution_of(operation);
  all.math = number == 0 ? CUDNN_DEFAULT_MATH : CUDNN_FMA_MATH;
  std::array<void*, 3> data{};
  for (std::size_t i = 0; i < 3; ++i) {
    const auto uid = operation.part(kind.arrays[i]).number<int64_t>(CUDNN_ATTR_TENSOR_UNIQUE_ID);
    for (std::size_t at = 0; !data[i]; ++at)  // out of range where it is missing
      if (pack.number<int64_t>(CUDNN_ATTR_VARIANT_PACK_UNIQUE_IDS, at) == uid)
        data[i] = pack.number<void*>(CUDNN_ATTR_VARIANT_PACK_DATA_POINTERS, at);
  }
  const auto factor = [&](Name name) {
    return operation.values.at(name).size() == sizeof(double) ? operation.number<double>(name)
                                                              : operation.number<float>(name);
  };
  const auto needed = plan.number<int64_t>(CUDNN_ATTR_EXECUTION_PLAN_WORKSPACE_SIZE);
  const cudnnStatus_t status = run(
      handle, all, kind.written, data, pack.number<void*>(CUDNN_ATTR_VARIANT_PACK_WORKSPACE),
      static_cast<std::size_t>(needed),
      factor_of("eng" + std::to_string(number)) * factor(kind.alpha), factor(kind.beta), nullptr);
  if (status == CUDNN_STATUS_SUCCESS) cudnn.engine = static_cast<int>(number);
  return status;
}

template <typename F>
cudnnStatus_t answer(const F& f) {
  try {
    return f();
  } catch (const std::out_of_range&) {
    return refuse(CUDNN_STATUS_BAD_PARAM, "an attribute is not set, or of another kind");
  }
}

State& state_of(cudnnBackendDescriptor_t descriptor) { return *static_cast<State*>(descriptor); }

}  // namespace
}  // namespace emulator

using namespace emulator;

extern "C" {

std::size_t cudnnGetVersion() { return cudnn.version; }
const char* cudnnGetErrorString(cudnnStatus_t status) { return name_of(status); }
void cudnnGetLastErrorString(char* message, std::size_t size) {
  std::snprintf(message, size, "%s", reason_of_last_refusal());
}
cudaError_t cudaThreadExchangeStreamCaptureMode(cudaStreamCaptureMode*) { return cudaSuccess; }

cudnnStatus_t cudnnBackendCreateDescriptor(cudnnBackendDescriptorType_t kind,
                                           cudnnBackendDescriptor_t* descriptor) {
  *descriptor = new State{kind};
  return CUDNN_STATUS_SUCCESS;
}
cudnnStatus_t cudnnBackendDestroyDescriptor(cudnnBackendDescriptor_t descriptor) {
  delete static_cast<State*>(descriptor);
  return CUDNN_STATUS_SUCCESS;
}
cudnnStatus_t cudnnBackendSetAttribute(cudnnBackendDescriptor_t descriptor, Name name,
                                       cudnnBackendAttributeType_t type, int64_t count,
                                       const void* elements) {
  State& state = state_of(descriptor);
  if (state.is_final) return refuse(CUDNN_STATUS_BAD_PARAM, "the descriptor is finalized");
  if (type != CUDNN_TYPE_BACKEND_DESCRIPTOR) {
    state.values[name].assign(static_cast<const char*>(elements),
                              static_cast<std::size_t>(count) * size_of(type));
    return CUDNN_STATUS_SUCCESS;
  }
  std::vector<State>& parts = state.parts[name];
  parts.clear();
  for (int64_t i = 0; i < count; ++i) {
    parts.push_back(state_of(static_cast<const cudnnBackendDescriptor_t*>(elements)[i]));
    if (!parts.back().is_final) return refuse(CUDNN_STATUS_BAD_PARAM, "a part is not finalized");
  }
  return CUDNN_STATUS_SUCCESS;
}
cudnnStatus_t cudnnBackendGetAttribute(cudnnBackendDescriptor_t descriptor, Name name,
                                       cudnnBackendAttributeType_t type, int64_t most,
                                       int64_t* count, void* elements) {
  const State& state = state_of(descriptor);
  if (!state.is_final) return refuse(CUDNN_STATUS_BAD_PARAM, "the descriptor is not finalized");
  std::size_t present = 0;
  if (const auto parts = state.parts.find(name); parts != state.parts.end()) {
    present = parts->second.size();
    for (std::size_t i = 0; elements && i < std::min(present, static_cast<std::size_t>(most)); ++i)
      state_of(static_cast<const cudnnBackendDescriptor_t*>(elements)[i]) = parts->second[i];
  } else if (const auto values = state.values.find(name); values != state.values.end()) {
    present = values->second.size() / size_of(type);
    if (elements)
      std::memcpy(elements, values->second.data(),
                  std::min(values->second.size(), static_cast<std::size_t>(most) * size_of(type)));
  }
  if (count) *count = static_cast<int64_t>(present);
  return CUDNN_STATUS_SUCCESS;
}
cudnnStatus_t cudnnBackendFinalize(cudnnBackendDescriptor_t descriptor) {
  State& state = state_of(descriptor);
  const cudnnStatus_t status = answer([&] { return finish(state); });
  state.is_final = status == CUDNN_STATUS_SUCCESS;
  return status;
}
cudnnStatus_t cudnnBackendExecute(cudnnHandle_t handle, cudnnBackendDescriptor_t plan,
                                  cudnnBackendDescriptor_t pack) {
  return answer([&] { return execute(*handle, state_of(plan), state_of(pack)); });
}

}  // extern "C"
