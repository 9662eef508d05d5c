// Layers of cells run along a sequence.
#pragma once
#include <vector>

#include "ops/recurrent/cell.h"

namespace notape {

struct LayerOptions {
  bool has_biases;
  int64_t num_layers;
  double dropout;
  bool train, bidirectional, batch_first;
  /// Of a packed sequence (ops/recurrent.h), how many entries each step has; else empty.
  std::vector<int64_t> batch_sizes = {};

  bool packed() const { return !batch_sizes.empty(); }
};

struct LayerResults {
  Tensor output, h_n, c_n;
};

/// `state` is that before the first step, of every direction of every layer. Throws as
/// ops/recurrent.h says.
LayerResults run_layers(const Operation& op, const CellKind& kind, const Tensor& input,
                        const CellState& state, const TensorList& params,
                        const LayerOptions& options);
/// The same of a packed sequence, whose batch_sizes those of `options` become.
LayerResults run_packed(const Operation& op, const CellKind& kind, const Tensor& data,
                        const Tensor& batch_sizes, const CellState& state, const TensorList& params,
                        LayerOptions options);

}  // namespace notape
