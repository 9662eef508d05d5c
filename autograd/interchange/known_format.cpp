#include "autograd/interchange/known_format.h"

#include <algorithm>
#include <cstdint>

namespace notape::interchange {
namespace {

using namespace std::string_view_literals;

struct Format {
  std::string_view magic, name;
};
constexpr Format kFormats[] = {
    {"PK\3\4"sv, "a zip archive, as torch.save() writes them, or numpy.savez()"},
    {"PK\5\6"sv, "an empty zip archive"},
    {"\x80\2"sv, "a Python pickle, as torch.save() wrote them before PyTorch 1.6"},
    {"\x80\3"sv, "a Python pickle"},
    {"\x80\4"sv, "a Python pickle"},
    {"\x80\5"sv, "a Python pickle"},
    {"\x93NUMPY"sv, "a NumPy array, .npy"},
    {"\x89HDF\r\n\x1a\n"sv, "an HDF5 file"},
    {"\x1f\x8b"sv, "compressed by gzip"},
    {"BZh"sv, "compressed by bzip2"},
    {"\xfd"
     "7zXZ\0"sv,
     "compressed by xz"},
    {"\x28\xb5\x2f\xfd"sv, "compressed by zstd"},
    {"GGUF"sv, "a GGUF file"},
    {"MATLAB"sv, "a MATLAB file"},
    {"\x7f"
     "ELF"sv,
     "a program"},
};

bool is_text(unsigned char c) { return (c >= 0x20 && c < 0x7f) || (c >= '\t' && c <= '\r'); }

}  // namespace

std::string_view known_format(std::string_view first_bytes) {
  if (first_bytes.empty()) return "an empty file";
  for (const Format& format : kFormats)
    if (first_bytes.starts_with(format.magic)) return format.name;
  // The length of a header, which is JSON.
  if (first_bytes.size() > 8 && first_bytes[8] == '{' && first_bytes[7] == 0)
    return "a safetensors file";
  return std::all_of(first_bytes.begin(), first_bytes.end(),
                     [](char c) { return is_text(static_cast<unsigned char>(c)); })
             ? "text"
             : "";
}

std::string seems_to_be(std::string_view first_bytes) {
  const std::string_view name = known_format(first_bytes);
  return name.empty() ? "" : ": it seems to be " + std::string(name);
}

}  // namespace notape::interchange
