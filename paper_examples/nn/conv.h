// Convolutions: cross-correlation with learned filters, and a bias per filter; and their
// transposes, which upsample. D is the number of spatial dimensions, 1 or 2.
#pragma once
#include <optional>

#include "ops/conv.h"
#include "paper_examples/nn/module.h"

namespace notape::nn {

namespace detail {
template <int D>
using Sizes = std::conditional_t<D == 1, int64_t, Pair>;
}

/// What the options of both have; Self are those of one.
template <typename Self, int D>
class FilterOptions {
  using Sizes = detail::Sizes<D>;

 public:
  FilterOptions(Integer in_channels, Integer out_channels, Sizes kernel_size)
      : in_channels_(in_channels), out_channels_(out_channels), kernel_size_(kernel_size) {}
  Self& stride(Sizes steps) { return stride_ = steps, static_cast<Self&>(*this); }
  /// Entries put around the input.
  Self& padding(Sizes entries) { return padding_ = entries, static_cast<Self&>(*this); }
  Self& dilation(Sizes steps) { return dilation_ = steps, static_cast<Self&>(*this); }
  Self& groups(Integer count) { return groups_ = count, static_cast<Self&>(*this); }
  Self& bias(bool has) { return bias_ = has, static_cast<Self&>(*this); }

  int64_t in_channels() const { return in_channels_; }
  int64_t out_channels() const { return out_channels_; }
  Sizes kernel_size() const { return kernel_size_; }
  Sizes stride() const { return stride_; }
  Sizes padding() const { return padding_; }
  Sizes dilation() const { return dilation_; }
  int64_t groups() const { return groups_; }
  bool bias() const { return bias_; }

 private:
  int64_t in_channels_, out_channels_;
  Sizes kernel_size_, stride_ = 1, padding_ = 0, dilation_ = 1;
  int64_t groups_ = 1;
  bool bias_ = true;
};

template <int D>
class ConvOptions : public FilterOptions<ConvOptions<D>, D> {
 public:
  using FilterOptions<ConvOptions, D>::FilterOptions;
  using FilterOptions<ConvOptions, D>::padding;
  /// "same", as many as make the output as large as the input, or "valid": none.
  ConvOptions& padding(PaddingName name) { return padding_name_ = name.name, *this; }
  /// Of what: "zeros", "reflect", "replicate" or "circular".
  ConvOptions& padding_mode(std::string mode) { return padding_mode_ = std::move(mode), *this; }
  const std::string& padding_name() const { return padding_name_; }
  const std::string& padding_mode() const { return padding_mode_; }

 private:
  std::string padding_name_, padding_mode_ = "zeros";
};

/// Throws ValueError, when it is made, for groups that do not divide the channels and a padding
/// mode that there is not.
template <int D>
struct ConvImpl : Module {
  /// Weights and biases uniform in +-1 / sqrt(fan_in), as in LibTorch.
  explicit ConvImpl(const ConvOptions<D>& options, std::string name = "");
  ConvImpl(Integer in_channels, Integer out_channels, detail::Sizes<D> kernel_size)
      : ConvImpl(ConvOptions<D>(in_channels, out_channels, kernel_size)) {}
  /// (N, in_channels, L) or (N, in_channels, H, W), or without N
  Tensor forward(const Tensor& input) const;
  void pretty_print(std::ostream& out) const override;

  ConvOptions<D> options;
  Tensor weight;  // (out_channels, in_channels / groups, kernel_size...)
  Tensor bias;    // (out_channels), or undefined
};

/// relu of a Conv2d, whose parameters it has, by conv2d_relu. (PyTorch: torch.ao.nn.intrinsic.qat.)
struct ConvReLU2dImpl : ConvImpl<2> {
  explicit ConvReLU2dImpl(const ConvOptions<2>& options) : ConvImpl(options, "ConvReLU2d") {}
  ConvReLU2dImpl(Integer in_channels, Integer out_channels, Pair kernel_size)
      : ConvReLU2dImpl(ConvOptions<2>(in_channels, out_channels, kernel_size)) {}
  Tensor forward(const Tensor& input) const;
};

template <int D>
class ConvTransposeOptions : public FilterOptions<ConvTransposeOptions<D>, D> {
  using Sizes = detail::Sizes<D>;

 public:
  using FilterOptions<ConvTransposeOptions, D>::FilterOptions;
  /// By how many entries the output is larger, on one side.
  ConvTransposeOptions& output_padding(Sizes entries) { return output_padding_ = entries, *this; }
  Sizes output_padding() const { return output_padding_; }

 private:
  Sizes output_padding_ = 0;
};

/// Throws ValueError, when it is made, for groups that do not divide the channels.
template <int D>
struct ConvTransposeImpl : Module {
  /// Uniform in +-1 / sqrt(fan_in) of the weight as it is laid out, as in LibTorch.
  explicit ConvTransposeImpl(const ConvTransposeOptions<D>& options);
  ConvTransposeImpl(Integer in_channels, Integer out_channels, detail::Sizes<D> kernel_size)
      : ConvTransposeImpl(ConvTransposeOptions<D>(in_channels, out_channels, kernel_size)) {}
  /// (N, in_channels, L) or (N, in_channels, H, W), or without N
  Tensor forward(const Tensor& input) const;
  void pretty_print(std::ostream& out) const override;

  ConvTransposeOptions<D> options;
  Tensor weight;  // (in_channels, out_channels / groups, kernel_size...)
  Tensor bias;    // (out_channels), or undefined
};

using Conv1dOptions = ConvOptions<1>;
using Conv2dOptions = ConvOptions<2>;
using ConvTranspose1dOptions = ConvTransposeOptions<1>;
using ConvTranspose2dOptions = ConvTransposeOptions<2>;
using Conv1dImpl = ConvImpl<1>;
using Conv2dImpl = ConvImpl<2>;
using ConvTranspose1dImpl = ConvTransposeImpl<1>;
using ConvTranspose2dImpl = ConvTransposeImpl<2>;
using Conv1d = ModuleHolder<Conv1dImpl>;
using Conv2d = ModuleHolder<Conv2dImpl>;
using ConvReLU2d = ModuleHolder<ConvReLU2dImpl>;
using ConvTranspose1d = ModuleHolder<ConvTranspose1dImpl>;
using ConvTranspose2d = ModuleHolder<ConvTranspose2dImpl>;

}  // namespace notape::nn
