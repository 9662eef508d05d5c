// validate_outputs: what the engine asks of gradients before it passes them on (LibTorch's name and
// signature), for programs that run nodes by hand.
#pragma once
#include <functional>
#include <string>
#include <vector>

#include "autograd/graph/node.h"

namespace notape::autograd {

using edge_list = std::vector<Edge>;

/// `gradients[i]` is to flow into `edges[i]`: summed over broadcast dimensions, converted to the
/// input's dtype; undefined passes. Throws InvalidGradient with the message put through
/// `format_error` if counts, shapes or devices cannot fit.
void validate_outputs(const edge_list& edges, variable_list& gradients,
                      const std::function<std::string(const std::string&)>& format_error);

}  // namespace notape::autograd
