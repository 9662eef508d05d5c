#pragma once
// One source, compiled with each library: what is measured, by name.
#ifdef SIDE_TORCH
#include <torch/torch.h>
#include <torch/version.h>
namespace library = torch;
#else
#include <notape/notape.h>
namespace library = notape;
#endif

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace side {

using library::Tensor;

struct Case {
  std::string name;
  std::function<void()> call;
};

/// Uniform float32 from 0 to 1 that wants a gradient.
inline Tensor leaf(std::vector<int64_t> sizes) {
  return library::rand(sizes, library::dtype(library::kFloat32).requires_grad(true));
}

/// `forward` of leaves alone, and with backward from a seed of ones.
template <typename Forward>
void add_pair(std::vector<Case>& cases, const std::string& name, Forward forward) {
  cases.push_back({name + ", forward", [=] { forward(); }});
  const Tensor seed = library::ones_like(forward());
  cases.push_back({name + ", forward and backward", [=] { forward().backward(seed); }});
}

void add_small(std::vector<Case>& cases);
void add_elementwise(std::vector<Case>& cases);
void add_reductions(std::vector<Case>& cases);
void add_indexing(std::vector<Case>& cases);
void add_products(std::vector<Case>& cases);
void add_layers(std::vector<Case>& cases);

}  // namespace side
