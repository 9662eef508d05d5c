// torch::data: data sets of one's own and MNIST, samplers, transforms, and a loader with workers.
#include <torch/torch.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <stdexcept>
#include <string>
#include <vector>

/// Example i is (i, i + 0.5) with class i % 3.
class Numbers : public torch::data::Dataset<Numbers> {
 public:
  explicit Numbers(size_t size) : size_(size) {}
  torch::data::Example<> get(size_t index) override {
    if (index == fails_at) throw std::runtime_error("no such number");
    const double number = static_cast<double>(index);
    return {torch::tensor({number, number + 0.5}, torch::kFloat32),
            torch::tensor(static_cast<int64_t>(index % 3), torch::kInt64)};
  }
  torch::optional<size_t> size() const override { return size_; }
  size_t fails_at = 1000;

 private:
  size_t size_;
};

/// Makes batches whole.
struct Squares : torch::data::BatchDataset<Squares, std::vector<int64_t>> {
  std::vector<int64_t> get_batch(torch::ArrayRef<size_t> indices) override {
    std::vector<int64_t> batch;
    for (size_t index : indices) batch.push_back(static_cast<int64_t>(index * index));
    return batch;
  }
  torch::optional<size_t> size() const override { return 7; }
};

using Stack = torch::data::transforms::Stack<>;

void in_order(size_t workers) {
  auto loader = torch::data::make_data_loader<torch::data::samplers::SequentialSampler>(
      Numbers(7).map(Stack()), torch::data::DataLoaderOptions(3).workers(workers));
  for (auto& batch : *loader)
    std::cout << batch.data.sizes() << " " << batch.data.sum().item<float>() << " "
              << batch.target.sum().item<int64_t>() << "\n";
}

void shuffled() {
  auto data_set = Numbers(50)
                      .map(torch::data::transforms::Lambda<torch::data::Example<>>(
                          [](torch::data::Example<> example) {
                            example.data = example.data * 2;
                            return example;
                          }))
                      .map(Stack());
  auto loader = torch::data::make_data_loader(
      std::move(data_set), torch::data::DataLoaderOptions().batch_size(8).drop_last(true));
  size_t batches = 0;
  std::vector<float> numbers;
  for (const auto& batch : *loader) {
    ++batches;
    for (int64_t i = 0; i < batch.data.size(0); ++i)
      numbers.push_back(batch.data[i][0].item<float>());
  }
  std::sort(numbers.begin(), numbers.end());
  std::cout << batches << " batches of " << loader->options().batch_size << ", all different: "
            << (std::adjacent_find(numbers.begin(), numbers.end()) == numbers.end()) << "\n";
}

void failing() {
  Numbers numbers(10);
  numbers.fails_at = 4;
  auto loader = torch::data::make_data_loader<torch::data::samplers::SequentialSampler>(
      numbers.map(Stack()), torch::data::DataLoaderOptions(2).workers(2));
  try {
    for (auto& batch : *loader) std::cout << batch.data[0][0].item<float>() << " ";
  } catch (torch::data::WorkerException& error) {
    try {
      std::rethrow_exception(error.original_exception);
    } catch (std::exception& original) {
      std::cout << "then: " << original.what() << "\n";
    }
  }
}

template <typename Sampler>
void print_indices(Sampler sampler) {
  while (auto batch = sampler.next(2)) {
    for (size_t index : *batch) std::cout << index << " ";
    std::cout << "| ";
  }
  std::cout << "\n";
}

void write_idx(const std::string& path, const std::vector<uint32_t>& sizes, size_t factor) {
  std::string bytes{0, 0, 8, static_cast<char>(sizes.size())};
  size_t count = 1;
  for (uint32_t size : sizes) {
    for (int shift : {24, 16, 8, 0}) bytes += static_cast<char>(size >> shift);
    count *= size;
  }
  for (size_t i = 0; i < count; ++i)
    bytes += static_cast<char>(sizes.size() == 1 ? i % 10 : i * factor % 251);
  std::ofstream(path, std::ios::binary) << bytes;
}

void mnist() {
  using torch::data::datasets::MNIST;
  std::string folder = (std::filesystem::temp_directory_path() / "mnist-XXXXXX").string();
  if (!mkdtemp(&folder[0])) throw std::runtime_error("no folder");
  const std::string images = folder + "/t10k-images-idx3-ubyte",
                    labels = folder + "/t10k-labels-idx1-ubyte";
  write_idx(images, {10000, 28, 28}, 7);
  write_idx(labels, {10000}, 1);
  MNIST test(folder, MNIST::Mode::kTest);
  std::remove(images.c_str());
  std::remove(labels.c_str());
  std::remove(folder.c_str());
  std::cout << test.images().sizes() << test.targets().sizes() << " " << test.is_train() << " "
            << test.size().value() << " " << test.targets()[9999].item<int64_t>() << "\n";
  auto loader = torch::data::make_data_loader<torch::data::samplers::SequentialSampler>(
      test.map(torch::data::transforms::Normalize<>(0.1307, 0.3081)).map(Stack()),
      /*options=*/4000);
  for (auto& batch : *loader)
    std::cout << batch.data.sizes() << " " << batch.data[1][0][2][3].item<float>() << "\n";
}

int main() {
  torch::manual_seed(1);
  in_order(0);
  in_order(3);
  shuffled();
  failing();
  auto squares = torch::data::make_data_loader<torch::data::samplers::SequentialSampler>(
      Squares(), torch::data::DataLoaderOptions(4));
  for (auto& batch : *squares) std::cout << batch.size() << ":" << batch.back() << " ";
  std::cout << "\n";

  for (size_t rank : {0, 1, 2}) {
    print_indices(torch::data::samplers::DistributedSequentialSampler(8, 3, rank));
    print_indices(torch::data::samplers::DistributedSequentialSampler(8, 3, rank, false));
  }
  auto shared = torch::data::datasets::make_shared_dataset<Numbers>(5);
  std::cout << shared->size().value() << " " << shared.get_batch({4, 1}).size() << "\n";

  torch::data::datasets::TensorDataset tensors(torch::arange(6).view({3, 2}));
  std::cout << tensors.get(2).data << "\n" << tensors.size().value() << "\n";
  mnist();
}
