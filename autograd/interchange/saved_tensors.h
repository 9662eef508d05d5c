// LibTorch's torch::save and torch::load for tensors and lists of them.
#pragma once
#include <iosfwd>
#include <optional>

#include "autograd/interchange/named_tensors.h"

namespace notape {

/// Writes a safetensors file of tensors called "0", "1", ..., in which the metadata say which of
/// them want gradients. LibTorch's files are TorchScript archives: neither reads the other's. The
/// file appears whole or not at all. Throws FileError, and UndefinedTensor.
void save(const Tensor& tensor, const std::string& path);
void save(const std::vector<Tensor>& tensors, const std::string& path);
/// The same to a stream, which then holds this and nothing more.
void save(const Tensor& tensor, std::ostream& stream);
void save(const std::vector<Tensor>& tensors, std::ostream& stream);

/// Reads what save() has written, to `device` if one is given. As in LibTorch a defined `tensor`
/// takes over the data and keeps its flags (Tensor::set_data), an undefined one becomes what was
/// saved, and the list grows. Throws FileError for anything else, truncated files included, and
/// SetDataError; then nothing has changed.
void load(Tensor& tensor, const std::string& path, std::optional<Device> device = {});
void load(std::vector<Tensor>& tensors, const std::string& path, std::optional<Device> device = {});
void load(Tensor& tensor, std::istream& stream, std::optional<Device> device = {});
void load(std::vector<Tensor>& tensors, std::istream& stream, std::optional<Device> device = {});

}  // namespace notape
