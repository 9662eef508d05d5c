// Pooling: the largest or the mean of each window of an image (N, C, H, W) or (C, H, W).
#pragma once
#include "ops/pooling.h"
#include "paper_examples/nn/module.h"

namespace notape::nn {

class MaxPool2dOptions {
 public:
  MaxPool2dOptions(Pair kernel_size) : kernel_size_(kernel_size), stride_(kernel_size) {}
  /// As the kernel's size unless said.
  MaxPool2dOptions& stride(Pair steps) { return stride_ = steps, *this; }
  MaxPool2dOptions& padding(Pair entries) { return padding_ = entries, *this; }
  MaxPool2dOptions& dilation(Pair steps) { return dilation_ = steps, *this; }
  MaxPool2dOptions& ceil_mode(bool on) { return ceil_mode_ = on, *this; }
  Pair kernel_size() const { return kernel_size_; }
  Pair stride() const { return stride_; }
  Pair padding() const { return padding_; }
  Pair dilation() const { return dilation_; }
  bool ceil_mode() const { return ceil_mode_; }

 private:
  Pair kernel_size_, stride_, padding_ = 0, dilation_ = 1;
  bool ceil_mode_ = false;
};

struct MaxPool2dImpl : OptionsModule<MaxPool2dOptions> {
  using OptionsModule::OptionsModule;
  MaxPool2dImpl(Pair kernel_size) : OptionsModule(kernel_size) {}
  Tensor forward(const Tensor& input) const;
  void pretty_print(std::ostream& out) const override;
};

class AvgPool2dOptions {
 public:
  AvgPool2dOptions(Pair kernel_size) : kernel_size_(kernel_size), stride_(kernel_size) {}
  /// As the kernel's size unless said.
  AvgPool2dOptions& stride(Pair steps) { return stride_ = steps, *this; }
  AvgPool2dOptions& padding(Pair entries) { return padding_ = entries, *this; }
  AvgPool2dOptions& ceil_mode(bool on) { return ceil_mode_ = on, *this; }
  AvgPool2dOptions& count_include_pad(bool on) { return count_include_pad_ = on, *this; }
  Pair kernel_size() const { return kernel_size_; }
  Pair stride() const { return stride_; }
  Pair padding() const { return padding_; }
  bool ceil_mode() const { return ceil_mode_; }
  bool count_include_pad() const { return count_include_pad_; }

 private:
  Pair kernel_size_, stride_, padding_ = 0;
  bool ceil_mode_ = false, count_include_pad_ = true;
};

struct AvgPool2dImpl : OptionsModule<AvgPool2dOptions> {
  using OptionsModule::OptionsModule;
  AvgPool2dImpl(Pair kernel_size) : OptionsModule(kernel_size) {}
  Tensor forward(const Tensor& input) const;
  void pretty_print(std::ostream& out) const override;
};

class AdaptiveAvgPool2dOptions {
 public:
  AdaptiveAvgPool2dOptions(Pair output_size) : output_size_(output_size) {}
  Pair output_size() const { return output_size_; }

 private:
  Pair output_size_;
};

/// As many windows as the output has entries, as nearly of one size as that goes.
struct AdaptiveAvgPool2dImpl : OptionsModule<AdaptiveAvgPool2dOptions> {
  using OptionsModule::OptionsModule;
  AdaptiveAvgPool2dImpl(Pair output_size) : OptionsModule(output_size) {}
  Tensor forward(const Tensor& input) const;
  void pretty_print(std::ostream& out) const override;
};

using MaxPool2d = ModuleHolder<MaxPool2dImpl>;
using AvgPool2d = ModuleHolder<AvgPool2dImpl>;
using AdaptiveAvgPool2d = ModuleHolder<AdaptiveAvgPool2dImpl>;

}  // namespace notape::nn
