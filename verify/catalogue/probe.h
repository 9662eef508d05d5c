// What an operator says when it is asked: its row is called in every dtype, under vmap, and with a
// gradient wanted.
#pragma once
#include "ops/spec/op_spec.h"

namespace notape::verify::catalogue {

struct Findings {
  std::vector<std::string> dtypes;  ///< that its real arguments may have: "float64"
  bool in_place = false;            ///< whether its row has an in-place form
  bool vmap = false;                ///< whether it takes batched arguments
  /// The nodes that it records, and what they save: "AddcdivBackward0 (saves tensor1, tensor2)".
  std::vector<std::string> nodes;
};

Findings probe(const OpSpec& spec);

/// "1, 2, 3": the orders that verify/ differentiates it to; "none".
std::string verified_orders(const OpSpec& spec);

}  // namespace notape::verify::catalogue
