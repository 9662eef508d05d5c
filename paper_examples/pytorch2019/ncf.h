// NeuMF, trained to recommend: what may be varied, what comes out.
#pragma once
#include <cstdint>
#include <iosfwd>

#include "paper_examples/data/leave_one_out.h"
#include "paper_examples/models/ncf.h"

namespace notape::paper {

struct NcfOptions {
  uint64_t seed = 0;  ///< decides first weights, unseen items and the order of the samples
  models::NCFOptions model;
  int64_t batch_size = 1024;
  int64_t epochs = 8;
  Device device = kCPU;
};

struct NcfResult {
  data::Ranking ranking;  ///< after the last epoch
  double popularity;      ///< hit rate of ranking by it
  int64_t parameters;
  double seconds;  ///< for training and judging
};

/// Adam of rate 2e-3 on binary cross entropy; each rating has four random items as negatives, drawn
/// anew each epoch and not checked.
NcfResult train_ncf(std::ostream& out, const data::Ratings& ratings, const NcfOptions& options);

}  // namespace notape::paper
