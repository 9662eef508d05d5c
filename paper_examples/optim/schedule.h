// Schedules of learning rates. Each sets the rate of every group as a function of how many times
// step() was called and of the rate that the group had before there was a schedule, or that was set
// by hand since; so they can go on from any step, may be made before a state is loaded or after,
// and a group that comes later has the rate that it would have if it had been there. Of two
// schedules of one optimizer the last to step sets the rate: SequentialLR puts them one after the
// other. PyTorch's names and formulas.
#pragma once
#include <functional>
#include <limits>
#include <memory>
#include <vector>

#include "paper_examples/optim/optimizer.h"

namespace notape::optim {

class LRScheduler {
 public:
  virtual ~LRScheduler() = default;
  /// To be called after the optimizer's, once for each epoch or batch.
  void step();
  /// As if step() had been called that many times.
  void step(int64_t count);
  int64_t last_epoch() const { return count_; }
  /// The rates of the groups.
  std::vector<double> get_last_lr() const;

 protected:
  explicit LRScheduler(Optimizer& optimizer) : optimizer_(optimizer) {}
  /// Sets the rates for no step; by constructors.
  void start() { step(0); }
  /// The rate at a step, for a group with the initial rate `base`.
  virtual double rate(int64_t step, double base) const = 0;
  static double rate_of(const LRScheduler& other, int64_t step, double base) {
    return other.rate(step, base);
  }

 private:
  Optimizer& optimizer_;
  int64_t count_ = 0;
};

/// Times gamma every step_size steps. Throws ValueError unless step_size > 0.
class StepLR final : public LRScheduler {
 public:
  StepLR(Optimizer& optimizer, int64_t step_size, double gamma = 0.1);

 private:
  double rate(int64_t step, double base) const override;
  int64_t step_size_;
  double gamma_;
};

/// Times gamma at each of the milestones.
class MultiStepLR final : public LRScheduler {
 public:
  MultiStepLR(Optimizer& optimizer, std::vector<int64_t> milestones, double gamma = 0.1);

 private:
  double rate(int64_t step, double base) const override;
  std::vector<int64_t> milestones_;
  double gamma_;
};

/// Times gamma in each step.
class ExponentialLR final : public LRScheduler {
 public:
  ExponentialLR(Optimizer& optimizer, double gamma);

 private:
  double rate(int64_t step, double base) const override;
  double gamma_;
};

/// From the base rate down to eta_min in t_max steps, half a cosine, and back up: eta_min + (base -
/// eta_min) (1 + cos(pi t / t_max)) / 2. (Loshchilov and Hutter 2017) Throws ValueError unless
/// t_max > 0.
class CosineAnnealingLR final : public LRScheduler {
 public:
  CosineAnnealingLR(Optimizer& optimizer, int64_t t_max, double eta_min = 0);

 private:
  double rate(int64_t step, double base) const override;
  int64_t t_max_;
  double eta_min_;
};

/// Warm-up: a factor that goes from start_factor to end_factor in total_iters steps. Throws
/// ValueError unless total_iters > 0 and 0 < start_factor <= 1, 0 <= end_factor <= 1.
class LinearLR final : public LRScheduler {
 public:
  LinearLR(Optimizer& optimizer, double start_factor = 1.0 / 3, double end_factor = 1,
           int64_t total_iters = 5);

 private:
  double rate(int64_t step, double base) const override;
  double start_factor_, end_factor_;
  int64_t total_iters_;
};

/// One schedule after the other: the next from each milestone on, where it begins with its step 0.
/// A warm-up and then a cosine:
///   SequentialLR(optimizer, {std::make_shared<LinearLR>(optimizer, 0.1, 1.0, 5),
///                            std::make_shared<CosineAnnealingLR>(optimizer, 95)}, {5});
/// Throws ValueError unless there is a milestone between any two, in order.
class SequentialLR final : public LRScheduler {
 public:
  SequentialLR(Optimizer& optimizer, std::vector<std::shared_ptr<LRScheduler>> schedulers,
               std::vector<int64_t> milestones);

 private:
  double rate(int64_t step, double base) const override;
  std::vector<std::shared_ptr<LRScheduler>> schedulers_;
  std::vector<int64_t> milestones_;
};

/// Times any function of the step.
class LambdaLR final : public LRScheduler {
 public:
  LambdaLR(Optimizer& optimizer, std::function<double(int64_t)> factor);

 private:
  double rate(int64_t step, double base) const override { return base * factor_(step); }
  std::function<double(int64_t)> factor_;
};

struct ReduceLROnPlateauOptions {
  bool largest = false;     ///< whether a larger metric is a better one ("max")
  double factor = 0.1;      ///< what rates are multiplied by, below 1
  int64_t patience = 10;    ///< how many steps without progress are borne
  double threshold = 1e-4;  ///< what counts as progress,
  bool is_relative = true;  ///< as a part of the best metric
  int64_t cooldown = 0;     ///< how many steps after a reduction do not count
  double min_lr = 0;        ///< no rate falls below it,
  double eps = 1e-8;        ///< nor by less than this
};

/// Times factor when a metric has stopped to become better. It cannot be a function of the step, so
/// it is no LRScheduler; the rate that it sets is the base of one. Throws ValueError unless factor
/// < 1.
class ReduceLROnPlateau {
 public:
  explicit ReduceLROnPlateau(Optimizer& optimizer, const ReduceLROnPlateauOptions& options = {});
  /// To be called after each evaluation. NaN is no progress.
  void step(double metric);
  double best() const { return best_; }
  int64_t num_bad_epochs() const { return num_bad_epochs_; }

 private:
  bool is_better(double metric) const;

  Optimizer& optimizer_;
  ReduceLROnPlateauOptions options_;
  double best_;
  int64_t num_bad_epochs_ = 0, cooldown_counter_ = 0;
};

}  // namespace notape::optim
