// NumPy's files: .npy holds one array, .npz (a zip archive of those) several by name.
// Format: https://numpy.org/doc/stable/reference/generated/numpy.lib.format.html
#pragma once
#include "autograd/interchange/named_tensors.h"

namespace notape {

/// The array as a leaf on the CPU; an array in Fortran order keeps its strides. Reads versions 1 to
/// 3, both byte orders, and the dtypes that tensors have but bfloat16, which NumPy has not. Throws
/// FileError, naming the file and what is wrong with it; no memory is asked for that the file's
/// size does not vouch for.
Tensor load_npy(const std::string& path);
/// Writes the values row-major. The file appears whole or not at all. Throws FileError,
/// UndefinedTensor, and DtypeError for bfloat16.
void save_npy(const std::string& path, const Tensor& tensor);

enum class NpzCompression { Stored, Deflated };

/// All arrays by name, without ".npy". Reads stored and deflated archives of less than 4 GiB
/// (no zip64) and checks their checksums. Throws FileError, also for a name that save_npz refuses.
NamedTensors load_npz(const std::string& path);
/// Throws FileError, UndefinedTensor, and ValueError for what needs zip64: an array or archive of
/// 4 GiB or more, or more than 65534 arrays, and for a name that is empty, not UTF-8, has control
/// characters or backslashes, or is a path that is absolute or leaves its directory.
void save_npz(const std::string& path, const NamedTensors& tensors,
              NpzCompression compression = NpzCompression::Stored);

}  // namespace notape
