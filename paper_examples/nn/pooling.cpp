#include "paper_examples/nn/pooling.h"

#include <fmt/ostream.h>
#include <fmt/ranges.h>

namespace notape::nn {
namespace {

std::vector<int64_t> both(Pair sizes) { return {sizes[0], sizes[1]}; }

}  // namespace

Tensor MaxPool2dImpl::forward(const Tensor& input) const {
  return max_pool2d(input, options.kernel_size(), options.stride(), options.padding(),
                    options.dilation(), options.ceil_mode());
}
void MaxPool2dImpl::pretty_print(std::ostream& out) const {
  fmt::print(out, "MaxPool2d(kernel_size={}, stride={}, padding={}, dilation={}, ceil_mode={})",
             both(options.kernel_size()), both(options.stride()), both(options.padding()),
             both(options.dilation()), options.ceil_mode());
}

Tensor AvgPool2dImpl::forward(const Tensor& input) const {
  return avg_pool2d(input, options.kernel_size(), options.stride(), options.padding(),
                    options.ceil_mode(), options.count_include_pad());
}
void AvgPool2dImpl::pretty_print(std::ostream& out) const {
  fmt::print(out, "AvgPool2d(kernel_size={}, stride={}, padding={})", both(options.kernel_size()),
             both(options.stride()), both(options.padding()));
}

Tensor AdaptiveAvgPool2dImpl::forward(const Tensor& input) const {
  return adaptive_avg_pool2d(input, options.output_size());
}
void AdaptiveAvgPool2dImpl::pretty_print(std::ostream& out) const {
  fmt::print(out, "AdaptiveAvgPool2d(output_size={})", both(options.output_size()));
}

}  // namespace notape::nn
