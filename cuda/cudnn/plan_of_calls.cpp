// Plans of cuDNN's calls for convolutions.
#include <atomic>

#include "autograd/error.h"
#include "cuda/cudnn/descriptors.h"
#include "cuda/cudnn/plan.h"

namespace notape::cuda {
namespace {

// What cuDNN calls the same for each of the three products.
struct ResponseCalls {
  using Offer = cudnnConvolutionFwdAlgoPerf_t;
  static constexpr auto count = cudnnGetConvolutionForwardAlgorithmMaxCount;
  static constexpr auto list = cudnnGetConvolutionForwardAlgorithm_v7;
  static constexpr auto workspace = cudnnGetConvolutionForwardWorkspaceSize;
  static constexpr auto run = cudnnConvolutionForward;
};
struct ImageCalls {
  using Offer = cudnnConvolutionBwdDataAlgoPerf_t;
  static constexpr auto count = cudnnGetConvolutionBackwardDataAlgorithmMaxCount;
  static constexpr auto list = cudnnGetConvolutionBackwardDataAlgorithm_v7;
  static constexpr auto workspace = cudnnGetConvolutionBackwardDataWorkspaceSize;
  static constexpr auto run = cudnnConvolutionBackwardData;
};
struct FilterCalls {
  using Offer = cudnnConvolutionBwdFilterAlgoPerf_t;
  static constexpr auto count = cudnnGetConvolutionBackwardFilterAlgorithmMaxCount;
  static constexpr auto list = cudnnGetConvolutionBackwardFilterAlgorithm_v7;
  static constexpr auto workspace = cudnnGetConvolutionBackwardFilterWorkspaceSize;
  static constexpr auto run = cudnnConvolutionBackwardFilter;
};

template <typename Calls>
using Number = decltype(Calls::Offer::algo);

cudnnDataType_t data_type(ScalarType dtype) {
  return dtype == kFloat64   ? CUDNN_DATA_DOUBLE
         : dtype == kFloat32 ? CUDNN_DATA_FLOAT
         : dtype == kFloat16 ? CUDNN_DATA_HALF
                             : CUDNN_DATA_BFLOAT16;
}

/// What algorithms may use: tensor cores for 16 bits; of float32 they would round the factors.
cudnnMathType_t math_for(const PlanKey& key) {
  return is_reduced_floating_point(key.dtype)        ? CUDNN_TENSOR_OP_MATH
         : key.dtype == kFloat32 && !key.allows_tf32 ? CUDNN_FMA_MATH
                                                     : CUDNN_DEFAULT_MATH;
}

bool uses_tensor_cores(cudnnMathType_t math) {
  return math == CUDNN_TENSOR_OP_MATH || math == CUDNN_TENSOR_OP_MATH_ALLOW_CONVERSION;
}

void describe_tensor(const Operation& op, const TensorDescriptor& descriptor, ScalarType dtype,
                     const PlanKey::Sizes& size, const PlanKey::Sizes& stride) {
  check(op, cudnnSetTensor4dDescriptorEx(descriptor, data_type(dtype), size[0], size[1], size[2],
                                         size[3], stride[0], stride[1], stride[2], stride[3]));
}

class PlanOfCalls final : public Plan {
 public:
  PlanOfCalls(const Operation& op, cudnnHandle_t handle, const PlanKey& key);

  bool run(const Operation& op, cudnnHandle_t handle, const void* a, const void* b, bool adds,
           void* result) const override;
  bool run_with_bias(const Operation& op, cudnnHandle_t handle, const void* image,
                     const void* filter, const void* bias, void* response) const override;
  bool run_listed(std::size_t which, const Operation& op, cudnnHandle_t handle, const void* a,
                  const void* b, void* result) const override;

 private:
  struct Choice {
    std::size_t listed;
    int algorithm;
    ConvolutionDescriptor convolution;  // math types differ
  };

