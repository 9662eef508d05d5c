// Layers of LSTM and GRU by cuDNN.
#pragma once
#include "ops/recurrent/sequence.h"

namespace notape::cuda {

/// Leaves `is_done` false where cuDNN refuses the layer, keeps weights in another order than
/// notape, or counts in too few bits. Throw DeviceError.
void sequence_forward(const Operation& op, SequenceForward& run);
void sequence_backward(const Operation& op, SequenceBackward& run);

}  // namespace notape::cuda
