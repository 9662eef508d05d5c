// Losses as modules: what the functions of ops/loss.h compute, with their options. Of a reduction
// there are Reduction::Mean, the default, Sum and None. Where input and target have different
// shapes, BCELoss and BCEWithLogitsLoss throw ShapeError; MSELoss, SmoothL1Loss and HuberLoss warn
// and broadcast; the others do what their functions do.
#pragma once
#include "ops/loss.h"
#include "paper_examples/nn/module.h"

namespace notape::nn {

/// What the options of every loss have; Self are those of one.
template <typename Self>
class LossOptions {
 public:
  LossOptions(Reduction kind = Reduction::Mean) : reduction_(kind) {}
  Self& reduction(Reduction kind) { return reduction_ = kind, static_cast<Self&>(*this); }
  Reduction reduction() const { return reduction_; }

 private:
  Reduction reduction_;
};

/// What losses of nothing but a reduction take: MSELoss(MSELossOptions(Reduction::Sum)).
struct ReductionOptions : LossOptions<ReductionOptions> {
  using LossOptions::LossOptions;
};

/// Mean of (input - target)^2.
struct MSELossImpl : OptionsModule<ReductionOptions> {
  using OptionsModule::OptionsModule;
  Tensor forward(const Tensor& input, const Tensor& target) const;
};
/// Mean of |input - target|.
struct L1LossImpl : OptionsModule<ReductionOptions> {
  using OptionsModule::OptionsModule;
  Tensor forward(const Tensor& input, const Tensor& target) const;
};

/// Quadratic up to beta, or delta, and linear beyond.
class SmoothL1LossOptions : public LossOptions<SmoothL1LossOptions> {
 public:
  using LossOptions::LossOptions;
  SmoothL1LossOptions& beta(double value) { return beta_ = value, *this; }
  double beta() const { return beta_; }

 private:
  double beta_ = 1;
};
struct SmoothL1LossImpl : OptionsModule<SmoothL1LossOptions> {
  using OptionsModule::OptionsModule;
  Tensor forward(const Tensor& input, const Tensor& target) const;
};
class HuberLossOptions : public LossOptions<HuberLossOptions> {
 public:
  using LossOptions::LossOptions;
  HuberLossOptions& delta(double value) { return delta_ = value, *this; }
  double delta() const { return delta_; }

 private:
  double delta_ = 1;
};
struct HuberLossImpl : OptionsModule<HuberLossOptions> {
  using OptionsModule::OptionsModule;
  Tensor forward(const Tensor& input, const Tensor& target) const;
};

/// What losses over classes take.
template <typename Self>
class ClassLossOptions : public LossOptions<Self> {
 public:
  /// One per class, (C).
  Self& weight(Tensor of_classes) { return weight_ = of_classes, static_cast<Self&>(*this); }
  /// A class that does not count.
  Self& ignore_index(Integer number) { return ignore_index_ = number, static_cast<Self&>(*this); }
  const Tensor& weight() const { return weight_; }
  int64_t ignore_index() const { return ignore_index_; }

 private:
  Tensor weight_;
  int64_t ignore_index_ = -100;
};
class CrossEntropyLossOptions : public ClassLossOptions<CrossEntropyLossOptions> {
 public:
  /// The part of the target that is spread over all classes.
  CrossEntropyLossOptions& label_smoothing(double part) { return label_smoothing_ = part, *this; }
  double label_smoothing() const { return label_smoothing_; }

 private:
  double label_smoothing_ = 0;
};
class NLLLossOptions : public ClassLossOptions<NLLLossOptions> {};
/// Of scores (N, C, ..) and classes (N, ..), int64, or their probabilities (N, C, ..).
struct CrossEntropyLossImpl : Module {
  explicit CrossEntropyLossImpl(const CrossEntropyLossOptions& options = {});
  Tensor forward(const Tensor& input, const Tensor& target) const;
  CrossEntropyLossOptions options;
  Tensor weight;  // a buffer
};
/// Of log-probabilities (N, C, ..) and classes (N, ..), int64.
struct NLLLossImpl : Module {
  explicit NLLLossImpl(const NLLLossOptions& options = {});
  Tensor forward(const Tensor& input, const Tensor& target) const;
  NLLLossOptions options;
  Tensor weight;  // a buffer
};

class BCELossOptions : public LossOptions<BCELossOptions> {
 public:
  /// Factors that broadcast with the terms.
  BCELossOptions& weight(Tensor of_terms) { return weight_ = of_terms, *this; }
  const Tensor& weight() const { return weight_; }

 private:
  Tensor weight_;
};
class BCEWithLogitsLossOptions : public LossOptions<BCEWithLogitsLossOptions> {
 public:
  BCEWithLogitsLossOptions& weight(Tensor of_terms) { return weight_ = of_terms, *this; }
  /// Factors of what is to be 1.
  BCEWithLogitsLossOptions& pos_weight(Tensor weight) { return pos_weight_ = weight, *this; }
  const Tensor& weight() const { return weight_; }
  const Tensor& pos_weight() const { return pos_weight_; }

 private:
  Tensor weight_, pos_weight_;
};
/// Of probabilities, and targets between 0 and 1.
struct BCELossImpl : Module {
  explicit BCELossImpl(const BCELossOptions& options = {});
  Tensor forward(const Tensor& input, const Tensor& target) const;
  BCELossOptions options;
  Tensor weight;  // a buffer
};
/// The same of logits, numerically careful.
struct BCEWithLogitsLossImpl : Module {
  explicit BCEWithLogitsLossImpl(const BCEWithLogitsLossOptions& options = {});
  Tensor forward(const Tensor& input, const Tensor& target) const;
  BCEWithLogitsLossOptions options;
  Tensor weight, pos_weight;  // buffers
};

class KLDivLossOptions : public LossOptions<KLDivLossOptions> {
 public:
  /// Whether targets are log-probabilities, too.
  KLDivLossOptions& log_target(bool on) { return log_target_ = on, *this; }
  bool log_target() const { return log_target_; }

 private:
  bool log_target_ = false;
};
/// Of log-probabilities, and probabilities as targets.
struct KLDivLossImpl : OptionsModule<KLDivLossOptions> {
  using OptionsModule::OptionsModule;
  Tensor forward(const Tensor& input, const Tensor& target) const;
};

using MSELossOptions = ReductionOptions;
using L1LossOptions = ReductionOptions;
using MSELoss = ModuleHolder<MSELossImpl>;
using L1Loss = ModuleHolder<L1LossImpl>;
using SmoothL1Loss = ModuleHolder<SmoothL1LossImpl>;
using HuberLoss = ModuleHolder<HuberLossImpl>;
using CrossEntropyLoss = ModuleHolder<CrossEntropyLossImpl>;
using NLLLoss = ModuleHolder<NLLLossImpl>;
using BCELoss = ModuleHolder<BCELossImpl>;
using BCEWithLogitsLoss = ModuleHolder<BCEWithLogitsLossImpl>;
using KLDivLoss = ModuleHolder<KLDivLossImpl>;

}  // namespace notape::nn
