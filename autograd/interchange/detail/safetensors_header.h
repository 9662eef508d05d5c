// SafetensorsHeader: what a safetensors file says about itself, checked against its size.
#pragma once
#include <vector>

#include "autograd/interchange/input_file.h"
#include "autograd/interchange/safetensors.h"

namespace notape::interchange {

inline constexpr uint64_t kMaxSafetensorsHeader = 100'000'000;

struct SafetensorsEntry {
  std::string name;
  ScalarType type = kFloat32;
  std::vector<int64_t> sizes;
  uint64_t begin = 0, end = 0;  // in the data
};

struct SafetensorsHeader {
  std::vector<SafetensorsEntry> entries;  // by position in the data
  SafetensorsMetadata metadata;
};

/// Of all bytes there are; those of the tensors are left in the source. Throws FileError.
SafetensorsHeader read_safetensors_header(ByteSource& source);
/// "F32"
std::string safetensors_name(ScalarType type);

}  // namespace notape::interchange
