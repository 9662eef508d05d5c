// GNMT, trained to translate: what may be varied, what comes out.
#pragma once
#include <cstdint>
#include <iosfwd>
#include <vector>

#include "autograd/tensor/device.h"
#include "paper_examples/data/verse_pairs.h"

namespace notape::paper {

struct GnmtOptions {
  uint64_t seed = 0;  ///< decides first weights, which pairs are held out, orders and dropout
  int64_t hidden_size = 96;
  int64_t vocabulary = 1500;
  std::size_t shortest = 3, longest = 12;  ///< words and punctuation on either side
  std::size_t held_out = 300;              ///< pairs
  int64_t steps = 300;
  Device device = kCPU;
};

struct GnmtResult {
  double perplexity;      ///< exp of the mean loss of a held-out word, ends of sentences included
  double token_accuracy;  ///< share of these words that the model finds most probable
  int64_t parameters;
  double seconds;
};

/// Adam of rate 2e-3 on batches of 64, label smoothing 0.1, gradients clipped at norm 5. The
/// vocabulary is that of all pairs, of which most words occur once.
GnmtResult train_gnmt(std::ostream& out, const std::vector<data::VersePair>& verses,
                      const GnmtOptions& options = {});

}  // namespace notape::paper
