// Schedules of learning rates. Each sets the rate of every group as a function of how many times
// step() was called and of the rate that the group had when the schedule was made, so they can go
// on from any step; PyTorch's names and formulas.
#pragma once
#include <functional>
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
  explicit LRScheduler(Optimizer& optimizer);
  /// Sets the rates for no step; by constructors.
  void start() { step(0); }
  /// The rate at a step, of a group whose rate was `base`.
  virtual double rate(int64_t step, double base) const = 0;

 private:
  Optimizer& optimizer_;
  std::vector<double> bases_;
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

/// Times any function of the step, to put others together: a warm-up and then a cosine, for
/// instance.
class LambdaLR final : public LRScheduler {
 public:
  LambdaLR(Optimizer& optimizer, std::function<double(int64_t)> factor);

 private:
  double rate(int64_t step, double base) const override { return base * factor_(step); }
  std::function<double(int64_t)> factor_;
};

}  // namespace notape::optim
