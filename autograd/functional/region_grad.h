// Gradients of regions: a view stands for its part of the base, even one taken after the use.
#pragma once
#include "autograd/tensor/tensor.h"

namespace notape::autograd {

/// As grad(outputs, bases of `views`), cut to the region that each view covers now. Two views of
/// one region get the same gradient, whichever of them the outputs were computed from. Throws as
/// grad().
variable_list grad_by_region(const variable_list& outputs, const variable_list& views,
                             const variable_list& grad_outputs = {},
                             std::optional<bool> retain_graph = {}, bool create_graph = false,
                             bool allow_unused = false,
                             SourceLocation at = SourceLocation::current());

/// The region of the base's `.grad` that the view covers; undefined if the base has none.
Tensor view_grad(const Tensor& view);

}  // namespace notape::autograd
