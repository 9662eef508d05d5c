// What a module has learned, by name, and files of it. Names are LibTorch's and PyTorch's
// ("conv1.weight", "bn1.running_mean", "lstm.weight_ih_l0_reverse"): a safetensors file of a
// PyTorch model's state_dict() loads into the same model of ours, and the other way round.
#pragma once
#include <string>
#include <vector>

#include "autograd/interchange/named_tensors.h"
#include "paper_examples/nn/module.h"

namespace notape::nn {

/// Parameters and buffers under all their names: constants that share their memory, so training
/// changes them. clone() those that must stay.
NamedTensors state_dict(const Module& module);

enum class Strict : bool { No, Yes };
/// Names that a state lacks, and names that it has too many.
struct IncompatibleKeys {
  std::vector<std::string> missing, unexpected;
};
/// Copies values into parameters and buffers, converted to their dtype and device. Throws
/// ValueError that lists all of what is missing, unexpected and of another size, and what writing
/// in place throws; then nothing was loaded. A "num_batches_tracked" may be missing beside a
/// "running_mean", as in old states of PyTorch: the module's stays. With Strict::No only sizes have
/// to be right, and the names are returned.
IncompatibleKeys load_state_dict(Module& module, const NamedTensors& state,
                                 Strict strict = Strict::Yes);

/// A file of the state: .npz by that ending, else safetensors. It appears whole or not at all.
/// Throws FileError.
void save(const Module& module, const std::string& path);
/// Reads such a file. Throws FileError and what load_state_dict() throws; then nothing was loaded.
void load(Module& module, const std::string& path);

template <typename Impl>
void save(const ModuleHolder<Impl>& module, const std::string& path) {
  save(*module, path);
}
template <typename Impl>
void load(const ModuleHolder<Impl>& module, const std::string& path) {
  load(*module, path);
}
template <std::derived_from<Module> Impl>
void save(const std::shared_ptr<Impl>& module, const std::string& path) {
  save(*module, path);
}
template <std::derived_from<Module> Impl>
void load(const std::shared_ptr<Impl>& module, const std::string& path) {
  load(*module, path);
}

}  // namespace notape::nn
