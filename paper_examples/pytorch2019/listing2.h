// Listing 2 of the 2019 paper, trained on handwritten digits: what may be varied, what comes out.
#pragma once
#include <iosfwd>

#include "paper_examples/data/dataset.h"
#include "paper_examples/pytorch2019/digit_judge.h"

namespace notape::paper {

/// As printed, gradients of all steps add up; corrected, they are set to zero.
enum class Listing2Form { Literal, Corrected };

struct Listing2Options {
  Listing2Form form = Listing2Form::Corrected;
  uint64_t seed = 0;  ///< decides first weights, noise and the order of the images
  int64_t epochs = 150;
  Device device = kCPU;
};

struct Listing2Result {
  Score score;                ///< of 2,000 samples
  double discriminator_loss;  ///< errD_real + errD_fake, mean over the last epoch
  Tensor samples;             ///< the first 100 of them, (100, 8, 8), -1 to 1
  double seconds;             ///< for training alone
};

/// Trains the generator against the discriminator and prints the progress. `digits`: (N, 64), -1 to
/// 1.
Listing2Result train_listing2(std::ostream& out, const data::Dataset& digits,
                              const DigitJudge& judge, const Listing2Options& options = {});

}  // namespace notape::paper
