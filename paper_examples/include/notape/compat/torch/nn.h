#pragma once

/// torch::nn, torch::optim and torch::data, as <torch/torch.h> has them: for programs that link
/// notape::nn.

#include "notape/compat/torch/data.h"
#include "notape/nn.h"

/// A holder called Name of a module called NameImpl.
#define TORCH_MODULE(Name)                                      \
  class Name : public ::notape::nn::ModuleHolder<Name##Impl> {  \
   public:                                                      \
    using ::notape::nn::ModuleHolder<Name##Impl>::ModuleHolder; \
    using Impl = Name##Impl;                                    \
  }

/// A macro of LibTorch's. Throws c10::Error unless `condition` holds.
inline void AT_ASSERT(bool condition) { TORCH_CHECK(condition, "an assertion does not hold"); }

namespace torch {
namespace nn = notape::nn;
namespace optim = notape::optim;

using notape::load;
using notape::save;
using notape::nn::load;
using notape::nn::save;
using notape::optim::load;
using notape::optim::save;

inline constexpr auto kNone = notape::Reduction::None;
inline constexpr auto kMean = notape::Reduction::Mean;
inline constexpr auto kSum = notape::Reduction::Sum;

inline constexpr auto kFanIn = notape::nn::init::FanMode::FanIn;
inline constexpr auto kFanOut = notape::nn::init::FanMode::FanOut;
inline constexpr auto kLinear = notape::nn::init::Nonlinearity::Linear;
inline constexpr auto kSigmoid = notape::nn::init::Nonlinearity::Sigmoid;
inline constexpr auto kLeakyReLU = notape::nn::init::Nonlinearity::LeakyReLU;

/// Of an initialiser and of an RNN.
template <notape::nn::init::Nonlinearity Init, notape::nn::RNNOptions::Nonlinearity Recurrent>
struct NonlinearityName {
  constexpr operator notape::nn::init::Nonlinearity() const { return Init; }
  constexpr operator notape::nn::RNNOptions::Nonlinearity() const { return Recurrent; }
};
inline constexpr NonlinearityName<notape::nn::init::Nonlinearity::Tanh,
                                  notape::nn::RNNOptions::Nonlinearity::Tanh>
    kTanh;
inline constexpr NonlinearityName<notape::nn::init::Nonlinearity::ReLU,
                                  notape::nn::RNNOptions::Nonlinearity::ReLU>
    kReLU;

inline constexpr const char *kSame = "same", *kValid = "valid";
inline constexpr const char *kZeros = "zeros", *kReflect = "reflect", *kReplicate = "replicate",
                            *kCircular = "circular";
}  // namespace torch
