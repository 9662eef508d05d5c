// Losses as modules: what the functions of ops/loss.h compute, with their options. Of a reduction
// there are Reduction::Mean, the default, Sum and None. Where input and target have different
// shapes, BCELoss and BCEWithLogitsLoss throw ShapeError; MSELoss, SmoothL1Loss and HuberLoss warn
// and broadcast; the others do what their functions do.
#pragma once
#include "ops/loss.h"
#include "paper_examples/nn/module.h"

namespace notape::nn {

/// What losses of nothing but a reduction take: MSELoss(MSELossOptions(Reduction::Sum)).
class ReductionOptions {
 public:
  ReductionOptions(Reduction kind = Reduction::Mean) : reduction_(kind) {}
  ReductionOptions& reduction(Reduction kind) { return reduction_ = kind, *this; }
  Reduction reduction() const { return reduction_; }

 private:
  Reduction reduction_;
};

/// Mean of (input - target)^2.
struct MSELossImpl : Module {
  MSELossImpl(const ReductionOptions& o = {}) : options(o) {}
  Tensor forward(const Tensor& input, const Tensor& target) const;
  ReductionOptions options;
};
/// Mean of |input - target|.
struct L1LossImpl : Module {
  L1LossImpl(const ReductionOptions& o = {}) : options(o) {}
  Tensor forward(const Tensor& input, const Tensor& target) const;
  ReductionOptions options;
};

/// Quadratic up to beta, or delta, and linear beyond.
class SmoothL1LossOptions {
 public:
  SmoothL1LossOptions(Reduction kind = Reduction::Mean) : reduction_(kind) {}
  SmoothL1LossOptions& reduction(Reduction kind) { return reduction_ = kind, *this; }
  SmoothL1LossOptions& beta(double value) { return beta_ = value, *this; }
  Reduction reduction() const { return reduction_; }
  double beta() const { return beta_; }

 private:
  Reduction reduction_;
  double beta_ = 1;
};
struct SmoothL1LossImpl : Module {
  SmoothL1LossImpl(const SmoothL1LossOptions& o = {}) : options(o) {}
  Tensor forward(const Tensor& input, const Tensor& target) const;
  SmoothL1LossOptions options;
};
class HuberLossOptions {
 public:
  HuberLossOptions(Reduction kind = Reduction::Mean) : reduction_(kind) {}
  HuberLossOptions& reduction(Reduction kind) { return reduction_ = kind, *this; }
  HuberLossOptions& delta(double value) { return delta_ = value, *this; }
  Reduction reduction() const { return reduction_; }
  double delta() const { return delta_; }

 private:
  Reduction reduction_;
  double delta_ = 1;
};
struct HuberLossImpl : Module {
  HuberLossImpl(const HuberLossOptions& o = {}) : options(o) {}
  Tensor forward(const Tensor& input, const Tensor& target) const;
  HuberLossOptions options;
};

/// What losses over classes take; NLLLoss has no label_smoothing.
class CrossEntropyLossOptions {
 public:
  /// One per class, (C).
  CrossEntropyLossOptions& weight(Tensor of_classes) { return weight_ = of_classes, *this; }
  /// A class that does not count.
  CrossEntropyLossOptions& ignore_index(Integer number) { return ignore_index_ = number, *this; }
  CrossEntropyLossOptions& reduction(Reduction kind) { return reduction_ = kind, *this; }
  /// The part of the target that is spread over all classes.
  CrossEntropyLossOptions& label_smoothing(double part) { return label_smoothing_ = part, *this; }
  const Tensor& weight() const { return weight_; }
  int64_t ignore_index() const { return ignore_index_; }
  Reduction reduction() const { return reduction_; }
  double label_smoothing() const { return label_smoothing_; }

 private:
  Tensor weight_;
  int64_t ignore_index_ = -100;
  Reduction reduction_ = Reduction::Mean;
  double label_smoothing_ = 0;
};
class NLLLossOptions {
 public:
  NLLLossOptions& weight(Tensor of_classes) { return weight_ = of_classes, *this; }
  NLLLossOptions& ignore_index(Integer number) { return ignore_index_ = number, *this; }
  NLLLossOptions& reduction(Reduction kind) { return reduction_ = kind, *this; }
  const Tensor& weight() const { return weight_; }
  int64_t ignore_index() const { return ignore_index_; }
  Reduction reduction() const { return reduction_; }

 private:
  Tensor weight_;
  int64_t ignore_index_ = -100;
  Reduction reduction_ = Reduction::Mean;
};
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

class BCELossOptions {
 public:
  /// Factors that broadcast with the terms.
  BCELossOptions& weight(Tensor of_terms) { return weight_ = of_terms, *this; }
  BCELossOptions& reduction(Reduction kind) { return reduction_ = kind, *this; }
  const Tensor& weight() const { return weight_; }
  Reduction reduction() const { return reduction_; }

 private:
  Tensor weight_;
  Reduction reduction_ = Reduction::Mean;
};
class BCEWithLogitsLossOptions {
 public:
  BCEWithLogitsLossOptions& weight(Tensor of_terms) { return weight_ = of_terms, *this; }
  /// Factors of what is to be 1.
  BCEWithLogitsLossOptions& pos_weight(Tensor weight) { return pos_weight_ = weight, *this; }
  BCEWithLogitsLossOptions& reduction(Reduction kind) { return reduction_ = kind, *this; }
  const Tensor& weight() const { return weight_; }
  const Tensor& pos_weight() const { return pos_weight_; }
  Reduction reduction() const { return reduction_; }

 private:
  Tensor weight_, pos_weight_;
  Reduction reduction_ = Reduction::Mean;
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

class KLDivLossOptions {
 public:
  KLDivLossOptions& reduction(Reduction kind) { return reduction_ = kind, *this; }
  /// Whether targets are log-probabilities, too.
  KLDivLossOptions& log_target(bool on) { return log_target_ = on, *this; }
  Reduction reduction() const { return reduction_; }
  bool log_target() const { return log_target_; }

 private:
  Reduction reduction_ = Reduction::Mean;
  bool log_target_ = false;
};
/// Of log-probabilities, and probabilities as targets.
struct KLDivLossImpl : Module {
  KLDivLossImpl(const KLDivLossOptions& o = {}) : options(o) {}
  Tensor forward(const Tensor& input, const Tensor& target) const;
  KLDivLossOptions options;
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
