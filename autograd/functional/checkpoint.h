// Checkpointing: trade compute for memory (Chen et al., "Training deep nets with sublinear memory
// cost", 2016). Forward keeps the inputs only, and forward mode's tangents of what was not kept;
// when backward first needs a value that was not kept, the function runs again.
#pragma once
#include <functional>

#include "autograd/tensor/tensor.h"

namespace notape::autograd {

struct CheckpointOptions {
  /// Random numbers of the second run equal those of the first (of what this thread draws from). If
  /// another thread drew from the same generator meanwhile, backward throws CheckpointMismatch.
  bool preserve_rng_state = true;
  /// Compare size, dtype and device of every value that the second run saves with the first.
  bool determinism_check = true;
  /// The second run stops as soon as everything that was asked for exists, but not before its last
  /// recorded write in place.
  bool early_stop = true;
  /// Also compare the values themselves, by checksums: finds a function that reads something that
  /// has changed in between.
  bool compare_values = false;
};

/// f(inputs), whose saved values are computed again when needed, once per backward run that needs
/// them. f may use other tensors that require grad; it must do the same both times. Tensors that f
/// writes in place, unrecorded (running statistics, a counter), hold for the second run what they
/// held before the first, and afterwards what they held before the second; no other thread may use
/// them meanwhile; generators that f draws from likewise. (Not so what f assigns to a Tensor or a
/// number, or writes through a pointer without a WriteTicket, hooks that it gives others' tensors,
/// nor the .grad that a backward() inside f adds to, once per run: use grad().) Writes that are
/// recorded may go to what f makes itself; one to a tensor from outside, or to an input, would
/// happen twice, and backward throws instead. What gives a tensor other memory of the same kind
/// between the runs (set_data(), Module::to() and back) only `compare_values` finds. Works with
/// grad(), create_graph, retain_graph and inside itself. Throws CheckpointMismatch from backward if
/// the second run saves other values than the first (with both lists), or if an input, or a tensor
/// that f saved as it is, was written in place in between by others than f, or a value that f saved
/// by f itself.
variable_list checkpoint(const std::function<variable_list(const variable_list&)>& f,
                         const variable_list& inputs, const CheckpointOptions& options = {});
Tensor checkpoint(const std::function<Tensor(const Tensor&)>& f, const Tensor& input,
                  const CheckpointOptions& options = {});

}  // namespace notape::autograd
