#include "paper_examples/nn/state_dict.h"

#include <fmt/ranges.h>

#include "autograd/graph/in_place.h"
#include "autograd/interchange/npy.h"
#include "autograd/interchange/safetensors.h"
#include "ops/ops.h"

namespace notape::nn {
namespace {

/// States of before PyTorch 0.4.1 know no number of batches: the module keeps its own, as in
/// PyTorch.
bool may_be_missing(const std::string& name, const NamedTensors& state) {
  constexpr std::string_view kCount = "num_batches_tracked";
  return name.ends_with(kCount) &&
         state.contains(name.substr(0, name.size() - kCount.size()) + "running_mean");
}

/// Whatever is wrong with a state, a line each.
std::string complaints_of(const OrderedDict<Tensor>& own, const NamedTensors& state,
                          const IncompatibleKeys& keys, Strict strict) {
  std::string result;
  if (strict == Strict::Yes) {
    for (const std::string& name : keys.missing) result += fmt::format("\n  missing: {}", name);
    for (const std::string& name : keys.unexpected)
      result += fmt::format("\n  unexpected: {}", name);
  }
  for (const auto& [name, tensor] : own) {
    const auto given = state.find(name);
    if (given == state.end() || !given->second.defined()) continue;
    if (!std::equal(tensor.sizes().begin(), tensor.sizes().end(), given->second.sizes().begin(),
                    given->second.sizes().end()))
      result +=
          fmt::format("\n  of another size: {} is [{}] here and [{}] in the state", name,
                      fmt::join(tensor.sizes(), ", "), fmt::join(given->second.sizes(), ", "));
    if (!tensor.impl().geometry().is_non_overlapping())
      result += fmt::format("\n  cannot be written, being expanded: {}", name);
  }
  return result;
}

bool is_npz(const std::string& path) { return path.ends_with(".npz"); }

}  // namespace

NamedTensors state_dict(const Module& module) {
  NamedTensors result;
  for (const auto& [name, tensor] : module.named_state()) result.emplace(name, tensor.detach());
  return result;
}

IncompatibleKeys load_state_dict(Module& module, const NamedTensors& state, Strict strict) {
  const OrderedDict<Tensor> own = module.named_state();
  IncompatibleKeys keys;
  for (const auto& [name, tensor] : own) {
    const auto given = state.find(name);
    if ((given == state.end() || !given->second.defined()) && !may_be_missing(name, state))
      keys.missing.push_back(name);
  }
  for (const auto& [name, tensor] : state)
    if (!own.contains(name)) keys.unexpected.push_back(name);
  if (const std::string complaints = complaints_of(own, state, keys, strict); !complaints.empty())
    throw ValueError("load_state_dict: the state is not one of {}; nothing was loaded:{}",
                     module.name(), complaints);
  const NoGradGuard no_grad;
  for (const auto& [name, tensor] : own)
    if (state.contains(name)) check_write({"load_state_dict", At::current()}, tensor, {});
  for (const auto& [name, tensor] : own)
    if (const auto given = state.find(name); given != state.end() && given->second.defined())
      tensor.copy_(given->second.detach());
  return keys;
}

void save(const Module& module, const std::string& path) {
  is_npz(path) ? save_npz(path, state_dict(module)) : save_safetensors(path, state_dict(module));
}

void load(Module& module, const std::string& path) {
  load_state_dict(module, is_npz(path) ? load_npz(path) : load_safetensors(path));
}

}  // namespace notape::nn
