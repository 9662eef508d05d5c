// safetensors: named tensors and text in one file, a JSON header before the bytes.
#include "autograd/interchange/safetensors.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "autograd/error.h"
#include "autograd/interchange/detail/host_tensor.h"
#include "autograd/interchange/detail/safetensors_header.h"
#include "autograd/interchange/output_file.h"
#include "autograd/tensor/factories.h"

namespace notape {
namespace {

using Item = NamedTensors::value_type;

/// Larger elements first, then by name.
std::vector<const Item*> in_file_order(const NamedTensors& tensors) {
  std::vector<const Item*> items;
  for (const Item& item : tensors) {
    if (item.first == "__metadata__")
      throw ValueError("save_safetensors: a tensor cannot be called __metadata__");
    if (!item.second.defined())
      throw UndefinedTensor("save_safetensors: '{}' is an undefined tensor", item.first);
    items.push_back(&item);
  }
  std::stable_sort(items.begin(), items.end(), [](const Item* a, const Item* b) {
    return a->second.element_size() > b->second.element_size();
  });
  return items;
}

std::string header_text(const std::vector<const Item*>& items,
                        const SafetensorsMetadata& metadata) {
  nlohmann::ordered_json header = nlohmann::ordered_json::object();
  if (!metadata.empty()) header["__metadata__"] = metadata;
  uint64_t end = 0;
  for (const Item* item : items) {
    const Tensor& tensor = item->second;
    const uint64_t begin = end;
    end += interchange::byte_count(tensor);
    header[item->first] = {{"dtype", interchange::safetensors_name(tensor.dtype())},
                           {"shape", tensor.sizes().vec()},
                           {"data_offsets", {begin, end}}};
  }
  std::string text;
  try {
    text = header.dump();
  } catch (const nlohmann::json::type_error&) {
    throw ValueError("save_safetensors: a name or metadata text is not valid UTF-8");
  }
  text.append((8 - text.size() % 8) % 8, ' ');
  if (text.size() > interchange::kMaxSafetensorsHeader)
    throw ValueError("save_safetensors: the header of {} bytes exceeds the limit of {}",
                     text.size(), interchange::kMaxSafetensorsHeader);
  return text;
}

}  // namespace

NamedTensors load_safetensors(const std::string& path) {
  const interchange::InputFile file(path);
  const auto header = interchange::read_safetensors_header(file);
  interchange::FileSlice data(file, path, header.data_offset, file.size() - header.data_offset);
  NamedTensors tensors;
  for (const auto& entry : header.entries) {
    const Tensor tensor = empty(entry.sizes, entry.type);
    interchange::read_elements(data, tensor);
    tensors.emplace(entry.name, tensor);
  }
  return tensors;
}

SafetensorsMetadata load_safetensors_metadata(const std::string& path) {
  return interchange::read_safetensors_header(interchange::InputFile(path)).metadata;
}

void save_safetensors(const std::string& path, const NamedTensors& tensors,
                      const SafetensorsMetadata& metadata) {
  const auto items = in_file_order(tensors);
  const std::string header = header_text(items, metadata);
  const uint64_t length = header.size();
  interchange::OutputFile file(path);
  file.write(&length, sizeof length);
  file.write(header);
  for (const Item* item : items) {
    const Tensor host = interchange::host_tensor(item->second, "'" + item->first + "'");
    file.write(host.impl().data(), interchange::byte_count(host));
  }
  file.commit();
}

}  // namespace notape
