// Listing 1 of the 2019 paper, trained on handwritten digits: what may be varied, what comes out.
#pragma once
#include <filesystem>
#include <iosfwd>

#include "paper_examples/data/dataset.h"

namespace notape::paper {

/// What stands between the convolution and the fully connected layer: the mean over each channel,
/// or all of its pixels.
enum class Listing1Join { Mean, Flatten };

/// Test accuracies of seeds 0 to 11: 93.9 % to 98.1 %, median 96.6 %; flattened, 30 epochs from a
/// rate of 0.5: 96.1 % to 99.2 %, median 98.3 %.
struct Listing1Options {
  uint64_t seed = 0;  ///< decides the split, the first weights and the order of the images
  int64_t epochs = 120;
  Listing1Join join = Listing1Join::Mean;
  double learning_rate = 1;  ///< of the first epoch; falls to 0
};

struct Listing1Result {
  double test_accuracy;  ///< share of the held-out images, 0 to 1
  double last_loss;      ///< mean over the last epoch
  double seconds;        ///< for training alone
};

/// Splits the digits, trains the corrected model and prints its progress.
Listing1Result train_listing1(std::ostream& out, const data::Dataset& digits,
                              const Listing1Options& options = {});

}  // namespace notape::paper
