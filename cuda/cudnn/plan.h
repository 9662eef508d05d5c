// Plans: by which of cuDNN's algorithms a convolution is computed. cuDNN's heuristics are asked
// once for each problem.
#pragma once
#include <array>
#include <atomic>
#include <compare>
#include <memory>
#include <vector>

#include "autograd/tensor/scalar_type.h"
#include "cuda/cudnn/convolution_library.h"
#include "cuda/cudnn/descriptors.h"

namespace notape::cuda {

/// All that a plan depends on. Images and responses (N, C, H, W) have strides, filters are
/// row-major.
struct PlanKey {
  using Sizes = std::array<int, 4>;

  Product product;
  ScalarType dtype;
  int device;
  bool is_deterministic, allows_tf32;
  Sizes image, image_strides, filter, response, response_strides;
  std::array<int, 2> stride, padding, dilation;
  int groups;

  auto operator<=>(const PlanKey&) const = default;
};

class Plan {
 public:
  /// More is not asked for, whatever an algorithm would gain by it.
  static constexpr std::size_t kMostWorkspace = std::size_t{256} << 20;

  Plan(const Operation& op, cudnnHandle_t handle, const PlanKey& key);

  /// result = operation(a, b) + beta result, by the first algorithm that cuDNN does not refuse when
  /// it comes to it. False if there is none.
  bool run(const Operation& op, cudnnHandle_t handle, const void* a, const void* b, double beta,
           void* result) const;
  /// response = image * filter + bias in one launch, where the first algorithm is the one that can
  /// do that. False if it is another, or was refused. `bias` is dense.
  bool run_with_bias(const Operation& op, cudnnHandle_t handle, const void* image,
                     const void* filter, const void* bias, void* response) const;
  /// The same by one of those listed. False also where that is not taken.
  bool run_listed(std::size_t which, const Operation& op, cudnnHandle_t handle, const void* a,
                  const void* b, void* result) const;
  /// All that cuDNN lists, its favourite first.
  const std::vector<Engine>& listed() const { return listed_; }

 private:
  struct Choice {
    std::size_t listed;
    ConvolutionDescriptor convolution;  // math types differ
  };

  ConvolutionDescriptor describe(const Operation& op, cudnnMathType_t math) const;
  bool run_choice(const Choice& choice, const Operation& op, cudnnHandle_t handle, const void* a,
                  const void* b, double beta, void* result) const;

  const PlanKey key_;
  TensorDescriptor image_, response_;
  FilterDescriptor filter_;
  std::vector<Engine> listed_;
  std::vector<Choice> choices_;
  mutable std::atomic<std::size_t> first_ = 0;  // those before it were refused
  mutable std::atomic<bool> refuses_bias_ = false;

  template <typename F>
  auto with_calls(const F& f) const;
};

/// From the cache, or made and put there.
std::shared_ptr<const Plan> plan_for(const Operation& op, cudnnHandle_t handle, const PlanKey& key);

/// Of the cache. A program with more problems than that makes its plans anew now and then.
inline constexpr std::size_t kMostPlans = 1024;
struct PlanCounts {
  std::size_t kept = 0, made = 0, found = 0;
};
PlanCounts plan_counts();

}  // namespace notape::cuda
