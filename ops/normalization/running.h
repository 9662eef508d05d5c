// Running statistics of batch_norm and instance_norm: means and variances of batches, averaged with
// weights that fall off.
#pragma once
#include "autograd/graph/in_place.h"
#include "autograd/observer.h"
#include "autograd/tensor/tensor.h"

namespace notape {

struct Running {
  Tensor mean, variance;  // (C) each, or undefined
  double momentum = 0;
};

/// Throws ShapeError unless weight, bias and the statistics have the input's channels, where they
/// are defined, and refuses gradients of the statistics.
void check_channels(const Operation& op, const Tensor& input, const Tensor& weight,
                    const Tensor& bias, const Running& running);

/// running = (1 - momentum) running + momentum batch for both, where `batch_variance` is of n and
/// made one of n - 1. Validates both writes first.
void update(const Operation& op, const Running& running, const Tensor& batch_mean,
            const Tensor& batch_variance, int64_t n);
/// Whether a kernel may do so while it normalises: it reads none of that memory otherwise.
bool is_moved_by_kernels(const Running& running, Operands operands);
/// f() between the checks of both writes and their commits.
template <typename F>
void write_statistics(const Operation& op, const Running& running, const F& f) {
  const Tensor* const targets[] = {&running.mean, &running.variance};
  WritePlan plans[2];
  for (std::size_t i : {0, 1})
    if (targets[i]->defined()) plans[i] = check_write(op, *targets[i], {});
  for (const Tensor* target : targets)
    if (target->defined()) before_write(*target);
  f();
  for (std::size_t i : {0, 1})
    if (targets[i]->defined()) commit_write(op, *targets[i], plans[i], NodeRef(), -1);
}

}  // namespace notape
