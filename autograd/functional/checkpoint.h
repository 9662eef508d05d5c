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
/// them. f may use other tensors that require grad; it must do the same both times. Works with
/// grad(), create_graph, retain_graph and inside itself.
///
/// What f writes in place without a record (running statistics, a counter) holds for the second run
/// what it held before the first, and afterwards what it held before the second; so do generators
/// that f draws from. No other thread may use them meanwhile. This is not so for
/// - what f assigns to a Tensor or a number, or writes through a pointer without a WriteTicket,
/// - hooks that f registers on tensors from outside, which the second run registers again,
/// - the .grad that a backward() inside f adds to, once per run: use grad(),
/// - memory exchanged between the runs for other of the same kind (set_data(), Module::to() and
///   back), which only `compare_values` finds.
///
/// Backward throws CheckpointMismatch if
/// - the second run saves other values than the first (with both lists),
/// - an input, or a tensor that f saved as it is, was written in place in between by others than f,
///   or a value that f saved by f itself,
/// - f writes in place, recorded, to a tensor from outside or to an input: it would happen twice.
variable_list checkpoint(const std::function<variable_list(const variable_list&)>& f,
                         const variable_list& inputs, const CheckpointOptions& options = {});
Tensor checkpoint(const std::function<Tensor(const Tensor&)>& f, const Tensor& input,
                  const CheckpointOptions& options = {});

}  // namespace notape::autograd
