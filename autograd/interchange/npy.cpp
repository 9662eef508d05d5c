// One array in NumPy's format: magic, version, header (a Python dict), data.
#include "autograd/interchange/npy.h"

#include <algorithm>
#include <optional>

#include "autograd/error.h"
#include "autograd/interchange/detail/host_tensor.h"
#include "autograd/interchange/detail/npy_array.h"
#include "autograd/interchange/detail/npy_dict.h"
#include "autograd/interchange/known_format.h"
#include "autograd/interchange/output_file.h"
#include "autograd/printable.h"
#include "autograd/tensor/factories.h"

namespace notape {
namespace interchange {
namespace {

constexpr std::string_view kMagic = "\x93NUMPY";

struct NpyType {
  ScalarType type;
  bool swapped;
};

NpyType parse_descr(const std::string& descr, const std::string& name) {
  const std::string code = descr.empty() ? descr : descr.substr(1);
  const auto* found =
      std::find_if(std::begin(kElementTypes), std::end(kElementTypes),
                   [&](const ElementType& type) { return !type.npy.empty() && type.npy == code; });
  const bool has_order = !descr.empty() && std::string_view("<>|=").find(descr[0]) < 4;
  if (found == std::end(kElementTypes) || !has_order || (descr[0] == '|' && found->npy[1] != '1'))
    throw FileError("{}: dtype '{}' is not supported", name, printable(shortened(descr)));
  return {static_cast<ScalarType>(found - std::begin(kElementTypes)), descr[0] == '>'};
}

void swap_bytes(const Tensor& dense) {
  const std::size_t width = dense.element_size();
  auto* bytes = static_cast<char*>(dense.impl().data());
  char* const end = bytes + byte_count(dense);
  for (; width > 1 && bytes != end; bytes += width) std::reverse(bytes, bytes + width);
}

DimVector fortran_strides(IntArrayRef sizes) {
  DimVector strides(sizes.size());
  int64_t step = 1;
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    strides[i] = step;
    step *= std::max<int64_t>(sizes[i], 1);
  }
  return strides;
}

NpyDict read_header(ByteSource& source) {
  std::string start = source.read_text(kMagic.size(), "the magic number");
  if (start != kMagic) {
    start += source.read_text(std::min<uint64_t>(source.remaining(), 8), "the beginning");
    throw FileError("{}: is no .npy array, which begins with \\x93NUMPY{}", source.name(),
                    seems_to_be(start));
  }
  unsigned char version[2];
  source.read(version, 2, "the version");
  if (version[0] < 1 || version[0] > 3 || version[1] != 0)
    throw FileError("{}: .npy version {}.{} is not supported", source.name(), int{version[0]},
                    int{version[1]});
  const std::size_t width = version[0] == 1 ? 2 : 4;
  unsigned char length_bytes[4] = {};
  source.read(length_bytes, width, "the header's length");
  std::size_t length = 0;
  for (std::size_t i = 0; i < width; ++i) length |= std::size_t{length_bytes[i]} << (8 * i);
  return parse_npy_dict(source.read_text(length, "the header"), source.name());
}

}  // namespace

Tensor read_npy(ByteSource& source) {
  const NpyDict dict = read_header(source);
  const NpyType type = parse_descr(dict.descr, source.name());
  const ClaimedShape shape = claimed_shape(dict.shape, type.type);
  if (!shape.problem.empty()) throw FileError("{}: {}", source.name(), shape.problem);
  if (shape.bytes != source.remaining())
    throw FileError("{}: {} of shape {} takes {} bytes, but {} bytes of data are there{}",
                    source.name(), name_of(type.type), to_string(IntArrayRef(dict.shape)),
                    shape.bytes, source.remaining(),
                    source.remaining() < shape.bytes ? " (truncated)" : "");
  const Tensor result = dict.fortran_order
                            ? empty_strided(dict.shape, fortran_strides(dict.shape), type.type)
                            : empty(dict.shape, type.type);
  read_elements(source, result);
  if (type.swapped) swap_bytes(result);
  source.finish();
  return result;
}

std::string npy_header(const Tensor& tensor) {
  const std::string_view code = element_type(tensor.dtype()).npy;
  if (code.empty())
    throw DtypeError("save_npy: NumPy has no {}; convert it, or write a safetensors file",
                     name_of(tensor.dtype()));
  std::string dict = "{'descr': '";
  dict += code[1] == '1' ? '|' : '<';
  dict += code;
  dict += "', 'fortran_order': False, 'shape': (";
  for (int64_t size : tensor.sizes()) dict += std::to_string(size) + ", ";
  if (tensor.dim() > 0) dict.pop_back();
  if (tensor.dim() > 1) dict.pop_back();
  dict += "), }";
  const std::size_t before = kMagic.size() + 4;
  dict.append(63 - (before + dict.size()) % 64, ' ');
  dict += '\n';
  std::string header(kMagic);
  header +=
      {'\x01', '\x00', static_cast<char>(dict.size() & 0xff), static_cast<char>(dict.size() >> 8)};
  return header + dict;
}

}  // namespace interchange

Tensor load_npy(const std::string& path) {
  const interchange::InputFile file(path);
  interchange::FileSlice source(file, path, 0, file.size());
  return interchange::read_npy(source);
}

void save_npy(const std::string& path, const Tensor& tensor) {
  const Tensor host = interchange::host_tensor(tensor, "save_npy: the tensor");
  interchange::OutputFile file(path);
  file.write(interchange::npy_header(host));
  file.write(host.impl().data(), interchange::byte_count(host));
  file.commit();
}

}  // namespace notape
