#include "paper_examples/data/r_data.h"

#include <algorithm>
#include <limits>

#include "autograd/interchange/input_file.h"
#include "autograd/interchange/zlib.h"
#include "ops/ops.h"
#include "paper_examples/data/gz_file.h"

namespace notape::data {
namespace {

constexpr std::size_t kMostBytes = std::size_t{1} << 30;

/// "a, b" of the strings.
std::string joined(const RValue* names) {
  std::string list;
  if (names)
    for (const auto& name : names->strings)
      list += (list.empty() ? "" : ", ") + name.value_or("NA");
  return list;
}

/// Where an object lies in Rdata.rdb, as the index says.
struct Place {
  std::size_t first, size;
};

Place place_of_object(const RValue& index, const std::string& name, const std::string& path) {
  const RValue& variables = index.element("variables");
  const RValue* names = variables.attribute("names");
  for (std::size_t i = 0; names && i < names->strings.size(); ++i) {
    if (names->strings[i] != name) continue;
    const RValue& place = variables.list.at(i);
    if (place.integers.size() != 2 || place.integers[0] < 0 || place.integers[1] < 4)
      throw FileError("{}: the entry of '{}' is no pair of offset and length", path, name);
    return {static_cast<std::size_t>(place.integers[0]),
            static_cast<std::size_t>(place.integers[1])};
  }
  throw FileError("{}: there is no '{}' among: {}", path, name, joined(names));
}

}  // namespace

const RValue* RValue::attribute(std::string_view name) const {
  if (attributes.empty()) return nullptr;
  const RValue& pairs = attributes[0];
  for (std::size_t i = 0; i < pairs.tags.size(); ++i)
    if (pairs.tags[i] == name) return &pairs.list[i];
  return nullptr;
}

const RValue& RValue::element(std::string_view name) const {
  const RValue* names = attribute("names");
  if (kind == Kind::List && names)
    for (std::size_t i = 0; i < std::min(list.size(), names->strings.size()); ++i)
      if (names->strings[i] == name) return list[i];
  throw ValueError("R data: there is no element '{}' in: {}", name, joined(names));
}

Tensor RValue::numbers() const {
  if (kind == Kind::Real) return tensor(reals, kFloat64);
  if (kind != Kind::Integer && kind != Kind::Logical)
    throw ValueError("R data: a value that is no vector of numbers");
  constexpr int32_t kMissing = std::numeric_limits<int32_t>::min();
  std::vector<double> values;
  for (int32_t integer : integers)
    values.push_back(integer == kMissing ? std::numeric_limits<double>::quiet_NaN() : integer);
  return tensor(values, kFloat64);
}

RValue read_r_data(const std::filesystem::path& folder, const std::string& name) {
  const std::filesystem::path index_path = folder / "Rdata.rdx", path = folder / "Rdata.rdb";
  const RValue index = parse_r_data(read_gz(index_path, kMostBytes), index_path.string());
  const Place place = place_of_object(index, name, index_path.string());
  const std::string all = interchange::InputFile(path).read_all();
  if (place.first + place.size > all.size())
    throw FileError("{}: byte {}: truncated: '{}' is to lie at {}, {} bytes long", path.string(),
                    all.size(), name, place.first, place.size);
  const std::string_view object = std::string_view(all).substr(place.first, place.size);
  std::size_t inflated_size = 0;
  for (char byte : object.substr(0, 4))
    inflated_size = inflated_size << 8 | static_cast<unsigned char>(byte);
  const std::string inflated =
      interchange::inflate(object.substr(4), interchange::Compressed::Zlib,
                           std::min(inflated_size, kMostBytes), path.string(), place.first + 4);
  if (inflated.size() != inflated_size)
    throw FileError("{}: byte {}: '{}' is to inflate to {} bytes and has {}", path.string(),
                    place.first, name, inflated_size, inflated.size());
  return parse_r_data(inflated, path.string() + " (" + name + ", inflated)");
}

}  // namespace notape::data
