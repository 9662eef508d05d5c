// Sums and what is made of them, along each dimension; softmax, norms, losses, scans, sorting.
#include "bench/side_by_side/cases.h"

namespace side {
namespace {

void add_sums(std::vector<Case>& cases) {
  const Tensor line = leaf({1 << 20}), m = leaf({1024, 1024}), cube = leaf({64, 128, 128});
  add_pair(cases, "sum 1M", [=] { return line.sum(); });
  add_pair(cases, "sum 1M rows", [=] { return m.sum(1); });
  add_pair(cases, "sum 1M columns", [=] { return m.sum(0); });
  add_pair(cases, "sum 1M middle", [=] { return cube.sum(1); });
  add_pair(cases, "mean 1M", [=] { return line.mean(); });
  add_pair(cases, "max 1M", [=] { return line.max(); });
  add_pair(cases, "amax 1M rows", [=] { return m.amax(1); });
  add_pair(cases, "amax 1M columns", [=] { return m.amax(0); });
  add_pair(cases, "var 1M rows", [=] { return library::var(m, {1}, true, false); });
  add_pair(cases, "norm 1M", [=] { return line.norm(); });
  add_pair(cases, "logsumexp 1M rows", [=] { return m.logsumexp(1); });
}

void add_normalized(std::vector<Case>& cases) {
  const Tensor m = leaf({1024, 1024}), weight = leaf({1024}), bias = leaf({1024});
  add_pair(cases, "softmax 1M rows", [=] { return m.softmax(1); });
  add_pair(cases, "log_softmax 1M rows", [=] { return m.log_softmax(1); });
  add_pair(cases, "layer_norm 1M", [=] { return library::layer_norm(m, {1024}, weight, bias); });
  const Tensor images = leaf({16, 64, 32, 32}), scale = leaf({64}), shift = leaf({64});
  add_pair(cases, "batch_norm 16x64x32x32, training", [=] {
    return library::batch_norm(images, scale, shift, {}, {}, true, 0.1, 1e-5, false);
  });
  for (const auto& [rows, classes] : {std::pair<int64_t, int64_t>{128, 1000}, {512, 32000}}) {
    const Tensor scores = leaf({rows, classes}), target = library::randint(classes, {rows});
    add_pair(cases, "cross_entropy " + std::to_string(rows) + "x" + std::to_string(classes), [=] {
#ifdef SIDE_TORCH
      return torch::cross_entropy_loss(scores, target);
#else
      return notape::cross_entropy(scores, target);
#endif
    });
  }
}

void add_ordered(std::vector<Case>& cases) {
  const Tensor line = library::rand({1 << 20}), m = leaf({1024, 1024});
  cases.push_back({"sort 1M", [=] { line.sort(); }});
  cases.push_back({"topk 100 of 1M", [=] { line.topk(100); }});
  cases.push_back({"argmax 1M", [=] { line.argmax(); }});
  cases.push_back({"argmax 1M rows", [=] { m.argmax(1); }});
  add_pair(cases, "cumsum 1M", [=] { return m.view({-1}).cumsum(0); });
  add_pair(cases, "cumsum 1M rows", [=] { return m.cumsum(1); });
}

}  // namespace

void add_reductions(std::vector<Case>& cases) {
  add_sums(cases);
  add_normalized(cases);
  add_ordered(cases);
}

}  // namespace side
