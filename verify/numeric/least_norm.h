// The point of least norm in the convex hull of a few gradients: the convention at a kink, where
// they are the limits of the gradients around it (Clarke's subdifferential).
#pragma once
#include <vector>

#include "verify/numeric/wide_case.h"

namespace notape::verify {

/// `gradients` are not empty and of one length, at most 8 different ones.
std::vector<Wide> least_norm(const std::vector<std::vector<Wide>>& gradients);

}  // namespace notape::verify
