// .npz: a zip archive of .npy arrays.
#include "autograd/error.h"
#include "autograd/interchange/detail/entry_name.h"
#include "autograd/interchange/detail/host_tensor.h"
#include "autograd/interchange/detail/npy_array.h"
#include "autograd/interchange/detail/zip_archive.h"
#include "autograd/interchange/npy.h"
#include "autograd/printable.h"

namespace notape {

NamedTensors load_npz(const std::string& path) {
  constexpr std::string_view kSuffix = ".npy";
  const interchange::ZipArchive archive(path);
  NamedTensors tensors;
  for (const interchange::ZipEntry& entry : archive.entries()) {
    if (!entry.name.ends_with(kSuffix))
      throw FileError("{}: the entry '{}' is no .npy array{}", path, shortened(entry.name),
                      entry.name.ends_with("/data.pkl")
                          ? ": torch.save() has written this; numpy.savez(path, **arrays) writes "
                            "what is read here"
                          : "");
    const std::string name = entry.name.substr(0, entry.name.size() - kSuffix.size());
    if (const std::string problem = interchange::problem_of_entry_name(name); !problem.empty())
      throw FileError("{}: the name of the entry '{}' {}", path, shortened(entry.name), problem);
    if (tensors.contains(name)) throw FileError("{}: '{}' stands twice", path, entry.name);
    tensors.emplace(name, interchange::read_npy(*archive.open(entry)));
  }
  return tensors;
}

void save_npz(const std::string& path, const NamedTensors& tensors, NpzCompression compression) {
  constexpr uint64_t kLimit = 0xffff0000;  // 4 GiB without room for the array's header
  for (const auto& [name, tensor] : tensors) {
    if (const std::string problem = interchange::problem_of_entry_name(name); !problem.empty())
      throw ValueError("save_npz: {}: the name '{}' {}", path, printable(shortened(name)), problem);
    if (!tensor.defined()) throw UndefinedTensor("save_npz: '{}' is an undefined tensor", name);
    if (static_cast<uint64_t>(tensor.numel()) * tensor.element_size() > kLimit)
      throw ValueError("{}: '{}' of size {} needs zip64, which is not supported", path, name,
                       to_string(tensor.sizes()));
  }
  interchange::ZipWriter writer(path);
  for (const auto& [name, tensor] : tensors) {
    const Tensor host = interchange::host_tensor(tensor, "save_npz: '" + name + "'");
    const std::string header = interchange::npy_header(host);
    const std::string_view parts[] = {
        header, {static_cast<const char*>(host.impl().data()), interchange::byte_count(host)}};
    writer.add(name + ".npy", parts,
               compression == NpzCompression::Deflated ? interchange::ZipMethod::Deflated
                                                       : interchange::ZipMethod::Stored);
  }
  writer.commit();
}

}  // namespace notape
