// A base trained on clothes, frozen and given a new classifier of digits: what may be varied, what
// comes out.
#pragma once
#include <cstdint>
#include <iosfwd>

#include "paper_examples/data/dataset.h"
#include "paper_examples/data/datasets/mnist.h"

namespace notape::paper {

struct FinetuneData {
  data::datasets::LazyMNIST clothes, other_clothes;  ///< to train the base with, and to test it
  data::Dataset digits;                              ///< (N, 1, 28, 28)
};

struct FinetuneOptions {
  uint64_t seed = 0;  ///< decides first weights, the split of the digits and all orders
  int64_t pretrain_images = 8000;  ///< the first of the clothes
  int64_t pretrain_epochs = 3;
  int64_t other_images = 2000;  ///< clothes to test the base with; as many a random base sees
  int64_t epochs = 20;          ///< of the new classifier
  int random_bases = 5;
  Device device = kCPU;
};

struct FinetuneResult {
  double base_accuracy;    ///< on clothes it has not seen, 0 to 1
  double frozen_accuracy;  ///< on the other digits, upon the trained base
  double random_accuracy;  ///< upon bases that were never trained, the median
  bool base_unchanged;     ///< every tensor of it, bit for bit, after the new classifier's training
  double seconds;
};

/// Trains a base, writes it to a file, reads it back, freezes it and trains a new last layer.
FinetuneResult train_finetune(std::ostream& out, const FinetuneData& data,
                              const FinetuneOptions& options = {});

}  // namespace notape::paper
