// What detach_() does to forward mode.
#pragma once
#include "autograd/tensor/tensor_impl.h"

namespace notape {

/// The tensor has no tangents any more. Its aliases keep theirs: with the stand-in of the family
/// that it has just left, if there is one.
void drop_tangents(TensorImpl& tensor, TensorImpl* stand_in);

}  // namespace notape
