// Plans: by which of cuDNN's algorithms a convolution is computed. cuDNN's heuristics are asked
// once for each problem. Nothing of cuDNN's headers is in here, since graph.cpp is compiled with
// NVIDIA's also where the other files take the emulated ones.
#pragma once
#include <array>
#include <compare>
#include <memory>
#include <vector>

#include "autograd/tensor/scalar_type.h"
#include "cuda/cudnn/convolution_library.h"

struct cudnnContext;  // behind a cudnnHandle_t

namespace notape::cuda {

/// Who lists algorithms: cuDNN's calls for convolutions, or its graph API (graph.cpp), of which a
/// plan is the first that is allowed, or all of them.
enum class Source { Calls, Graph, WholeGraph };

/// All that a plan depends on. Images and responses (N, C, H, W) have strides, filters are
/// row-major.
struct PlanKey {
  using Sizes = std::array<int, 4>;

  Source source = Source::Calls;
  bool adds = false;  ///< to what is there: a graph has to know
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

  virtual ~Plan() = default;

  /// result = operation(a, b), added to the result if `adds`, by the first algorithm that cuDNN
  /// does not refuse when it comes to it. False if there is none.
  virtual bool run(const Operation& op, cudnnContext* handle, const void* a, const void* b,
                   bool adds, void* result) const = 0;
  /// response = image * filter + bias in one launch, where the first algorithm is the one that can
  /// do that. False if it is another, or was refused. `bias` is dense.
  virtual bool run_with_bias(const Operation&, cudnnContext*, const void* /*image*/,
                             const void* /*filter*/, const void* /*bias*/,
                             void* /*response*/) const {
    return false;
  }
  /// The same by one of those listed. False also where that is not taken.
  virtual bool run_listed(std::size_t which, const Operation& op, cudnnContext* handle,
                          const void* a, const void* b, void* result) const = 0;
  /// All that cuDNN lists, its favourite first.
  const std::vector<Engine>& listed() const { return listed_; }

 protected:
  std::vector<Engine> listed_;
};

/// By cuDNN's calls.
std::shared_ptr<const Plan> plan_of_calls(const Operation& op, cudnnContext* handle,
                                          const PlanKey& key);
/// By its graph API. Null where that was not built.
extern std::shared_ptr<const Plan> (*plan_of_graph)(const Operation& op, cudnnContext* handle,
                                                    const PlanKey& key);
/// Of the headers by which graphs are built, "1.32.0". "": they are not.
extern const char* graph_version;

/// Why an algorithm that cuDNN offers is not taken; "": it is.
std::string refusal_of(const Engine& engine, const PlanKey& key);
/// Given back to the stream's memory, where later work comes after this. Not defined: none is
/// needed.
Tensor workspace_of(const Engine& engine, const PlanKey& key);
inline void* memory_of(const Tensor& workspace) {
  return workspace.defined() ? workspace.impl().data() : nullptr;
}

/// From the cache, or made and put there.
std::shared_ptr<const Plan> plan_for(const Operation& op, cudnnContext* handle, const PlanKey& key);

/// Of the cache. A program with more problems than that makes its plans anew now and then.
inline constexpr std::size_t kMostPlans = 1024;
struct PlanCounts {
  std::size_t kept = 0, made = 0, found = 0;
};
PlanCounts plan_counts();

}  // namespace notape::cuda
