// DigitJudge: a classifier of digits that says how good generated ones are.
#pragma once
#include "paper_examples/data/dataset.h"
#include "paper_examples/nn/sequential.h"

namespace notape::paper {

/// What a judge thinks of a set of images.
struct Score {
  /// exp of the mean over images of KL(p(class | image) || p(class)): from 1, where all look alike
  /// or none like a digit, to 10. (Salimans et al., "Improved techniques for training GANs", 2016)
  double inception;
  double smallest_share;  ///< of the class that is seen least: 0.1 if all are seen as often
};

class DigitJudge {
 public:
  /// Trains 64-128-10 with ReLU on digits whose pixels (N, 64) are -1 to 1, with normal noise of
  /// 0.1 in them: Adam, batches of 64. Draws from the default generator.
  DigitJudge(const data::Dataset& digits, int64_t epochs);

  /// The share of images (N, 64) that it takes for what they are, 0 to 1.
  double accuracy(const data::Dataset& digits) const;
  Score score(const Tensor& images) const;

 private:
  nn::Sequential net_;
};

}  // namespace notape::paper
