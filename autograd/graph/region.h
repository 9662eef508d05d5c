// Region contributions: the derivative of "take a window of x" is zero outside that window, so it
// travels to x's gradient as {window, value} and is added there in place; reading n slices costs
// all slices together, not n times the whole (SEMANTICS: "O(slice) derivatives").
#pragma once
#include "autograd/modes/thread_state.h"
#include "autograd/tensor/tensor.h"

namespace notape {

/// A gradient that is zero outside `view`; both geometries are over one storage.
struct Region {
  Geometry base, view;
  Tensor value;
};

/// Where a node with one edge may leave its result, in parts, instead of returning a dense one.
struct RegionSink {
  std::vector<Region> regions;
};

/// The sink of the run; null if results must be dense.
RegionSink* open_region_sink();

/// What a rule returns for "the result, spread into zeros at `view`": scattered, or left in the
/// sink of the run, with an undefined tensor in its place. Call it only as the rule's result.
Tensor region_gradient(const Tensor& value, const Geometry& base, const Geometry& view);

/// In its scope results are dense.
class DenseGradients {
 public:
  DenseGradients() : before_(std::exchange(thread_state.region_sink, nullptr)) {}
  ~DenseGradients() { thread_state.region_sink = before_; }
  DenseGradients(const DenseGradients&) = delete;
  DenseGradients& operator=(const DenseGradients&) = delete;

 private:
  RegionSink* before_;
};

}  // namespace notape
