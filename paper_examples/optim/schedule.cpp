#include "paper_examples/optim/schedule.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace notape::optim {

void LRScheduler::step() { step(count_ + 1); }

void LRScheduler::step(int64_t count) {
  if (count < 0) throw ValueError("a schedule has no step {}", count);
  count_ = count;
  for (OptimizerParamGroup& group : optimizer_.param_groups())
    group.options().set_scheduled_lr(rate(count_, group.options().initial_lr()));
}

std::vector<double> LRScheduler::get_last_lr() const {
  std::vector<double> result;
  for (const OptimizerParamGroup& group : optimizer_.param_groups())
    result.push_back(group.options().get_lr());
  return result;
}

StepLR::StepLR(Optimizer& optimizer, int64_t step_size, double gamma)
    : LRScheduler(optimizer), step_size_(step_size), gamma_(gamma) {
  if (step_size < 1) throw ValueError("StepLR: a step_size of {} is not above 0", step_size);
  start();
}
double StepLR::rate(int64_t step, double base) const {
  return base * std::pow(gamma_, static_cast<double>(step / step_size_));
}

MultiStepLR::MultiStepLR(Optimizer& optimizer, std::vector<int64_t> milestones, double gamma)
    : LRScheduler(optimizer), milestones_(std::move(milestones)), gamma_(gamma) {
  start();
}
double MultiStepLR::rate(int64_t step, double base) const {
  const auto passed = std::ranges::count_if(milestones_, [=](int64_t m) { return m <= step; });
  return base * std::pow(gamma_, static_cast<double>(passed));
}

ExponentialLR::ExponentialLR(Optimizer& optimizer, double gamma)
    : LRScheduler(optimizer), gamma_(gamma) {
  start();
}
double ExponentialLR::rate(int64_t step, double base) const {
  return base * std::pow(gamma_, static_cast<double>(step));
}

CosineAnnealingLR::CosineAnnealingLR(Optimizer& optimizer, int64_t t_max, double eta_min)
    : LRScheduler(optimizer), t_max_(t_max), eta_min_(eta_min) {
  if (t_max < 1) throw ValueError("CosineAnnealingLR: a t_max of {} is not above 0", t_max);
  start();
}
double CosineAnnealingLR::rate(int64_t step, double base) const {
  const double part = static_cast<double>(step) / static_cast<double>(t_max_);
  return eta_min_ + (base - eta_min_) * (1 + std::cos(std::numbers::pi * part)) / 2;
}

LinearLR::LinearLR(Optimizer& optimizer, double start_factor, double end_factor,
                   int64_t total_iters)
    : LRScheduler(optimizer),
      start_factor_(start_factor),
      end_factor_(end_factor),
      total_iters_(total_iters) {
  if (!(start_factor > 0 && start_factor <= 1 && end_factor >= 0 && end_factor <= 1) ||
      total_iters < 1)
    throw ValueError(
        "LinearLR: start_factor {}, end_factor {} and total_iters {} are not in (0, 1], "
        "[0, 1] and above 0",
        start_factor, end_factor, total_iters);
  start();
}
double LinearLR::rate(int64_t step, double base) const {
  const double part =
      static_cast<double>(std::min(step, total_iters_)) / static_cast<double>(total_iters_);
  return base * (start_factor_ + (end_factor_ - start_factor_) * part);
}

SequentialLR::SequentialLR(Optimizer& optimizer,
                           std::vector<std::shared_ptr<LRScheduler>> schedulers,
                           std::vector<int64_t> milestones)
    : LRScheduler(optimizer),
      schedulers_(std::move(schedulers)),
      milestones_(std::move(milestones)) {
  if (schedulers_.size() != milestones_.size() + 1)
    throw ValueError("SequentialLR: {} schedules with {} milestones between them",
                     schedulers_.size(), milestones_.size());
  if (!std::ranges::is_sorted(milestones_))
    throw ValueError("SequentialLR: the milestones are not in order");
  start();
}
double SequentialLR::rate(int64_t step, double base) const {
  const auto next = std::ranges::upper_bound(milestones_, step);
  const int64_t begin = next == milestones_.begin() ? 0 : *std::prev(next);
  return rate_of(*schedulers_[static_cast<std::size_t>(next - milestones_.begin())], step - begin,
                 base);
}

ReduceLROnPlateau::ReduceLROnPlateau(Optimizer& optimizer, const ReduceLROnPlateauOptions& options)
    : optimizer_(optimizer),
      options_(options),
      best_((options.largest ? -1 : 1) * std::numeric_limits<double>::infinity()) {
  if (!(options.factor < 1))
    throw ValueError("ReduceLROnPlateau: a factor of {} is not below 1", options.factor);
}

bool ReduceLROnPlateau::is_better(double metric) const {
  const double sign = options_.largest ? 1 : -1;
  const double bar = options_.is_relative ? best_ * (1 + sign * options_.threshold)
                                          : best_ + sign * options_.threshold;
  return options_.largest ? metric > bar : metric < bar;
}

void ReduceLROnPlateau::step(double metric) {
  const bool better = is_better(metric);
  if (better) best_ = metric;
  num_bad_epochs_ = better || cooldown_counter_ > 0 ? 0 : num_bad_epochs_ + 1;
  if (cooldown_counter_ > 0) --cooldown_counter_;
  if (num_bad_epochs_ <= options_.patience) return;
  num_bad_epochs_ = 0;
  cooldown_counter_ = options_.cooldown;
  for (OptimizerParamGroup& group : optimizer_.param_groups()) {
    const double old = group.options().get_lr();
    const double rate = std::max(old * options_.factor, options_.min_lr);
    if (old - rate > options_.eps) group.options().set_lr(rate);
  }
}

LambdaLR::LambdaLR(Optimizer& optimizer, std::function<double(int64_t)> factor)
    : LRScheduler(optimizer), factor_(std::move(factor)) {
  start();
}

}  // namespace notape::optim
