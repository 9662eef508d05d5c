// Places: some dimensions of a tensor replaced by those of a tensor of positions. Reading at
// places, adding into zeros there and assigning there are linear, and each other's derivatives.
#pragma once
#include <optional>
#include <vector>

#include "ops/at.h"

namespace notape {

class Operation;

struct Places {
  DimVector sizes;        // of the indexed tensor
  DimVector dims;         // the indexed dimensions, ascending
  int64_t insert_at = 0;  // how many other dimensions stand before those of the positions
  /// Of positions along one dimension that nobody has looked at: the name it has in errors. Then
  /// reading and adding throw IndexError, or have a kernel do so (run_in_range).
  std::optional<int64_t> unchecked{};

  /// In the indexed tensor with a batch of that size in front.
  Places behind_batch(int64_t size) const;
};
// Positions are int64 tensors that count, row-major, through the box of the indexed dimensions, and
// are in range unless a member says otherwise.

/// The shape of what is read.
DimVector sizes_at(const Tensor& positions, const Places& places);

/// self at the places, recorded as `node_name`.
Tensor take_at(const char* node_name, const Operation& op, const Tensor& self,
               const Tensor& positions, const Places& places);
/// Zeros of places.sizes with `values` added at the places; repeated ones add up.
Tensor add_at(const Tensor& values, const Tensor& positions, const Places& places,
              At at = At::current());
/// A copy of `base` with `values` (broadcast) assigned at the places; of repeated ones the last
/// stays.
Tensor put_at(const Tensor& base, const Tensor& positions, const Places& places,
              const Tensor& values, At at = At::current());
/// The gradient of assigned values: `grad` at the places, zero where a later write won.
Tensor take_winners(const Tensor& grad, const Tensor& positions, const Places& places,
                    At at = At::current());

/// Assigns or adds in place, no graph.
void raw_put_at(const Operation& op, const Tensor& base, const Tensor& positions,
                const Places& places, const Tensor& values);
void raw_add_at(const Operation& op, const Tensor& base, const Tensor& positions,
                const Places& places, const Tensor& values);

}  // namespace notape
