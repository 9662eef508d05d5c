// Files of another format, passed by mistake: each reader says what they seem to be.
#include <gtest/gtest.h>

#include "autograd/interchange/npy.h"
#include "autograd/interchange/safetensors.h"
#include "autograd/interchange/saved_tensors.h"
#include "autograd/interchange/testing/scratch.h"
#include "ops/ops.h"

namespace notape {
namespace {

using namespace notape::testing;
using namespace std::string_literals;

TEST(KnownFormat, IsNamedByEveryReader) {
  const TemporaryFolder folder;
  const std::string path = folder / "x";
  save_npy(folder / "array", ones({2}));
  save_npz(folder / "arrays", {{"a", ones({2})}});
  save_safetensors(folder / "tensors", {{"a", ones({2})}});
  const std::string zeros(64, '\0');
  const struct {
    std::string bytes, seems;
  } files[] = {
      {"", "empty"},
      {bytes_of(folder / "array"), "a NumPy array, .npy"},
      {bytes_of(folder / "arrays"), "a zip archive, as torch.save() writes them, or numpy.savez()"},
      {bytes_of(folder / "tensors"), "a safetensors file"},
      // torch.save(x, path, _use_new_zipfile_serialization=False)
      {"\x80\x02\x8a\nl\xfc\x9c\x46\xf9 j\xa8P\x19."s + zeros,
       "a Python pickle, as torch.save() wrote them before PyTorch 1.6"},
      {"\x80\x04\x95\x05\0\0\0\0\0\0\0K\x01."s + zeros, "a Python pickle"},
      {"\x89HDF\r\n\x1a\n"s + zeros, "an HDF5 file"},
      {"\x1f\x8b\x08\0\0\0\0\0"s + zeros, "compressed by gzip"},
      {"epoch,loss\n1,0.5\n", "text"},
  };
  const std::pair<const char*, std::function<void()>> readers[] = {
      {"a NumPy array, .npy", [&] { load_npy(path); }},
      {"a zip archive, as torch.save() writes them, or numpy.savez()", [&] { load_npz(path); }},
      {"a safetensors file", [&] { load_safetensors(path); }},
      {"", [&] {
         Tensor tensor;
         load(tensor, path);
       }}};
  for (const auto& [bytes, seems] : files)
    for (const auto& [own, read] : readers) {
      SCOPED_TRACE(seems + " as " + own);
      put_bytes(path, bytes);
      if (seems == own) continue;
      const bool is_of_save = *own == '\0' && seems == "a safetensors file";
      expect_error<FileError>(is_of_save ? "was not written by save()"
                              : seems == "empty" && std::string(own).starts_with("a NumPy")
                                  ? "truncated"
                                  : seems,
                              read);
    }
}

TEST(KnownFormat, AFileOfTorchSaveIsNoNpz) {
  const TemporaryFolder folder;
  save_npz(folder / "x", {{"archive/data", ones({1})}});
  std::string bytes = bytes_of(folder / "x");
  for (std::size_t at = 0; (at = bytes.find("data.npy")) != std::string::npos;)
    bytes.replace(at, 8, "data.pkl");
  put_bytes(folder / "y", bytes);
  expect_error<FileError>("torch.save() has written this", [&] { load_npz(folder / "y"); });
}

}  // namespace
}  // namespace notape
