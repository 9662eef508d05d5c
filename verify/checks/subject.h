// Subject: one case of one operator in one dtype, and how to run it. Checks share what they all
// need: the result and gradients on contiguous inputs, and the noise in them.
#pragma once
#include <optional>

#include "verify/checks/outcome.h"
#include "verify/numeric/noise.h"

namespace notape::verify {

/// A bit per argument; only real ones count.
using ArgumentMask = uint32_t;
inline constexpr ArgumentMask kAllArguments = ~0u;

enum class Placement : uint8_t { Contiguous, AsDrawn };

/// A result and its gradients, as plain numbers.
struct Run {
  std::vector<int64_t> sizes;
  Numbers output;
  std::vector<Numbers> gradients;  ///< one per argument
  std::vector<bool> defined;       ///< whether there is a gradient
};

class Subject {
 public:
  Subject(const OpSpec& spec, const DrawnCase& drawn, ScalarType dtype, Device device);

  const OpSpec& spec;
  const DrawnCase& drawn;
  const ScalarType dtype;
  const Device device;

  const std::vector<std::size_t>& real_arguments() const { return real_; }
  /// The real arguments among these: the `inputs` of backward(), which would else also write to the
  /// `.grad` of tensors that the function captures, which belong to the user.
  variable_list active_of(const variable_list& inputs) const;
  int64_t real_entries() const;
  /// Whether the operator claims a derivative here: real inputs, floating result, order >= 1.
  bool is_differentiable() const;
  bool is_elementwise() const;

  /// Fresh leaves; those in `active` require grad. `values` other than the case's may be given.
  variable_list inputs(ArgumentMask active = kAllArguments,
                       Placement placement = Placement::Contiguous,
                       const std::vector<Numbers>* values = nullptr) const;
  /// Fresh leaves with these values, in these layouts.
  variable_list inputs(const std::vector<Layout>& layouts,
                       const std::vector<Numbers>& values) const;
  /// v: in half of the cases signs, in the others signed full-mantissa numbers around 1.
  const Numbers& incoming() const { return incoming_; }
  Tensor incoming_tensor(Placement placement = Placement::Contiguous) const;
  Tensor output_tensor(const Numbers& values) const;

  /// A result and the gradients of the real arguments that somebody has found.
  Run run_of(const Tensor& output, const variable_list& gradients) const;
  /// The operator's result and its gradients for `incoming`.
  Run run(const variable_list& inputs, const Tensor& incoming) const;
  /// On contiguous inputs with all arguments active.
  const Run& base() const;
  /// base() at the points around the inputs where noise is measured.
  const std::vector<Run>& noise_runs() const;
  /// The noise in <u, gradients>, and in every entry of the output or of a gradient.
  double projected_noise(const Direction& u) const;
  const NoiseFit& noise_fit() const { return noise_fit_; }
  Numbers output_noise() const;
  Numbers gradient_noise(std::size_t argument) const;
  /// By how much every entry of a gradient differs between rounding modes. What cancels to nothing,
  /// such as 1 - y y of a saturated y, hardly scatters and is rounded all the same. For opaque
  /// operators; empty where that cannot be known.
  const Numbers& gradient_rounding(std::size_t argument) const;

  /// The reference as a function of a step: <v, f(x + t u)>.
  Path path(const Direction& u) const { return path(u, wide_, incoming_); }
  /// From another x and with another v; keeps references to them.
  Path path(const Direction& u, const WideList& x, const Numbers& v) const;
  const WideList& wide() const { return wide_; }
  /// The reference in 113 bits or, of an opaque operator, its own values in float64.
  WideTensor reference(const WideList& x) const;
  bool is_opaque() const { return !drawn.op.reference; }
  /// How many terms its atomic adds are declared to add up; 0: equal calls give equal bits.
  int64_t atomic_terms() const;
  /// By how much sums of so many terms may differ in another order, where one gives `result`: each
  /// addition rounds what has been added up so far, which terms of both signs let wander.
  double atomic_radius(double result) const;
  /// What the case's atol and rtol let pass along u.
  Wide allowance(const Direction& u, Wide derivative) const;
  /// The derivative along u as rtol sees it: entries that are off each by its own share, with signs
  /// that have nothing to do with each other, are off by more than that share of their sum.
  Wide likely_size(const Direction& u, Wide derivative) const;
  /// A comparison that would let a larger relative error pass says too little to count.
  double power_gate() const;
  /// One that would let a larger one pass is not made in a few steps alone.
  double quick_power_gate() const;

 private:
  double largest_term() const;

  std::vector<std::size_t> real_;
  WideList wide_;
  std::vector<int64_t> output_sizes_;
  bool floating_output_ = false;
  Numbers incoming_;
  NoiseFit noise_fit_;
  mutable std::optional<Run> base_;
  mutable std::vector<Run> noise_runs_;
  mutable std::vector<Numbers> roundings_;
  mutable std::optional<double> largest_term_;
};

}  // namespace notape::verify