  ConvolutionDescriptor describe(const Operation& op, cudnnMathType_t math) const;
  bool run_choice(const Choice& choice, const Operation& op, cudnnHandle_t handle, const void* a,
                  const void* b, bool adds, void* result) const;

  const PlanKey key_;
  TensorDescriptor image_, response_;
  FilterDescriptor filter_;
  std::vector<Choice> choices_;
  mutable std::atomic<std::size_t> first_ = 0;  // those before it were refused
  mutable std::atomic<bool> refuses_bias_ = false;

  /// f(calls, the descriptors of a, b and the result)
  template <typename F>
  auto with_calls(const F& f) const {
    if (key_.product == Product::Response) return f(ResponseCalls(), image_, filter_, response_);
    if (key_.product == Product::Image) return f(ImageCalls(), filter_, response_, image_);
    return f(FilterCalls(), image_, response_, filter_);
  }
};

PlanOfCalls::PlanOfCalls(const Operation& op, cudnnHandle_t handle, const PlanKey& key)
    : key_(key), image_(op), response_(op), filter_(op) {
  describe_tensor(op, image_, key.dtype, key.image, key.image_strides);
  describe_tensor(op, response_, key.dtype, key.response, key.response_strides);
  check(op, cudnnSetFilter4dDescriptor(filter_, data_type(key.dtype), CUDNN_TENSOR_NCHW,
                                       key.filter[0], key.filter[1], key.filter[2], key.filter[3]));
  const ConvolutionDescriptor convolution = describe(op, math_for(key));
  with_calls([&](auto calls, const auto& a, const auto& b, const auto& result) {
    using Calls = decltype(calls);
    int count = 0;
    check(op, Calls::count(handle, &count));
    std::vector<typename Calls::Offer> offers(static_cast<std::size_t>(count));
    const cudnnStatus_t status =
        Calls::list(handle, a, b, convolution, result, count, &count, offers.data());
    if (is_refusal(status)) return;
    check(op, status);
    offers.resize(static_cast<std::size_t>(count));
    const bool is_strict = math_for(key) == CUDNN_FMA_MATH;
    for (const auto& offer : offers) {
      Engine engine{.name = std::to_string(static_cast<int>(offer.algo)),
                    .refusal = "",
                    .is_deterministic = offer.determinism == CUDNN_DETERMINISTIC,
                    .rounds_factors = key.dtype == kFloat32 && !is_strict,
                    .workspace = 0};
      // cuDNN's wish for another math type is not granted where factors must not be rounded.
      ConvolutionDescriptor how = describe(op, is_strict ? CUDNN_FMA_MATH : offer.mathType);
      const cudnnStatus_t fits =
          offer.status == CUDNN_STATUS_SUCCESS
              ? Calls::workspace(handle, a, b, how, result, offer.algo, &engine.workspace)
              : offer.status;
      if (offer.status == CUDNN_STATUS_SUCCESS && !is_refusal(fits)) check(op, fits);
      if (fits != CUDNN_STATUS_SUCCESS)
        engine.refusal = cudnnGetErrorString(fits);
      else if (is_strict && uses_tensor_cores(offer.mathType))
        engine.refusal = "rounds factors";
      else
        engine.refusal = refusal_of(engine, key);
      if (engine.refusal.empty())
        choices_.push_back({listed_.size(), static_cast<int>(offer.algo), std::move(how)});
      listed_.push_back(std::move(engine));
    }
  });
}

ConvolutionDescriptor PlanOfCalls::describe(const Operation& op, cudnnMathType_t math) const {
  ConvolutionDescriptor result(op);
  check(op, cudnnSetConvolution2dDescriptor(
                result, key_.padding[0], key_.padding[1], key_.stride[0], key_.stride[1],
                key_.dilation[0], key_.dilation[1], CUDNN_CROSS_CORRELATION,
                key_.dtype == kFloat64 ? CUDNN_DATA_DOUBLE : CUDNN_DATA_FLOAT));
  check(op, cudnnSetConvolutionGroupCount(result, key_.groups));
  check(op, cudnnSetConvolutionMathType(result, math));
  return result;
}

bool PlanOfCalls::run(const Operation& op, cudnnHandle_t handle, const void* a, const void* b,
                      bool adds, void* result) const {
  for (std::size_t i = first_.load(); i < choices_.size(); first_.store(++i))
    if (run_choice(choices_[i], op, handle, a, b, adds, result)) return true;
  return false;
}

bool PlanOfCalls::run_listed(std::size_t which, const Operation& op, cudnnHandle_t handle,
                             const void* a, const void* b, void* result) const {
  for (const Choice& choice : choices_)
    if (choice.listed == which) return run_choice(choice, op, handle, a, b, false, result);
  return false;
}

/// A factor of the type in which cuDNN takes it.
class Factor {
 public:
  Factor(double value, ScalarType dtype)
      : wide_(value), narrow_(static_cast<float>(value)), is_wide_(dtype == kFloat64) {}
  operator const void*() const { return is_wide_ ? static_cast<const void*>(&wide_) : &narrow_; }

