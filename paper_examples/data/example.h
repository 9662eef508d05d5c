// Example: one sample of a data set, or a batch of them. (LibTorch: torch::data::Example)
#pragma once
#include <utility>

#include "autograd/autograd.h"

namespace notape::data {

namespace example {
/// The type of a target that there is not.
struct NoTarget {};
}  // namespace example

template <typename Data = Tensor, typename Target = Tensor>
struct Example {
  using DataType = Data;
  using TargetType = Target;

  Example() = default;
  Example(Data d, Target t) : data(std::move(d)), target(std::move(t)) {}

  Data data;
  Target target;
};

/// Of data alone; used like the data.
template <typename Data>
struct Example<Data, example::NoTarget> {
  using DataType = Data;
  using TargetType = example::NoTarget;

  Example() = default;
  Example(Data d) : data(std::move(d)) {}
  operator Data&() { return data; }
  operator const Data&() const { return data; }

  Data data;
};

using TensorExample = Example<Tensor, example::NoTarget>;

}  // namespace notape::data
