// One layer's outputs and gradients for the parameters and inputs in a file: what compare.py asks
// for and compares with PyTorch's.
//   layers_beside_torch CASE IN.safetensors OUT.safetensors; without arguments the cases' names
// IN has state.NAME, input.N and weight.N (of the sum of outputs that is differentiated); OUT has
// output.N, grad.NAME, input_grad.N and, after the call, state.NAME.
#include <functional>
#include <iostream>
#include <map>

#include "autograd/interchange/safetensors.h"
#include "notape/nn.h"
#include "ops/ops.h"

namespace {

using namespace notape;
using namespace notape::nn;

using Inputs = std::vector<Tensor>;
using Outputs = std::vector<Tensor>;

std::string numbered(const char* what, std::size_t i) { return what + std::to_string(i); }

template <typename Layer, typename Call>
NamedTensors run(const Layer& layer, const NamedTensors& given, const Call& call) {
  layer->to(kFloat64);
  NamedTensors state;
  for (const auto& [name, tensor] : given)
    if (name.starts_with("state.")) state[name.substr(6)] = tensor;
  load_state_dict(*layer, state);
  Inputs inputs;
  for (std::size_t i = 0; given.contains(numbered("input.", i)); ++i) {
    inputs.push_back(given.at(numbered("input.", i)).clone());
    if (inputs[i].is_floating_point()) inputs[i].requires_grad_();
  }
  const Outputs outputs = call(layer, inputs);
  NamedTensors result;
  Tensor sum = zeros({}, kFloat64);
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    result[numbered("output.", i)] = outputs[i].detach().clone();
    sum = sum + (outputs[i] * given.at(numbered("weight.", i))).sum();
  }
  sum.backward();
  for (const auto& [name, parameter] : layer->named_parameters())
    if (parameter.grad().defined()) result["grad." + name] = parameter.grad();
  for (std::size_t i = 0; i < inputs.size(); ++i)
    if (inputs[i].grad().defined()) result[numbered("input_grad.", i)] = inputs[i].grad();
  for (const auto& [name, tensor] : state_dict(*layer)) result["state." + name] = tensor;
  return result;
}

/// Of one output and any number of inputs.
const auto simple = [](const auto& layer, const Inputs& x) -> Outputs {
  if constexpr (requires { layer(x[0], x[1]); })
    if (x.size() > 1) return {layer(x[0], x[1])};
  if constexpr (requires { layer(x[0]); }) return {layer(x[0])};
  throw ValueError("a layer of other inputs");
};
const auto of_lstm = [](const LSTM& layer, const Inputs& x) -> Outputs {
  const auto [output, state] = layer(x[0], LSTMImpl::State(x[1], x[2]));
  return {output, std::get<0>(state), std::get<1>(state)};
};
const auto with_state = [](const auto& layer, const Inputs& x) -> Outputs {
  const auto [output, state] = layer(x[0], x[1]);
  return {output, state};
};
const auto packed_lstm = [](const LSTM& layer, const Inputs& x) -> Outputs {
  using namespace utils::rnn;
  const auto [output, state] =
      layer->forward_with_packed_input(pack_padded_sequence(x[0], x[1], false, false));
  return {std::get<0>(pad_packed_sequence(output)), std::get<0>(state), std::get<1>(state)};
};
const auto attend = [](const MultiheadAttention& layer, const Inputs& x) -> Outputs {
  const auto [output, weights] = layer(x[0], x[1], x[2]);
  return {output, weights};
};

template <typename Layer, typename Call>
auto of(Layer layer, Call call) {
  return [=](const NamedTensors& given) { return run(layer, given, call); };
}
template <typename Layer>
auto of(Layer layer) {
  return of(layer, simple);
}
template <typename Layer>
auto evaluated(Layer layer) {
  layer->eval();
  return of(layer, simple);
}

using Case = std::function<NamedTensors(const NamedTensors&)>;

