// TensorDataset: the examples are what a tensor has along its first dimension. (LibTorch: the same)
#pragma once
#include <vector>

#include "ops/ops.h"
#include "paper_examples/data/datasets/base.h"

namespace notape::data::datasets {

struct TensorDataset : Dataset<TensorDataset, TensorExample> {
  explicit TensorDataset(Tensor all) : tensor(std::move(all)) {}
  /// Those are stacked: they need the same size.
  explicit TensorDataset(const std::vector<Tensor>& tensors) : tensor(stack(tensors)) {}

  TensorExample get(std::size_t index) override { return tensor[static_cast<int64_t>(index)]; }
  std::optional<std::size_t> size() const override {
    return static_cast<std::size_t>(tensor.size(0));
  }

  Tensor tensor;
};

}  // namespace notape::data::datasets
