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
struct InPlaceActivation : Module {
  InPlaceActivation(const InPlaceOptions& o) : options(o) {}
  void pretty_print(std::ostream& out) const override;
  InPlaceOptions options;
};
struct ReLUImpl : InPlaceActivation {
  ReLUImpl(const InPlaceOptions& o = {}) : InPlaceActivation(o) {}
  Tensor forward(Tensor input) const;
};
struct ReLU6Impl : InPlaceActivation {
  ReLU6Impl(const InPlaceOptions& o = {}) : InPlaceActivation(o) {}
  Tensor forward(Tensor input) const;
};
struct SiLUImpl : InPlaceActivation {
  SiLUImpl(const InPlaceOptions& o = {}) : InPlaceActivation(o) {}
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
struct LeakyReLUImpl : Module {
  LeakyReLUImpl(const LeakyReLUOptions& o = {}) : options(o) {}
  Tensor forward(Tensor input) const;
  void pretty_print(std::ostream& out) const override;
  LeakyReLUOptions options;
};

class GELUOptions {
 public:
  /// "none", with the error function, or "tanh".
  GELUOptions& approximate(std::string how) { return approximate_ = std::move(how), *this; }
  const std::string& approximate() const { return approximate_; }

 private:
  std::string approximate_ = "none";
};
struct GELUImpl : Module {
  GELUImpl(const GELUOptions& o = {}) : options(o) {}
  Tensor forward(const Tensor& input) const;
  void pretty_print(std::ostream& out) const override;
  GELUOptions options;
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
struct SoftmaxImpl : Module {
  SoftmaxImpl(const SoftmaxOptions& o) : options(o) {}
  Tensor forward(const Tensor& input) const;
  void pretty_print(std::ostream& out) const override;
  SoftmaxOptions options;
};
struct LogSoftmaxImpl : Module {
  LogSoftmaxImpl(const SoftmaxOptions& o) : options(o) {}
  Tensor forward(const Tensor& input) const;
  void pretty_print(std::ostream& out) const override;
  SoftmaxOptions options;
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
