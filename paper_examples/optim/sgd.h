// SGD with momentum, as PyTorch does it:
//   buffer = momentum * buffer + gradient   (the gradient itself in the first step)
//   parameter -= lr * buffer
// An optimizer is a program, too (2019 paper, 4.1): this one is a loop over tensors.
#pragma once
#include <vector>

#include "autograd/autograd.h"

namespace notape::optim {

class SGDOptions {
 public:
  explicit SGDOptions(double lr) : lr_(lr) {}
  SGDOptions& lr(double lr) { return lr_ = lr, *this; }
  SGDOptions& momentum(double momentum) { return momentum_ = momentum, *this; }
  double lr() const { return lr_; }
  double momentum() const { return momentum_; }

 private:
  double lr_;
  double momentum_ = 0;
};

class SGD {
 public:
  SGD(std::vector<Tensor> parameters, const SGDOptions& options);
  /// Moves every parameter whose `.grad` is defined; the others keep value and buffer.
  void step();
  /// Makes every `.grad` undefined.
  void zero_grad() const;
  /// May be changed between steps: options().lr(0.01).
  SGDOptions& options() { return options_; }

 private:
  std::vector<Tensor> parameters_;
  std::vector<Tensor> buffers_;  // one per parameter, undefined before its first step
  SGDOptions options_;
};

}  // namespace notape::optim
