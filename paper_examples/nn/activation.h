// Activations as modules: element by element, of any size, without parameters. Formulas and
// derivatives at kinks are those of the functions of the same names (ops/activation.h).
#pragma once
#include "paper_examples/nn/module.h"

namespace notape::nn {

/// For those that may write into their input: ReLU(true), ReLU(ReLUOptions(true)).
class InPlaceOptions {
 public:
  InPlaceOptions(bool inplace = false) : inplace_(inplace) {}
  InPlaceOptions& inplace(bool on) { return inplace_ = on, *this; }
  bool inplace() const { return inplace_; }

 private:
  bool inplace_;
};

/// In place the input itself is changed and returned.
struct InPlaceActivation : OptionsModule<InPlaceOptions> {
  using OptionsModule::OptionsModule;
  void pretty_print(std::ostream& out) const override;
};
struct ReLUImpl : InPlaceActivation {
  using InPlaceActivation::InPlaceActivation;
  Tensor forward(Tensor input) const;
};
struct ReLU6Impl : InPlaceActivation {
  using InPlaceActivation::InPlaceActivation;
  Tensor forward(Tensor input) const;
};
struct SiLUImpl : InPlaceActivation {
  using InPlaceActivation::InPlaceActivation;
  Tensor forward(Tensor input) const;
};

struct SigmoidImpl : Module {
  Tensor forward(const Tensor& input) const;
};
struct TanhImpl : Module {
  Tensor forward(const Tensor& input) const;
};
struct IdentityImpl : Module {
  Tensor forward(const Tensor& input) const { return input; }
};

class LeakyReLUOptions {
 public:
  LeakyReLUOptions(double negative_slope = 0.01) : negative_slope_(negative_slope) {}
  LeakyReLUOptions& negative_slope(double slope) { return negative_slope_ = slope, *this; }
  LeakyReLUOptions& inplace(bool on) { return inplace_ = on, *this; }
  double negative_slope() const { return negative_slope_; }
  bool inplace() const { return inplace_; }

 private:
  double negative_slope_;
  bool inplace_ = false;
};
struct LeakyReLUImpl : OptionsModule<LeakyReLUOptions> {
  using OptionsModule::OptionsModule;
  Tensor forward(Tensor input) const;
  void pretty_print(std::ostream& out) const override;
};

class GELUOptions {
 public:
  /// "none", with the error function, or "tanh".
  GELUOptions& approximate(std::string how) { return approximate_ = std::move(how), *this; }
  const std::string& approximate() const { return approximate_; }

 private:
  std::string approximate_ = "none";
};
struct GELUImpl : OptionsModule<GELUOptions> {
  using OptionsModule::OptionsModule;
  Tensor forward(const Tensor& input) const;
  void pretty_print(std::ostream& out) const override;
};

class SoftmaxOptions {
 public:
  template <WholeNumber Number>
  SoftmaxOptions(Number dim) : dim_(Integer(dim)) {}
  SoftmaxOptions& dim(Integer dim) { return dim_ = dim, *this; }
  int64_t dim() const { return dim_; }

 private:
  int64_t dim_;
};
/// Along dimension dim.
struct SoftmaxImpl : OptionsModule<SoftmaxOptions> {
  using OptionsModule::OptionsModule;
  Tensor forward(const Tensor& input) const;
  void pretty_print(std::ostream& out) const override;
};
struct LogSoftmaxImpl : OptionsModule<SoftmaxOptions> {
  using OptionsModule::OptionsModule;
  Tensor forward(const Tensor& input) const;
  void pretty_print(std::ostream& out) const override;
};

using ReLUOptions = InPlaceOptions;
using ReLU6Options = InPlaceOptions;
using SiLUOptions = InPlaceOptions;
using LogSoftmaxOptions = SoftmaxOptions;
using ReLU = ModuleHolder<ReLUImpl>;
using ReLU6 = ModuleHolder<ReLU6Impl>;
using SiLU = ModuleHolder<SiLUImpl>;
using Sigmoid = ModuleHolder<SigmoidImpl>;
using Tanh = ModuleHolder<TanhImpl>;
using Identity = ModuleHolder<IdentityImpl>;
using LeakyReLU = ModuleHolder<LeakyReLUImpl>;
using GELU = ModuleHolder<GELUImpl>;
using Softmax = ModuleHolder<SoftmaxImpl>;
using LogSoftmax = ModuleHolder<LogSoftmaxImpl>;

}  // namespace notape::nn
