// Whether convolutions on GPUs may round their factors to TF32 (10 bits of mantissa), which tensor
// cores multiply faster.
#pragma once

namespace notape {

/// For the whole process. Off by default. (LibTorch: globalContext().setAllowTF32CuDNN)
void set_allow_tf32(bool allowed);
bool allow_tf32();

}  // namespace notape
