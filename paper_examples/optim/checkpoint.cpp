#include "paper_examples/optim/checkpoint.h"

#include "autograd/interchange/safetensors.h"
#include "ops/ops.h"
#include "paper_examples/nn/state_dict.h"

namespace notape::optim {
namespace {

const std::string kModel = "model.", kOptimizer = "optimizer.";

void add_all(NamedTensors& to, const std::string& prefix, const NamedTensors& tensors) {
  for (const auto& [name, tensor] : tensors) to.emplace(prefix + name, tensor);
}

/// Those whose names begin with the prefix, without it, out of `from`.
NamedTensors take_all(NamedTensors& from, const std::string& prefix) {
  NamedTensors taken;
  for (auto entry = from.lower_bound(prefix);
       entry != from.end() && entry->first.starts_with(prefix); entry = from.erase(entry))
    taken.emplace(entry->first.substr(prefix.size()), entry->second);
  return taken;
}

Tensor take(NamedTensors& from, const std::string& name, const std::string& path) {
  const auto entry = from.find(name);
  if (entry == from.end()) throw ValueError("{}: not a checkpoint: it has no '{}'", path, name);
  const Tensor taken = entry->second;
  from.erase(entry);
  return taken;
}

NamedTensors copies_of(const NamedTensors& tensors) {
  NamedTensors copies;
  for (const auto& [name, tensor] : tensors) copies.emplace(name, tensor.clone());
  return copies;
}

}  // namespace

void save_checkpoint(const std::string& path, const nn::Module& model, const Optimizer& optimizer,
                     int64_t epoch) {
  NamedTensors all{{"generator", default_generator().get_state()},
                   {"epoch", full({}, epoch, kInt64)}};
  add_all(all, kModel, nn::state_dict(model));
  add_all(all, kOptimizer, optimizer.state_dict());
  save_safetensors(path, all);
}

int64_t load_checkpoint(const std::string& path, nn::Module& model, Optimizer& optimizer) {
  NamedTensors all = load_safetensors(path);
  const Tensor epoch = take(all, "epoch", path);
  if (epoch.numel() != 1 || epoch.dtype() != kInt64)
    throw ValueError("{}: not a checkpoint: 'epoch' is no number", path);
  // What can fail comes first, what has changed by then is put back.
  Generator generator(0);
  generator.set_state(take(all, "generator", path));
  const NamedTensors of_model = take_all(all, kModel), of_optimizer = take_all(all, kOptimizer);
  if (!all.empty()) throw ValueError("{}: not a checkpoint: it has '{}'", path, all.begin()->first);
  const NamedTensors before = copies_of(nn::state_dict(model));
  nn::load_state_dict(model, of_model);
  try {
    optimizer.load_state_dict(of_optimizer);
  } catch (...) {
    nn::load_state_dict(model, before);
    throw;
  }
  default_generator().copy_state(generator);
  return epoch.item<int64_t>();
}

}  // namespace notape::optim
