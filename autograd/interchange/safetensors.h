// safetensors: named tensors and text in one file, a JSON header before the bytes.
// Format: https://huggingface.co/docs/safetensors (version 0.4).
#pragma once
#include <iosfwd>

#include "autograd/interchange/named_tensors.h"

namespace notape {

using SafetensorsMetadata = std::map<std::string, std::string>;

/// All tensors as leaves on the CPU, of dtypes F64, F32, F16, BF16, I64, I32, I16, I8, U8 and
/// BOOL. Throws FileError, naming the file and what is wrong, unless the header (at most 100 MB)
/// describes every byte of the file exactly once.
NamedTensors load_safetensors(const std::string& path);
struct SafetensorsContents {
  NamedTensors tensors;
  SafetensorsMetadata metadata;
};
/// Tensors and text. A stream is read to its end, and is that of one file; errors call it "stream".
SafetensorsContents read_safetensors(const std::string& path);
SafetensorsContents read_safetensors(std::istream& stream);
/// The text under "__metadata__", empty if there is none. Checks the header as above.
SafetensorsMetadata load_safetensors_metadata(const std::string& path);
/// Writes the values row-major, larger elements first, so that all are aligned. The file appears
/// whole or not at all. Throws FileError, UndefinedTensor, and ValueError for a tensor called
/// "__metadata__", text that is not UTF-8, and a header of more than 100 MB.
void save_safetensors(const std::string& path, const NamedTensors& tensors,
                      const SafetensorsMetadata& metadata = {});
/// What the file would hold. Throws FileError once the stream takes no more, and may then have
/// written a part.
void save_safetensors(std::ostream& stream, const NamedTensors& tensors,
                      const SafetensorsMetadata& metadata = {});

}  // namespace notape
