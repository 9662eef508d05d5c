// pinned(batch): the batch with its tensors in pinned memory. It knows tensors, examples, vectors,
// pairs, and types that have a pin_memory() of their own; what else there is stays as it is.
// (PyTorch: torch/utils/data/_utils/pin_memory.py)
#pragma once
#include <concepts>
#include <utility>
#include <vector>

#include "autograd/tensor/device_interface.h"
#include "ops/shape.h"
#include "paper_examples/data/example.h"

namespace notape::data {

template <typename Value>
struct Pinned {
  static Value of(Value value) {
    if constexpr (requires {
                    { value.pin_memory() } -> std::convertible_to<Value>;
                  })
      return value.pin_memory();
    else
      return value;
  }
};
template <>
struct Pinned<Tensor> {
  static Tensor of(Tensor value) {
    return value.defined() && value.is_cpu() ? value.pin_memory() : value;
  }
};
template <typename Data, typename Target>
struct Pinned<Example<Data, Target>> {
  static Example<Data, Target> of(Example<Data, Target> value) {
    return {Pinned<Data>::of(std::move(value.data)), Pinned<Target>::of(std::move(value.target))};
  }
};
template <typename Data>
struct Pinned<Example<Data, example::NoTarget>> {
  static Example<Data, example::NoTarget> of(Example<Data, example::NoTarget> value) {
    return {Pinned<Data>::of(std::move(value.data))};
  }
};
template <typename First, typename Second>
struct Pinned<std::pair<First, Second>> {
  static std::pair<First, Second> of(std::pair<First, Second> value) {
    return {Pinned<First>::of(std::move(value.first)), Pinned<Second>::of(std::move(value.second))};
  }
};
template <typename Value>
struct Pinned<std::vector<Value>> {
  static std::vector<Value> of(std::vector<Value> values) {
    for (auto&& value : values) value = Pinned<Value>::of(std::move(value));
    return values;
  }
};

/// Itself where there is no device. Throws OutOfMemory.
template <typename Batch>
Batch pinned(Batch batch) {
  if (!accelerator()) return batch;
  return Pinned<Batch>::of(std::move(batch));
}

}  // namespace notape::data
