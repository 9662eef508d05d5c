// Workload: a model of the 2019 paper's benchmark (its section 6) with what a step of training
// wants. The paper names six models; batch sizes, optimizers, synthetic input and ResNet-18 are
// ours, and so is the transformer.
#pragma once
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "paper_examples/nn/module.h"
#include "paper_examples/optim/optimizer.h"

namespace notape::models {

/// Paper: the benchmark's sizes. Small: what a CPU takes a second for, which are the same images,
/// but shorter sentences and fewer users. Tiny: for checks, without dropout.
enum class Scale { Paper, Small, Tiny };
inline constexpr const char* kScaleNames[] = {"paper", "small", "tiny"};
/// Throws ValueError for a name that there is not.
Scale scale_called(const std::string& name);

struct Workload {
  using Batch = std::vector<Tensor>;

  std::shared_ptr<nn::Module> model;
  /// Random input and targets of that many samples, on the CPU, from the default generator. Lengths
  /// of sentences are always the same.
  std::function<Batch(int64_t samples)> draw_batch;
  /// Steps draw their batches, which is part of what is measured.
  bool draws_each_step = false;
  /// Several batches that steps take in turn; null where one is as good as another.
  std::function<std::vector<Batch>(int64_t samples)> draw_batches;
  /// Of the batch on the model's device, and differentiable.
  std::function<Tensor(const Batch& batch)> loss;
  std::function<std::unique_ptr<optim::Optimizer>()> make_optimizer;
  std::optional<double> clip_norm;
  /// Which tensor of a batch stays on the CPU: the lengths of sentences.
  std::optional<std::size_t> lengths;
  /// What throughput counts: images, samples, or words without padding.
  std::function<int64_t(const Batch& batch)> units;
  /// Arithmetic of a step with convolutions and products as their definitions have it, elementwise
  /// work left out: forward, twice that for both gradients, less the gradient by images. 0 where
  /// nobody has counted it: of classifiers of images at Scale::Tiny.
  std::function<double(const Batch& batch)> flop;
};

struct WorkloadKind {
  const char* name;       ///< "alexnet"
  const char* title;      ///< "AlexNet"
  const char* unit;       ///< of throughput, "img/s"
  int64_t samples;        ///< a batch at Scale::Paper
  int64_t small_samples;  ///< at Scale::Small, on two cores
  Workload (*make)(Scale scale);
};

/// A kind for each model.
const std::vector<WorkloadKind>& workloads();
/// Some of these models with other batches: "gnmt_verses" with as many words as the verses of the
/// Bible have, in five batches of like lengths (throws MissingPackage without those),
/// "ncf_sampling" with ratings shuffled and four random items to each, drawn in every step.
const std::vector<WorkloadKind>& workload_variants();
/// One of either. Throws ValueError that lists all for a name that there is not.
const WorkloadKind& find_workload(const std::string& name);

/// The batch as the loss takes it on that device.
Workload::Batch moved(const Workload& workload, Workload::Batch batch, Device device);
/// zero_grad, forward, backward, clipping, update; returns the loss.
Tensor train_step(const Workload& workload, const Workload::Batch& batch,
                  optim::Optimizer& optimizer);

}  // namespace notape::models
