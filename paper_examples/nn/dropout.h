// Dropout: while trained, entries are set to 0 with probability p and the others scaled by
// 1 / (1 - p); in eval() the input passes. (Srivastava et al. 2014) Dropout2d drops whole channels.
#pragma once
#include "paper_examples/nn/module.h"

namespace notape::nn {

class DropoutOptions {
 public:
  DropoutOptions(double p = 0.5) : p_(p) {}
  DropoutOptions& p(double probability) { return p_ = probability, *this; }
  DropoutOptions& inplace(bool on) { return inplace_ = on, *this; }
  double p() const { return p_; }
  bool inplace() const { return inplace_; }

 private:
  double p_;
  bool inplace_ = false;
};

/// Both throw ValueError, when made, unless 0 <= p <= 1.
struct DropoutImpl : Module {
  DropoutImpl(const DropoutOptions& options = {});
  /// Of any size. In place the input itself is changed and returned.
  Tensor forward(Tensor input) const;
  void pretty_print(std::ostream& out) const override;

  DropoutOptions options;
};
struct Dropout2dImpl : Module {
  Dropout2dImpl(const DropoutOptions& options = {});
  /// (N, C, ..): one draw for each of (N, C).
  Tensor forward(Tensor input) const;
  void pretty_print(std::ostream& out) const override;

  DropoutOptions options;
};

using Dropout2dOptions = DropoutOptions;
using Dropout = ModuleHolder<DropoutImpl>;
using Dropout2d = ModuleHolder<Dropout2dImpl>;

}  // namespace notape::nn
