// GradScaler: losses multiplied before backward, so that gradients in float16 do not vanish, and
// steps left out whose gradients are infinite or NaN. (Micikevicius et al. 2018; PyTorch:
// torch.amp.GradScaler)
#pragma once
#include <map>
#include <optional>

#include "paper_examples/optim/optimizer.h"

namespace notape::amp {

struct GradScalerOptions {
  double init_scale = 65536;
  double growth_factor = 2;     ///< of the scale after so many steps in a row; above 1
  double backoff_factor = 0.5;  ///< of the scale after a step that was left out; below 1
  int64_t growth_interval = 2000;
  bool enabled = true;  ///< else scale() returns what it gets, and step() steps
};

///     {
///       const AutocastMode autocast(kCUDA);
///       loss = model(x);
///     }
///     scaler.scale(loss).backward();
///     scaler.unscale_(optimizer);  // only to look at gradients, or to clip them
///     scaler.step(optimizer);
///     scaler.update();
class GradScaler {
 public:
  /// Throws ValueError for factors out of their range.
  explicit GradScaler(const GradScalerOptions& options = {});

  /// Times the scale.
  Tensor scale(const Tensor& outputs) const;
  TensorList scale(const TensorList& outputs) const;
  /// Divides the gradients of the optimizer's parameters by the scale, and does not wait for a GPU.
  /// Throws ValueError the second time since update(), and for float16 gradients: parameters have
  /// to be float32; no gradient has changed then.
  void unscale_(optim::Optimizer& optimizer);
  /// Steps, after unscale_() if that was not called, unless a gradient is infinite or NaN; waits to
  /// know it. Whether it has stepped. Throws ValueError the second time since update(), and if no
  /// parameter has a gradient.
  bool step(optim::Optimizer& optimizer);
  /// The scale of the next step, after all optimizers' steps: smaller if one was left out, larger
  /// after growth_interval steps without. Or the one that is given. Throws ValueError if nothing
  /// was unscaled.
  void update(std::optional<double> new_scale = {});

  /// 1 if it is not enabled.
  double get_scale() const { return options_.enabled ? static_cast<double>(scale_) : 1; }
  bool is_enabled() const { return options_.enabled; }
  const GradScalerOptions& options() const { return options_; }

  /// By PyTorch's names: "scale", "growth_factor", "backoff_factor", "growth_interval",
  /// "_growth_tracker". Empty if it is not enabled.
  NamedTensors state_dict() const;
  /// Throws ValueError for one that is missing or out of its range; then nothing has changed.
  void load_state_dict(const NamedTensors& state);

 private:
  struct OfOptimizer {
    Tensor largest;  ///< magnitude among its gradients; undefined without any
    bool has_stepped = false;
  };
  bool is_finite(const OfOptimizer& state) const;

  GradScalerOptions options_;
  float scale_;
  int64_t growth_tracker_ = 0;                               // steps since it has changed
  std::map<const optim::Optimizer*, OfOptimizer> unscaled_;  // since update()
};

}  // namespace notape::amp
