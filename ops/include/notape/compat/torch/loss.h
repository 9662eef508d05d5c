#pragma once

/// Losses that LibTorch's tensor library calls otherwise.

#include "notape/notape.h"

namespace notape {

inline Tensor cross_entropy_loss(const Tensor& self, const Tensor& target,
                                 const Tensor& weight = {}, Reduction reduction = Reduction::Mean,
                                 int64_t ignore_index = -100, double label_smoothing = 0,
                                 SourceLocation at = SourceLocation::current()) {
  return cross_entropy(self, target, weight, reduction, ignore_index, label_smoothing, at);
}

}  // namespace notape
