#include "paper_examples/data/datasets/mnist.h"

#include "ops/ops.h"

namespace notape::data::datasets {
namespace {

constexpr int64_t kClasses = 10;

std::filesystem::path plain_or_gz(const std::filesystem::path& path) {
  std::error_code error;
  for (const std::string& each : {path.string(), path.string() + ".gz"})
    if (std::filesystem::exists(each, error)) return each;
  throw FileError("{}: no such file, nor {}.gz", path.string(), path.string());
}

IdxFile checked(const IdxFile& images, const Tensor& targets, const MNISTFiles& files) {
  if (images.sizes().size() != 3)
    throw FileError("{}: byte 3: {} dimensions; images have three", files.images.string(),
                    images.sizes().size());
  if (images.size() != targets.size(0))
    throw FileError("{}: byte 4: {} images, and {} has {} classes", files.images.string(),
                    images.size(), files.labels.string(), targets.size(0));
  return images;
}

/// Bytes as numbers from 0 to 1.
Tensor from_bytes(const Tensor& bytes) { return bytes.to(kFloat32).div_(255); }

}  // namespace

MNISTFiles MNISTFiles::in(const std::filesystem::path& folder, const std::string& part) {
  return {plain_or_gz(folder / (part + "-images-idx3-ubyte")),
          plain_or_gz(folder / (part + "-labels-idx1-ubyte"))};
}

MNIST::MNIST(const std::string& root, Mode mode) : mode_(mode) {
  const MNISTFiles files = MNISTFiles::in(root, is_train() ? "train" : "t10k");
  targets_ = read_idx_labels(files.labels, kClasses);
  images_ = from_bytes(checked(IdxFile(files.images), targets_, files).all()).unsqueeze_(1);
}

Example<> MNIST::get(std::size_t index) {
  const int64_t i = static_cast<int64_t>(index);
  return {images_[i], targets_[i]};
}

std::optional<std::size_t> MNIST::size() const { return static_cast<std::size_t>(images_.size(0)); }

LazyMNIST::LazyMNIST(const MNISTFiles& files)
    : images_(files.images), targets_(read_idx_labels(files.labels, kClasses)) {
  checked(images_, targets_, files);
}

Example<> LazyMNIST::get(std::size_t index) {
  const int64_t i = static_cast<int64_t>(index);
  return {from_bytes(images_.item(i)).unsqueeze_(0), targets_[i]};
}

std::optional<std::size_t> LazyMNIST::size() const {
  return static_cast<std::size_t>(images_.size());
}

}  // namespace notape::data::datasets
