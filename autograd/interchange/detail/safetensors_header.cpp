#include "autograd/interchange/detail/safetensors_header.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>

#include "autograd/error.h"
#include "autograd/interchange/detail/host_tensor.h"
#include "autograd/interchange/known_format.h"
#include "autograd/printable.h"

namespace notape::interchange {
namespace {

using nlohmann::json;

class HeaderReader {
 public:
  explicit HeaderReader(ByteSource& source) : source_(source) {}

  SafetensorsHeader read() {
    if (source_.remaining() == 0) fail("is no safetensors file: it is empty");
    uint64_t length = 0;
    source_.read(&length, sizeof length, "the header's length");
    const std::string_view format =
        known_format({reinterpret_cast<const char*>(&length), sizeof length});
    if (!format.empty() && length > source_.remaining())
      throw FileError(
          "{}: is no safetensors file: it seems to be {}. In Python, "
          "safetensors.torch.save_file(tensors, path) makes one",
          source_.name(), format);
    if (length > kMaxSafetensorsHeader)
      throw FileError(
          "{}: a header of {} bytes is claimed, the limit is {}: is it a safetensors file?",
          source_.name(), length, kMaxSafetensorsHeader);
    const std::string text = source_.read_text(length, "the header");
    const json document = parse(text);
    for (const auto& [name, value] : document.items()) {
      if (name == "__metadata__")
        read_metadata(value);
      else
        read_entry(name, value);
    }
    check_cover(source_.remaining());
    return std::move(header_);
  }

 private:
  [[noreturn]] void fail(const std::string& problem) const {
    throw FileError("{}: {}", source_.name(), problem);
  }
  /// What the file says, fit for an error of one line.
  static std::string quoted(const std::string& text) {
    return "'" + printable(shortened(text)) + "'";
  }

  json parse(const std::string& text) const {
    if (!text.starts_with('{')) fail("is no safetensors file: the header is no JSON object");
    std::set<std::string> names;
    std::string twice;
    const auto note_names = [&](int depth, json::parse_event_t event, json& value) {
      if (event == json::parse_event_t::key && depth == 1 &&
          !names.insert(value.get<std::string>()).second)
        twice = value.get<std::string>();
      return true;
    };
    json document = json::parse(text, note_names, /*allow_exceptions=*/false);
    if (!document.is_object()) fail("is no safetensors file: the header is no JSON object");
    if (!twice.empty()) fail(quoted(twice) + " stands twice in the header");
    return document;
  }

  void read_metadata(const json& value) {
    if (!value.is_object()) fail("__metadata__ is no object of strings");
    for (const auto& [key, text] : value.items()) {
      if (!text.is_string()) fail("__metadata__ is no object of strings: " + quoted(key));
      header_.metadata.emplace(key, text.get<std::string>());
    }
  }

  void read_entry(const std::string& name, const json& value) {
    const auto is_sizes = [](const json& list) {
      return list.is_array() && std::all_of(list.begin(), list.end(), [](const json& size) {
               return size.is_number_unsigned() && size.get<uint64_t>() <= INT64_MAX;
             });
    };
    if (!value.is_object() || value.size() != 3 || !value.contains("dtype") ||
        !value["dtype"].is_string() || !value.contains("shape") || !is_sizes(value["shape"]) ||
        !value.contains("data_offsets") || !is_sizes(value["data_offsets"]) ||
        value["data_offsets"].size() != 2)
      fail(quoted(name) + " is not described by dtype, shape and two data_offsets");
    const auto dtype = value["dtype"].get<std::string>();
    const auto* found =
        std::find_if(std::begin(kElementTypes), std::end(kElementTypes),
                     [&](const ElementType& type) { return type.safetensors == dtype; });
    if (found == std::end(kElementTypes))
      fail("dtype " + printable(shortened(dtype)) + " of " + quoted(name) + " is not supported");
    SafetensorsEntry entry;
    entry.name = name;
    entry.type = static_cast<ScalarType>(found - std::begin(kElementTypes));
    entry.sizes = value["shape"].get<std::vector<int64_t>>();
    entry.begin = value["data_offsets"][0].get<uint64_t>();
    entry.end = value["data_offsets"][1].get<uint64_t>();
    const ClaimedShape shape = claimed_shape(entry.sizes, entry.type);
    if (!shape.problem.empty()) fail(quoted(name) + ": " + shape.problem);
    if (entry.end < entry.begin || entry.end - entry.begin != shape.bytes)
      throw FileError("{}: {} of shape {} takes {} bytes, but its data_offsets are [{}, {}]",
                      source_.name(), quoted(name), to_string(IntArrayRef(entry.sizes)),
                      shape.bytes, entry.begin, entry.end);
    header_.entries.push_back(std::move(entry));
  }

  /// Every byte of the data belongs to exactly one tensor.
  void check_cover(uint64_t data_bytes) {
    std::vector<SafetensorsEntry>& entries = header_.entries;
    std::stable_sort(entries.begin(), entries.end(), [](const auto& a, const auto& b) {
      return a.begin != b.begin ? a.begin < b.begin : a.end < b.end;
    });
    uint64_t covered = 0;
    for (const SafetensorsEntry& entry : entries) {
      if (entry.begin < covered)
        fail("the data of " + quoted(entry.name) + " overlaps another tensor's");
      if (entry.begin > covered) fail("there is a hole before the data of " + quoted(entry.name));
      covered = entry.end;
    }
    if (covered > data_bytes)
      throw FileError("{}: truncated: the tensors take {} bytes, but {} bytes of data are there",
                      source_.name(), covered, data_bytes);
    if (covered < data_bytes)
      throw FileError("{}: {} bytes follow the last tensor", source_.name(), data_bytes - covered);
  }

  ByteSource& source_;
  SafetensorsHeader header_;
};

}  // namespace

std::string safetensors_name(ScalarType type) {
  return std::string(element_type(type).safetensors);
}

SafetensorsHeader read_safetensors_header(ByteSource& source) {
  return HeaderReader(source).read();
}

}  // namespace notape::interchange
