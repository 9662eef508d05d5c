// vmap: a function of one sample as a function of a batch (LibTorch's torch.func.vmap).
//   auto gradients = vmap([&](const variable_list& sample) {
//     return variable_list{...};                         // written for one sample
//   }, {0, std::nullopt})(variable_list{xs, w});         // called with a batch of x and one w
// Every operator inside runs once, for all samples, by its batching rule; one that has none raises
// BatchingNotImplemented (LoopFallbackGuard: is called once per sample). The result can be
// differentiated in both modes, outside and inside, and calls may be nested. Inside, a gradient is
// one per sample, also that of a tensor that all samples share. What the function does to tensors
// that all samples share, or to anything else outside, happens once.
#pragma once
#include <optional>
#include <vector>

#include "autograd/batching/vmap_scope.h"
#include "autograd/functional/functional.h"

namespace notape::autograd::functional {

/// Which dimension of each tensor is the batch; none: all samples share the tensor.
class BatchDims {
 public:
  /// The same for all tensors.
  template <WholeNumber Number>
  BatchDims(Number dim) : all_(Integer(dim)) {}
  BatchDims(std::initializer_list<std::optional<Integer>> dims) : each_(dims.begin(), dims.end()) {}
  explicit BatchDims(std::vector<std::optional<int64_t>> dims) : each_(std::move(dims)) {}

  /// Throws ValueError if there is an entry for each of another number of tensors.
  std::optional<int64_t> of(std::size_t tensor, std::size_t count, const char* what) const;

 private:
  std::optional<int64_t> all_;
  std::vector<std::optional<int64_t>> each_;
};

using Randomness = notape::Randomness;

/// f for batches. `in_dims` of the inputs, dimensions counted from the end if negative; f sees them
/// without that dimension, as copies that it must not write to. `out_dims`: where the batch is to
/// stand in the outputs; an output that all samples share is repeated, or with no dimension
/// returned as it is. Calling the result throws ValueError unless some input has a batch and all of
/// one size, IndexError for dimensions out of range, BatchingNotImplemented.
ListFunction vmap(ListFunction f, BatchDims in_dims = 0, BatchDims out_dims = 0,
                  Randomness randomness = Randomness::Error);
TensorFunction vmap(TensorFunction f, Integer in_dim = 0, Integer out_dim = 0,
                    Randomness randomness = Randomness::Error);

}  // namespace notape::autograd::functional
