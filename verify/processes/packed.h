// Packed: results on their way between processes of this program.
#pragma once
#include <nlohmann/json.hpp>
#include <string>

namespace notape::verify {

/// A value that nlohmann::json knows, as bytes (CBOR, which has infinities and any text).
template <typename T>
std::string packed(const T& value) {
  const auto bytes = nlohmann::json::to_cbor(value);
  return {bytes.begin(), bytes.end()};
}
template <typename T>
T unpacked(const std::string& bytes) {
  return nlohmann::json::from_cbor(bytes).get<T>();
}

}  // namespace notape::verify
