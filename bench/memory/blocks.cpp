// Compiled with notape and with LibTorch (SIDE_TORCH): the models as a user writes them.
#ifdef SIDE_TORCH
#include <torch/torch.h>
#include <torch/version.h>
namespace library = torch;
#else
#include <notape/notape.h>

#include "autograd/tensor/pool.h"
namespace library = notape;
#endif

#include <memory>

#include "bench/memory/blocks.h"

namespace memory {
namespace {

using library::Tensor;
using Sizes = std::vector<int64_t>;

/// Leaves that want gradients, and the result of a forward over them.
struct State {
  std::vector<Tensor> leaves;
  Tensor result;
  Tensor seed;

  Tensor leaf(const Sizes& sizes, double scale = 1) {
    leaves.push_back(((library::rand(sizes) - 0.5) * scale).detach().requires_grad_(true));
    return leaves.back();
  }
};

template <typename Forward>
Block block(const std::string& name, std::shared_ptr<State> state, const Sizes& sizes,
            Forward forward) {
  state->seed = library::ones(sizes);
  return {name, [=] { state->result = forward(); },
          [=] {
            Tensor result = std::move(state->result);
            result.backward(state->seed);
          },
          [=] {
            for (Tensor& leaf : state->leaves) leaf.mutable_grad().reset();
          }};
}

struct BatchNorm {
  BatchNorm(State& state, int64_t channels)
      : weight(state.leaf({channels})),
        bias(state.leaf({channels})),
        mean(library::zeros({channels})),
        variance(library::ones({channels})) {}
  Tensor operator()(const Tensor& x) const {
    return library::batch_norm(x, weight, bias, mean, variance, true, 0.1, 1e-5, false);
  }
  Tensor weight, bias, mean, variance;
};

Block bottleneck() {
  const auto state = std::make_shared<State>();
  const Tensor x = state->leaf({4, 256, 56, 56});
  const Tensor reduce = state->leaf({64, 256, 1, 1}, 0.1),
               middle = state->leaf({64, 64, 3, 3}, 0.1);
  const Tensor expand = state->leaf({256, 64, 1, 1}, 0.1);
  const BatchNorm first(*state, 64), second(*state, 64), third(*state, 256);
  return block("ResNet-50 bottleneck 4x256x56x56", state, {4, 256, 56, 56}, [=] {
    Tensor y = first(library::conv2d(x, reduce));
    y.relu_();
    y = second(library::conv2d(y, middle, {}, 1, 1));
    y.relu_();
    y = third(library::conv2d(y, expand));
    y += x;
    y.relu_();
    return y;
  });
}

Block lstm() {
  const auto state = std::make_shared<State>();
  const Tensor x = state->leaf({50, 64, 256}), zero = library::zeros({1, 64, 256});
  std::vector<Tensor> weights;
  for (const Sizes& sizes : {Sizes{1024, 256}, {1024, 256}, {1024}, {1024}})
    weights.push_back(state->leaf(sizes, 0.125));
  return block("LSTM layer T 50, B 64, H 256", state, {50, 64, 256}, [=] {
    return std::get<0>(library::lstm(x, {zero, zero}, weights, true, 1, 0.0, true, false, false));
  });
}

Tensor attend(const Tensor& query, const Tensor& key, const Tensor& value) {
#if defined(SIDE_TORCH) && TORCH_VERSION_MAJOR < 2
  return std::get<0>(at::_scaled_dot_product_attention(query, key, value));
#elif defined(SIDE_TORCH)
  return at::scaled_dot_product_attention(query, key, value);
#else
  return notape::scaled_dot_product_attention(query, key, value);
#endif
}

Block attention() {
  const auto state = std::make_shared<State>();
  const Tensor x = state->leaf({4, 256, 512}), scale = state->leaf({512}),
               shift = state->leaf({512});
  std::vector<Tensor> weights, biases;
  for (int i = 0; i < 4; ++i) {
    weights.push_back(state->leaf({512, 512}, 0.1));
    biases.push_back(state->leaf({512}, 0.1));
  }
  return block("attention block 4x8x256x64", state, {4, 256, 512}, [=] {
    const Tensor y = library::layer_norm(x, {512}, scale, shift);
    const auto heads = [&](std::size_t i) {
      return library::linear(y, weights[i], biases[i]).view({4, 256, 8, 64}).transpose(1, 2);
    };
    const Tensor mixed =
        attend(heads(0), heads(1), heads(2)).transpose(1, 2).reshape({4, 256, 512});
    return x + library::linear(mixed, weights[3], biases[3]);
  });
}

}  // namespace

std::vector<std::function<Block()>> blocks() {
  library::set_num_threads(1);
  return {bottleneck, lstm, attention};
}

void release_cached() {
#ifndef SIDE_TORCH  // which keeps nothing
  notape::pool::trim();
#endif
}

}  // namespace memory
