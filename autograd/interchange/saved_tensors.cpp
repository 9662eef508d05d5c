#include "autograd/interchange/saved_tensors.h"

#include "autograd/error.h"
#include "autograd/interchange/safetensors.h"
#include "autograd/modes/grad_mode.h"
#include "autograd/tensor/core_operators.h"

namespace notape {
namespace {

constexpr const char* kFlags = "requires_grad";

template <typename Target>
void save_all(const std::vector<Tensor>& tensors, Target& target) {
  NamedTensors named;
  std::string flags;
  for (const Tensor& tensor : tensors) {
    if (!tensor.defined())
      throw UndefinedTensor("save: tensor {} of the list is undefined", named.size());
    flags += tensor.requires_grad() ? '1' : '0';
    named.emplace(std::to_string(named.size()), tensor);
  }
  save_safetensors(target, named, {{kFlags, flags}});
}

template <typename Source>
std::vector<Tensor> load_all(Source& source, const std::string& name,
                             std::optional<Device> device) {
  const SafetensorsContents contents = read_safetensors(source);
  const auto flags = contents.metadata.find(kFlags);
  const std::size_t count = contents.tensors.size();
  if (flags == contents.metadata.end() || flags->second.size() != count ||
      flags->second.find_first_not_of("01") != std::string::npos)
    throw FileError("{}: was not written by save(): its metadata do not say what wants gradients",
                    name);
  std::vector<Tensor> tensors;
  for (std::size_t i = 0; i < count; ++i) {
    const auto found = contents.tensors.find(std::to_string(i));
    if (found == contents.tensors.end())
      throw FileError("{}: was not written by save(): there is no tensor '{}'", name, i);
    Tensor tensor = found->second;
    if (device) tensor = core_operators->convert(tensor, tensor.dtype(), *device);
    const bool wanted = flags->second[i] == '1';
    if (wanted && !tensor.is_floating_point())
      throw FileError("{}: was not written by save(): '{}' of dtype {} wants a gradient", name, i,
                      name_of(tensor.dtype()));
    tensors.push_back(wanted ? tensor.requires_grad_() : tensor);
  }
  return tensors;
}

void load_one(Tensor& tensor, const std::vector<Tensor>& loaded, const std::string& name) {
  if (loaded.size() != 1)
    throw FileError("{}: holds a list of {} tensors, not one", name, loaded.size());
  if (!tensor.defined()) {
    tensor = loaded[0];
    return;
  }
  const NoGradGuard no_grad;
  tensor.set_data(loaded[0].detach());
}

}  // namespace

void save(const Tensor& tensor, const std::string& path) {
  save_all(std::vector<Tensor>{tensor}, path);
}
void save(const std::vector<Tensor>& tensors, const std::string& path) { save_all(tensors, path); }
void save(const Tensor& tensor, std::ostream& stream) {
  save_all(std::vector<Tensor>{tensor}, stream);
}
void save(const std::vector<Tensor>& tensors, std::ostream& stream) { save_all(tensors, stream); }

void load(Tensor& tensor, const std::string& path, std::optional<Device> device) {
  load_one(tensor, load_all(path, path, device), path);
}
void load(std::vector<Tensor>& tensors, const std::string& path, std::optional<Device> device) {
  const std::vector<Tensor> loaded = load_all(path, path, device);
  tensors.insert(tensors.end(), loaded.begin(), loaded.end());
}
void load(Tensor& tensor, std::istream& stream, std::optional<Device> device) {
  load_one(tensor, load_all(stream, "stream", device), "stream");
}
void load(std::vector<Tensor>& tensors, std::istream& stream, std::optional<Device> device) {
  const std::vector<Tensor> loaded = load_all(stream, "stream", device);
  tensors.insert(tensors.end(), loaded.begin(), loaded.end());
}

}  // namespace notape
