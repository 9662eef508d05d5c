// What ctc_loss is told of its sequences, checked.
#pragma once
#include <algorithm>
#include <numeric>
#include <vector>

#include "autograd/observer.h"
#include "ops/at.h"

namespace notape {

struct LabelLengths {
  std::vector<int64_t> steps, labels;  ///< of each sample
  int64_t most_labels = 0;

  int64_t batch() const { return static_cast<int64_t>(steps.size()); }
  int64_t all_labels() const { return std::accumulate(labels.begin(), labels.end(), int64_t{0}); }
  int64_t most_steps() const { return *std::max_element(steps.begin(), steps.end()); }
  int64_t fewest_steps() const { return *std::min_element(steps.begin(), steps.end()); }
};

/// Of log_probs (T, N, C) or (T, C). Throws ShapeError for another number of lengths, ValueError
/// for one below 0 or of more steps than T.
LabelLengths label_lengths(const Operation& op, const Tensor& log_probs, IntArrayRef input_lengths,
                           IntArrayRef target_lengths);
/// The entries of a tensor () or (N). Throws UndefinedTensor, DtypeError, ShapeError, and
/// BatchingNotImplemented: they decide what is computed.
std::vector<int64_t> length_values(const Operation& op, const char* name, const Tensor& lengths);
/// Throws IndexError for a label outside [0, classes).
void check_labels(const Operation& op, const Tensor& labels, int64_t classes);

}  // namespace notape
