// MNIST and what comes in its form, Fashion-MNIST for instance. (LeCun, Cortes and Burges;
// LibTorch: torch::data::datasets::MNIST)
#pragma once
#include <filesystem>
#include <string>

#include "paper_examples/data/datasets/base.h"
#include "paper_examples/data/idx.h"

namespace notape::data::datasets {

/// Where the two files of one part are; their numbers of items agree, and classes are 0 to 9.
struct MNISTFiles {
  std::filesystem::path images, labels;

  /// train-images-idx3-ubyte and train-labels-idx1-ubyte in the folder, or t10k-..., as they are or
  /// with .gz. Throws FileError naming the first that is missing.
  static MNISTFiles in(const std::filesystem::path& folder, const std::string& part);
};

/// All of it in memory, as floats. LibTorch demands 60,000 and 10,000 images of 28 x 28; here any
/// number and size will do.
class MNIST : public Dataset<MNIST> {
 public:
  enum class Mode { kTrain, kTest };

  /// Throws FileError, naming file and byte, for files that are not what they should be.
  explicit MNIST(const std::string& root, Mode mode = Mode::kTrain);

  /// An image (1, H, W), float32, 0 to 1, and its class, int64.
  Example<> get(std::size_t index) override;
  std::optional<std::size_t> size() const override;
  bool is_train() const { return mode_ == Mode::kTrain; }
  const Tensor& images() const { return images_; }    // (N, 1, H, W)
  const Tensor& targets() const { return targets_; }  // (N)

 private:
  Mode mode_;
  Tensor images_, targets_;
};

/// The same examples, read from the file when they are asked for: images that are not gzip may be
/// more than memory holds.
class LazyMNIST : public Dataset<LazyMNIST> {
 public:
  /// Throws what MNIST throws.
  explicit LazyMNIST(const MNISTFiles& files);

  Example<> get(std::size_t index) override;
  std::optional<std::size_t> size() const override;

 private:
  IdxFile images_;
  Tensor targets_;
};

}  // namespace notape::data::datasets
