// Rows of losses: drawn reductions, and drawn classifications with a reference.
#pragma once
#include "ops/loss.h"
#include "ops/spec/plain.h"
#include "ops/spec/row.h"

namespace notape {

Reduction draw_reduction(Draw& draw);
const char* name_of(Reduction reduction);

/// What classification losses are told besides tensors.
struct Classification {
  bool weighted;
  Reduction reduction;
  int64_t ignore_index;  // among the classes, or none of them
};

/// Arguments (input (C), (N, C) or (N, C, d1, ...); target; weight) and parameters of a case.
/// `call` gets an undefined weight if there is none.
using ClassificationCall =
    std::function<Tensor(const Tensor& input, const Tensor& target, const Tensor& weight,
                         Reduction reduction, int64_t ignore_index)>;
/// `log_probabilities` maps the scores of one case to what nll_loss expects.
OpCase classification_case(Draw& draw, const ClassificationCall& call,
                           SliceFunction log_probabilities, std::optional<Domain> far = {});

}  // namespace notape