const std::map<std::string, std::function<Case()>>& cases() {
  static const std::map<std::string, std::function<Case()>> all = {
      {"linear", [] { return of(Linear(5, 3)); }},
      {"linear_without_bias", [] { return of(Linear(LinearOptions(5, 3).bias(false))); }},
      {"conv1d", [] { return of(Conv1d(Conv1dOptions(4, 6, 3).stride(2).padding(1).groups(2))); }},
      {"conv2d",
       [] {
         return of(Conv2d(Conv2dOptions(4, 6, {3, 2}).stride({2, 1}).padding({1, 0}).dilation(2)));
       }},
      {"conv2d_same", [] { return of(Conv2d(Conv2dOptions(2, 3, 3).padding("same"))); }},
      {"conv2d_circular",
       [] { return of(Conv2d(Conv2dOptions(2, 3, 3).padding(1).padding_mode("circular"))); }},
      {"conv2d_reflect",
       [] {
         return of(Conv2d(Conv2dOptions(2, 3, 3).padding({1, 2}).padding_mode("reflect")));
       }},
      {"conv_transpose1d",
       [] { return of(ConvTranspose1d(ConvTranspose1dOptions(4, 2, 3).stride(2).groups(2))); }},
      {"conv_transpose2d",
       [] {
         return of(ConvTranspose2d(
             ConvTranspose2dOptions(4, 2, 3).stride(2).padding(1).output_padding(1)));
       }},
      {"batch_norm1d", [] { return of(BatchNorm1d(4)); }},
      {"batch_norm2d",
       [] { return of(BatchNorm2d(BatchNorm2dOptions(4).momentum(0.3).eps(1e-3))); }},
      {"batch_norm2d_cumulative",
       [] { return of(BatchNorm2d(BatchNorm2dOptions(4).momentum(std::nullopt))); }},
      {"batch_norm2d_evaluated", [] { return evaluated(BatchNorm2d(4)); }},
      {"layer_norm",
       [] {
         return of(LayerNorm(LayerNormOptions({3, 5}).eps(1e-3)));
       }},
      {"group_norm", [] { return of(GroupNorm(2, 4)); }},
      {"embedding",
       [] {
         return of(Embedding(EmbeddingOptions(7, 3).padding_idx(2).scale_grad_by_freq(true)));
       }},
      {"relu6", [] { return of(ReLU6()); }},
      {"leaky_relu", [] { return of(LeakyReLU(0.2)); }},
      {"gelu", [] { return of(GELU()); }},
      {"gelu_tanh", [] { return of(GELU(GELUOptions().approximate("tanh"))); }},
      {"silu", [] { return of(SiLU()); }},
      {"softmax", [] { return of(Softmax(1)); }},
      {"max_pool2d",
       [] { return of(MaxPool2d(MaxPool2dOptions(3).stride(2).padding(1).ceil_mode(true))); }},
      {"avg_pool2d",
       [] {
         return of(AvgPool2d(AvgPool2dOptions(3).stride(2).padding(1).count_include_pad(false)));
       }},
      {"adaptive_avg_pool2d",
       [] {
         return of(AdaptiveAvgPool2d(AdaptiveAvgPool2dOptions({3, 2})));
       }},
      {"flatten", [] { return of(Flatten(FlattenOptions().start_dim(1).end_dim(2))); }},
      {"rnn_relu",
       [] {
         return of(RNN(RNNOptions(3, 4).nonlinearity(RNNOptions::Nonlinearity::ReLU)), with_state);
       }},
      {"gru",
       [] {
         return of(GRU(GRUOptions(3, 4).num_layers(2).bidirectional(true).batch_first(true)),
                   with_state);
       }},
      {"lstm",
       [] { return of(LSTM(LSTMOptions(3, 4).num_layers(2).bidirectional(true)), of_lstm); }},
      {"lstm_packed", [] { return of(LSTM(LSTMOptions(3, 4).bidirectional(true)), packed_lstm); }},
      {"multihead_attention", [] { return of(MultiheadAttention(8, 2), attend); }},
      {"multihead_attention_widths",
       [] {
         return of(
             MultiheadAttention(
                 MultiheadAttentionOptions(8, 2).kdim(4).vdim(6).add_bias_kv(true).add_zero_attn(
                     true)),
             attend);
       }},
      {"sequential",
       [] { return of(Sequential(Linear(5, 4), Tanh(), BatchNorm1d(4), Linear(4, 2))); }},
      {"cross_entropy",
       [] {
         return of(
             CrossEntropyLoss(CrossEntropyLossOptions().label_smoothing(0.1).ignore_index(1)));
       }},
      {"huber", [] { return of(HuberLoss(HuberLossOptions().delta(0.5))); }},
      {"bce_with_logits", [] { return of(BCEWithLogitsLoss()); }},
      {"kl_div", [] { return of(KLDivLoss(KLDivLossOptions().reduction(Reduction::Sum))); }},
  };
  return all;
}

}  // namespace

int main(int count, char** words) {
  try {
    if (count == 1) {
      for (const auto& [name, make] : cases()) std::cout << name << "\n";
      return 0;
    }
    const auto found = count == 4 ? cases().find(words[1]) : cases().end();
    if (found == cases().end()) throw ValueError("layers_beside_torch CASE IN OUT");
    save_safetensors(words[3], found->second()(load_safetensors(words[2])));
  } catch (const std::exception& error) {
    std::cerr << error.what() << "\n";
    return 1;
  }
}