 private:
  double wide_;
  float narrow_;
  bool is_wide_;
};

bool PlanOfCalls::run_choice(const Choice& choice, const Operation& op, cudnnHandle_t handle,
                             const void* a, const void* b, bool adds, void* result) const {
  const Engine& engine = listed_[choice.listed];
  const Factor one(1, key_.dtype), kept(adds ? 1 : 0, key_.dtype);
  const Tensor workspace = workspace_of(engine, key_);
  const cudnnStatus_t status =
      with_calls([&](auto calls, const auto& of_a, const auto& of_b, const auto& of_result) {
        using Calls = decltype(calls);
        return Calls::run(handle, one, of_a, a, of_b, b, choice.convolution,
                          static_cast<Number<Calls>>(choice.algorithm), memory_of(workspace),
                          engine.workspace, kept, of_result, result);
      });
  if (is_refusal(status)) return false;
  check(op, status);
  return true;
}

bool PlanOfCalls::run_with_bias(const Operation& op, cudnnHandle_t handle, const void* image,
                                const void* filter, const void* bias, void* response) const {
  const std::size_t first = first_.load();
  if (first >= choices_.size() || refuses_bias_.load()) return false;
  const Choice& choice = choices_[first];
  const Engine& engine = listed_[choice.listed];
  if (choice.algorithm != CUDNN_CONVOLUTION_FWD_ALGO_IMPLICIT_PRECOMP_GEMM) return false;
  const ActivationDescriptor none(op);
  // The identity keeps NaN; cuDNN's relu would make 0 of it, which is why it is not used.
  check(op,
        cudnnSetActivationDescriptor(none, CUDNN_ACTIVATION_IDENTITY, CUDNN_NOT_PROPAGATE_NAN, 0));
  const TensorDescriptor of_bias(op);
  const int channels = key_.filter[0];
  describe_tensor(op, of_bias, key_.dtype, {1, channels, 1, 1}, {channels, 1, 1, 1});
  const Factor one(1, key_.dtype), zero(0, key_.dtype);
  const Tensor workspace = workspace_of(engine, key_);
  const cudnnStatus_t status = cudnnConvolutionBiasActivationForward(
      handle, one, image_, image, filter_, filter, choice.convolution,
      CUDNN_CONVOLUTION_FWD_ALGO_IMPLICIT_PRECOMP_GEMM, memory_of(workspace), engine.workspace,
      zero, response_, response, of_bias, bias, none, response_, response);
  if (is_refusal(status)) {
    refuses_bias_.store(true);
    return false;
  }
  check(op, status);
  return true;
}

}  // namespace

std::shared_ptr<const Plan> plan_of_calls(const Operation& op, cudnnHandle_t handle,
                                          const PlanKey& key) {
  return std::make_shared<const PlanOfCalls>(op, handle, key);
}

}  // namespace notape::cuda
