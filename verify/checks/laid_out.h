// Gradients in a chosen layout, in memory that nobody else sees: a user's backward gets those as
// they are, strides and all, where it gets a row-major copy of what somebody else can see.
#pragma once
#include "verify/checks/subject.h"

namespace notape::verify {

/// The same values, of a tensor of another history; what flows back is laid out so. Differentiable.
Tensor with_incoming_layout(const Tensor& result, const Layout& layout);

/// One of each kind, and of the permuted ones up to three; expanded along each dimension.
std::vector<Layout> every_layout(std::size_t rank);

/// "permuted", ...
std::string_view name_of(Layout::Kind kind);

}  // namespace notape::verify
