#include "paper_examples/optim/grad_scaler.h"

#include <cmath>
#include <limits>

#include "autograd/graph/in_place.h"
#include "ops/ops.h"
#include "paper_examples/nn/clip_grad.h"

namespace notape::amp {
namespace {

void check_options(const GradScalerOptions& options) {
  if (!(options.growth_factor > 1))
    throw ValueError("GradScaler: The growth factor must be > 1.0.");
  if (!(options.backoff_factor < 1))
    throw ValueError("GradScaler: The backoff factor must be < 1.0.");
  if (!(options.init_scale > 0 && std::isfinite(static_cast<float>(options.init_scale))))
    throw ValueError("GradScaler: the scale must be positive and finite, but is {}",
                     options.init_scale);
  if (options.growth_interval < 1)
    throw ValueError("GradScaler: the growth interval must be at least 1, but is {}",
                     options.growth_interval);
}

}  // namespace

GradScaler::GradScaler(const GradScalerOptions& options)
    : options_(options), scale_(static_cast<float>(options.init_scale)) {
  check_options(options);
}

Tensor GradScaler::scale(const Tensor& outputs) const {
  return options_.enabled ? outputs * static_cast<double>(scale_) : outputs;
}

TensorList GradScaler::scale(const TensorList& outputs) const {
  TensorList result;
  for (const Tensor& output : outputs) result.push_back(scale(output));
  return result;
}

void GradScaler::unscale_(optim::Optimizer& optimizer) {
  if (!options_.enabled) return;
  if (const auto found = unscaled_.find(&optimizer); found != unscaled_.end())
    throw ValueError(found->second.has_stepped
                         ? "unscale_() is being called after step()."
                         : "unscale_() has already been called on this optimizer since the last "
                           "update().");
  const NoGradGuard no_grad;
  TensorList gradients;
  for (const Tensor& parameter : optimizer.parameters()) {
    const Tensor gradient = parameter.grad();
    if (!gradient.defined()) continue;
    if (gradient.dtype() == kFloat16) throw ValueError("Attempting to unscale FP16 gradients.");
    check_write(Operation("unscale_", At::current()), gradient, {});
    gradients.push_back(gradient);
  }
  const double factor = 1 / static_cast<double>(scale_);
  _foreach_mul_(gradients, factor);
  const double infinity = std::numeric_limits<double>::infinity();
  unscaled_[&optimizer].largest =
      gradients.empty() ? Tensor() : nn::utils::get_total_norm(gradients, infinity);
}

bool GradScaler::is_finite(const OfOptimizer& state) const {
  return !state.largest.defined() || std::isfinite(state.largest.item());
}

bool GradScaler::step(optim::Optimizer& optimizer) {
  if (!options_.enabled) {
    optimizer.step();
    return true;
  }
  const auto found = unscaled_.find(&optimizer);
  if (found == unscaled_.end())
    unscale_(optimizer);
  else if (found->second.has_stepped)
    throw ValueError("step() has already been called since the last update().");
  OfOptimizer& state = unscaled_.at(&optimizer);
  if (!state.largest.defined()) throw ValueError("No inf checks were recorded for this optimizer.");
  const bool steps = is_finite(state);
  if (steps) optimizer.step();
  state.has_stepped = true;
  return steps;
}

void GradScaler::update(std::optional<double> new_scale) {
  if (!options_.enabled) return;
  if (new_scale) {
    GradScalerOptions given = options_;
    given.init_scale = *new_scale;
    check_options(given);
    scale_ = static_cast<float>(*new_scale);
    unscaled_.clear();
    return;
  }
  if (unscaled_.empty()) throw ValueError("No inf checks were recorded prior to update.");
  bool all_finite = true;
  for (const auto& [optimizer, state] : unscaled_) all_finite = all_finite && is_finite(state);
  if (!all_finite) {
    scale_ = static_cast<float>(static_cast<double>(scale_) * options_.backoff_factor);
    growth_tracker_ = 0;
  } else if (++growth_tracker_ == options_.growth_interval) {
    const auto grown = static_cast<float>(static_cast<double>(scale_) * options_.growth_factor);
    if (std::isfinite(grown)) scale_ = grown;
    growth_tracker_ = 0;
  }
  unscaled_.clear();
}

NamedTensors GradScaler::state_dict() const {
  if (!options_.enabled) return {};
  const auto number = [](double value) { return full({}, value, dtype(kFloat64)); };
  const auto count = [](int64_t value) { return full({}, value, dtype(kInt64)); };
  return {{"scale", number(static_cast<double>(scale_))},
          {"growth_factor", number(options_.growth_factor)},
          {"backoff_factor", number(options_.backoff_factor)},
          {"growth_interval", count(options_.growth_interval)},
          {"_growth_tracker", count(growth_tracker_)}};
}

void GradScaler::load_state_dict(const NamedTensors& state) {
  if (!options_.enabled) return;
  const auto number = [&](const char* name) {
    const auto found = state.find(name);
    if (found == state.end() || found->second.numel() != 1)
      throw ValueError("GradScaler: load_state_dict: there is no number '{}'", name);
    return found->second.item();
  };
  GradScalerOptions loaded{number("scale"), number("growth_factor"), number("backoff_factor"),
                           static_cast<int64_t>(number("growth_interval"))};
  const auto tracker = static_cast<int64_t>(number("_growth_tracker"));
  check_options(loaded);
  scale_ = static_cast<float>(loaded.init_scale);
  loaded.init_scale = options_.init_scale;
  options_ = loaded;
  growth_tracker_ = tracker;
  unscaled_.clear();
}

}  // namespace notape::amp
