#include "paper_examples/nn/conv.h"

#include <fmt/ostream.h>
#include <fmt/ranges.h>

#include "ops/activation.h"
#include "ops/vision.h"
#include "paper_examples/nn/init.h"

namespace notape::nn {
namespace {

std::vector<int64_t> list(int64_t size) { return {size}; }
std::vector<int64_t> list(Pair sizes) { return {sizes[0], sizes[1]}; }

/// A weight (first, second, kernel...), and a bias if there is to be one.
template <typename Layer>
void draw_parameters(Layer& layer, int64_t first, int64_t second) {
  const auto& o = layer.options;
  std::vector<int64_t> sizes = list(o.kernel_size());
  sizes.insert(sizes.begin(), {first, second});
  layer.weight = layer.register_parameter("weight", notape::empty(sizes));
  const int64_t fan_in = init::calculate_fans(layer.weight).in;
  init::uniform_by_fan_in_(layer.weight, fan_in);
  layer.bias = layer.register_parameter(
      "bias", o.bias() ? init::uniform_by_fan_in({o.out_channels()}, fan_in) : Tensor());
}

template <typename Options>
void check_groups(const Options& o, const std::string& name) {
  if (o.groups() < 1 || o.in_channels() % o.groups() != 0 || o.out_channels() % o.groups() != 0)
    throw ValueError("{}: {} groups do not divide {} channels in and {} out", name, o.groups(),
                     o.in_channels(), o.out_channels());
}

/// What is to be put around the input before the convolution: of the last dimension first, before
/// and after.
template <int D>
std::vector<int64_t> padding_of(const ConvOptions<D>& o) {
  std::vector<int64_t> result;
  const std::vector<int64_t> kernel = list(o.kernel_size()), dilation = list(o.dilation()),
                             padding = list(o.padding());
  for (std::size_t i = kernel.size(); i-- > 0;) {
    const int64_t all = o.padding_name() == "same" ? dilation[i] * (kernel[i] - 1)
                        : o.padding_name().empty() ? 2 * padding[i]
                                                   : 0;
    result.push_back(all / 2);
    result.push_back(all - all / 2);
  }
  return result;
}

template <int D, typename Padding>
Tensor convolve(const ConvImpl<D>& conv, const Tensor& input, Padding padding) {
  const ConvOptions<D>& o = conv.options;
  if constexpr (D == 1)
    return conv1d(input, conv.weight, conv.bias, o.stride(), padding, o.dilation(), o.groups());
  else
    return conv2d(input, conv.weight, conv.bias, o.stride(), padding, o.dilation(), o.groups());
}

/// What the options say beyond kernel and stride, as far as it is not the default.
template <typename Options>
void print_rest(std::ostream& out, const Options& o) {
  const auto differs = [](const auto& sizes, int64_t usual) {
    return list(sizes) != std::vector<int64_t>(list(sizes).size(), usual);
  };
  if (differs(o.padding(), 0)) fmt::print(out, ", padding={}", list(o.padding()));
  if (differs(o.dilation(), 1)) fmt::print(out, ", dilation={}", list(o.dilation()));
  if (o.groups() != 1) fmt::print(out, ", groups={}", o.groups());
  if (!o.bias()) out << ", bias=false";
}

}  // namespace

template <int D>
ConvImpl<D>::ConvImpl(const ConvOptions<D>& o, std::string name)
    : Module(name.empty() ? fmt::format("Conv{}d", D) : std::move(name)), options(o) {
  check_groups(o, this->name());
  if (const std::string& mode = o.padding_mode();
      mode != "zeros" && mode != "reflect" && mode != "replicate" && mode != "circular")
    throw ValueError("{}: no padding mode is called '{}': zeros, reflect, replicate, circular",
                     this->name(), mode);
  draw_parameters(*this, o.out_channels(), o.in_channels() / o.groups());
}

template <int D>
Tensor ConvImpl<D>::forward(const Tensor& input) const {
  if (options.padding_mode() != "zeros")
    return convolve(*this, pad(input, padding_of(options), options.padding_mode()), 0);
  if (!options.padding_name().empty())
    return convolve(*this, input, PaddingName(options.padding_name()));
  return convolve(*this, input, options.padding());
}

Tensor ConvReLU2dImpl::forward(const Tensor& input) const {
  const Conv2dOptions& o = options;
  if (o.padding_mode() != "zeros" || !o.padding_name().empty())
    return relu(ConvImpl::forward(input));
  return conv2d_relu(input, weight, bias, o.stride(), o.padding(), o.dilation(), o.groups());
}

template <int D>
void ConvImpl<D>::pretty_print(std::ostream& out) const {
  fmt::print(out, "{}({}, {}, kernel_size={}, stride={}", name(), options.in_channels(),
             options.out_channels(), list(options.kernel_size()), list(options.stride()));
  if (!options.padding_name().empty()) fmt::print(out, ", padding={}", options.padding_name());
  print_rest(out, options);
  if (options.padding_mode() != "zeros")
    fmt::print(out, ", padding_mode={}", options.padding_mode());
  out << ")";
}

template <int D>
ConvTransposeImpl<D>::ConvTransposeImpl(const ConvTransposeOptions<D>& o)
    : Module(fmt::format("ConvTranspose{}d", D)), options(o) {
  check_groups(o, name());
  draw_parameters(*this, o.in_channels(), o.out_channels() / o.groups());
}

template <int D>
Tensor ConvTransposeImpl<D>::forward(const Tensor& input) const {
  const ConvTransposeOptions<D>& o = options;
  if constexpr (D == 1)
    return conv_transpose1d(input, weight, bias, o.stride(), o.padding(), o.output_padding(),
                            o.groups(), o.dilation());
  else
    return conv_transpose2d(input, weight, bias, o.stride(), o.padding(), o.output_padding(),
                            o.groups(), o.dilation());
}

template <int D>
void ConvTransposeImpl<D>::pretty_print(std::ostream& out) const {
  fmt::print(out, "{}({}, {}, kernel_size={}, stride={}", name(), options.in_channels(),
             options.out_channels(), list(options.kernel_size()), list(options.stride()));
  print_rest(out, options);
  out << ")";
}

template struct ConvImpl<1>;
template struct ConvImpl<2>;
template struct ConvTransposeImpl<1>;
template struct ConvTransposeImpl<2>;

}  // namespace notape::nn
