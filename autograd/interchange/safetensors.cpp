#include "autograd/interchange/safetensors.h"

#include <algorithm>
#include <istream>
#include <nlohmann/json.hpp>
#include <optional>
#include <ostream>

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

template <typename Sink>
void write_all(Sink& sink, const NamedTensors& tensors, const SafetensorsMetadata& metadata) {
  const auto items = in_file_order(tensors);
  const std::string header = header_text(items, metadata);
  const uint64_t length = header.size();
  sink.write(reinterpret_cast<const char*>(&length), sizeof length);
  sink.write(header.data(), static_cast<int64_t>(header.size()));
  for (const Item* item : items) {
    const Tensor host = interchange::host_tensor(item->second, "'" + item->first + "'");
    sink.write(static_cast<const char*>(host.impl().data()),
               static_cast<int64_t>(interchange::byte_count(host)));
  }
}

/// Nothing is written before the tensors are known to be fit for it.
struct FileSink {
  void write(const char* data, int64_t bytes) {
    if (!file) file.emplace(path);
    file->write(data, static_cast<std::size_t>(bytes));
  }
  const std::string& path;
  std::optional<interchange::OutputFile> file = {};
};

SafetensorsContents read_all(interchange::ByteSource& source) {
  auto header = interchange::read_safetensors_header(source);
  SafetensorsContents contents{.tensors = {}, .metadata = std::move(header.metadata)};
  for (const auto& entry : header.entries) {
    const Tensor tensor = empty(entry.sizes, entry.type);
    interchange::read_elements(source, tensor);
    contents.tensors.emplace(entry.name, tensor);
  }
  return contents;
}

}  // namespace

SafetensorsContents read_safetensors(const std::string& path) {
  const interchange::InputFile file(path);
  interchange::FileSlice source(file, path, 0, file.size());
  return read_all(source);
}

SafetensorsContents read_safetensors(std::istream& stream) {
  std::string text;  // as much as there is, not as much as a header claims
  for (std::string part(1 << 16, 0); stream.read(part.data(), 1 << 16), stream.gcount() > 0;)
    text.append(part.data(), static_cast<std::size_t>(stream.gcount()));
  if (stream.bad()) throw FileError("stream: cannot be read");
  interchange::TextSource source("stream", text);
  return read_all(source);
}

NamedTensors load_safetensors(const std::string& path) { return read_safetensors(path).tensors; }

SafetensorsMetadata load_safetensors_metadata(const std::string& path) {
  const interchange::InputFile file(path);
  interchange::FileSlice source(file, path, 0, file.size());
  return interchange::read_safetensors_header(source).metadata;
}

void save_safetensors(const std::string& path, const NamedTensors& tensors,
                      const SafetensorsMetadata& metadata) {
  FileSink sink{.path = path};
  write_all(sink, tensors, metadata);
  sink.file->commit();
}

void save_safetensors(std::ostream& stream, const NamedTensors& tensors,
                      const SafetensorsMetadata& metadata) {
  write_all(stream, tensors, metadata);
  if (!stream.flush()) throw FileError("save_safetensors: the stream takes no more");
}

}  // namespace notape
