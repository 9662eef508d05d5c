// Autograd mechanics note, "finetuning a pretrained CNN": "it's enough to switch the requires_grad
// flags in the frozen base, and no intermediate buffers will be saved, until the computation gets
// to the last layer".
//
// The base is a small residual network of our own, trained on 8,000 images of clothes
// (Fashion-MNIST: Xiao, Rasul and Vollgraf 2017, MIT licence), the new task 1,000 handwritten
// digits (E. Alpaydin and C. Kaynak, UCI Machine Learning Repository). As a control the same is
// done upon a base that was never trained. The note gives no numbers: all below are ours.
#include "paper_examples/mechanics/finetune.h"

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <functional>
#include <memory>

#include "ops/ops.h"
#include "paper_examples/data/data_loader.h"
#include "paper_examples/data/digits.h"
#include "paper_examples/data/find_data.h"
#include "paper_examples/data/package_file.h"
#include "paper_examples/data/transforms/tensor.h"
#include "paper_examples/nn/batch_norm.h"
#include "paper_examples/nn/conv.h"
#include "paper_examples/nn/linear.h"
#include "paper_examples/nn/state_dict.h"
#include "paper_examples/optim/sgd.h"
#include "paper_examples/programs.h"
#include "paper_examples/support/median.h"
#include "paper_examples/support/report.h"

namespace notape::paper {
namespace {

using data::samplers::RandomSampler;
using data::samplers::SequentialSampler;

constexpr int64_t kTrainDigits = 1000;

nn::Conv2d conv(int64_t in, int64_t out, int64_t kernel, int64_t stride) {
  return nn::Conv2d(
      nn::Conv2dOptions(in, out, kernel).stride(stride).padding(kernel / 2).bias(false));
}

/// Two convolutions and a shortcut around them, which is a third where sizes change. (He et al.
/// 2016)
struct BlockImpl : nn::Module {
  BlockImpl(int64_t in, int64_t out, int64_t stride)
      : conv1(register_module("conv1", conv(in, out, 3, stride))),
        bn1(register_module("bn1", nn::BatchNorm2d(out))),
        conv2(register_module("conv2", conv(out, out, 3, 1))),
        bn2(register_module("bn2", nn::BatchNorm2d(out))) {
    if (in == out && stride == 1) return;
    shortcut_conv = register_module("shortcut_conv", conv(in, out, 1, stride));
    shortcut_bn = register_module("shortcut_bn", nn::BatchNorm2d(out));
  }
  Tensor forward(const Tensor& x) {
    const Tensor around = shortcut_conv ? shortcut_bn(shortcut_conv(x)) : x;
    return relu(bn2(conv2(relu(bn1(conv1(x))))) + around);
  }

  nn::Conv2d conv1;
  nn::BatchNorm2d bn1;
  nn::Conv2d conv2;
  nn::BatchNorm2d bn2;
  nn::Conv2d shortcut_conv = nullptr;
  nn::BatchNorm2d shortcut_bn = nullptr;
};
using Block = nn::ModuleHolder<BlockImpl>;

/// 77,754 parameters
struct PretrainedModel : nn::Module {
  /// (N, 1, 28, 28) -> (N, 64)
  Tensor features(const Tensor& images) {
    const Tensor x = relu(bn1(conv1(images)));      // (N, 16, 14, 14)
    return block3(block2(block1(x))).mean({2, 3});  // of (N, 64, 4, 4)
  }
  Tensor forward(const Tensor& images) { return fc(features(images)); }

  nn::Conv2d conv1 = register_module("conv1", conv(1, 16, 3, 2));
  nn::BatchNorm2d bn1 = register_module("bn1", nn::BatchNorm2d(16));
  Block block1 = register_module("block1", Block(16, 16, 1));
  Block block2 = register_module("block2", Block(16, 32, 2));
  Block block3 = register_module("block3", Block(32, 64, 2));
  nn::Linear fc = register_module("fc", nn::Linear(64, 10));
};

/// Batches of 100 of the first `count` clothes, made by a worker thread.
template <typename Sampler>
auto batches_of(const data::datasets::LazyMNIST& clothes, int64_t count) {
  data::datasets::LazyMNIST copy = clothes;
  return data::make_data_loader(copy.map(data::transforms::Stack<>()),
                                Sampler(static_cast<std::size_t>(count)),
                                data::DataLoaderOptions(100).workers(1).pin_memory(true));
}

double share_right(const Tensor& scores, const Tensor& classes) {
  return (scores.argmax(1) == classes).to(kFloat64).mean().item();
}

/// Where the model is.
Device device_of(const PretrainedModel& model) { return model.fc->weight.device(); }

double accuracy_on_clothes(PretrainedModel& model, const data::datasets::LazyMNIST& clothes,
                           int64_t count) {
  const NoGradGuard no_grad;
  model.eval();
  double sum = 0;
  int64_t batches = 0;
  const auto loader = batches_of<SequentialSampler>(clothes, count);
  for (const auto& [images, classes] : *loader) {
    const Tensor scores = model.forward(images.to(device_of(model), /*non_blocking=*/true));
    sum += share_right(scores.cpu(), classes);
    ++batches;
  }
  return sum / static_cast<double>(batches);
}

void pretrain(std::ostream& out, PretrainedModel& model, const FinetuneData& data,
              const FinetuneOptions& options) {
  optim::SGD optimizer(model.parameters(),
                       optim::SGDOptions(0.05).momentum(0.9).weight_decay(1e-4));
  const auto loader = batches_of<RandomSampler>(data.clothes, options.pretrain_images);
  for (int64_t epoch = 1; epoch <= options.pretrain_epochs; ++epoch) {
    model.train();
    double sum_of_losses = 0;
    for (const auto& [images, classes] : *loader) {
      optimizer.zero_grad();
      const Device device = device_of(model);
      const Tensor scores = model.forward(images.to(device, /*non_blocking=*/true));
      const Tensor loss = cross_entropy(scores, classes.to(device, /*non_blocking=*/true));
      loss.backward();
      optimizer.step();
      sum_of_losses += loss.item() * static_cast<double>(images.size(0));
    }
    fmt::print(out, "    base, epoch {}: loss {:.3f}, {:.1f} % of {} other clothes\n", epoch,
               sum_of_losses / static_cast<double>(options.pretrain_images),
               100 * accuracy_on_clothes(model, data.other_clothes, options.other_images),
               options.other_images);
    out.flush();
  }
}

/// A model as it was written to a file and read again, on the same device.
std::unique_ptr<PretrainedModel> saved_and_loaded(const PretrainedModel& model) {
  const std::string path =
      (std::filesystem::temp_directory_path() /
       fmt::format("notape-finetune-{}.safetensors", default_generator().clone().seed()))
          .string();
  nn::save(model, path);
  auto loaded = std::make_unique<PretrainedModel>();
  loaded->to(device_of(model));
  nn::load(*loaded, path);
  std::filesystem::remove(path);
  return loaded;
}

/// Never trained, except that its batch norms have seen how the clothes are spread.
std::unique_ptr<PretrainedModel> random_base(const data::datasets::LazyMNIST& clothes,
                                             int64_t count, Device device) {
  const NoGradGuard no_grad;
  auto model = std::make_unique<PretrainedModel>();
  model->to(device);
  const auto loader = batches_of<SequentialSampler>(clothes, count);
  for (const auto& batch : *loader) model->forward(batch.data.to(device, /*non_blocking=*/true));
  return model;
}

/// Trains a new last layer on what `features` makes of the images; its accuracy on the others.
double train_last_layer(const nn::Linear& fc, const std::function<Tensor(const Tensor&)>& features,
                        const data::Dataset& train, const data::Dataset& test, int64_t epochs) {
  optim::SGD optimizer(fc->parameters(), optim::SGDOptions(0.1).momentum(0.9));
  for (int64_t epoch = 0; epoch < epochs; ++epoch)
    for (const auto& [images, classes] : data::ShuffledBatches(train, 50)) {
      optimizer.zero_grad();
      cross_entropy(fc(features(images)), classes).backward();
      optimizer.step();
    }
  const NoGradGuard no_grad;
  return share_right(fc(features(test.data)), test.target);
}

void freeze_and_replace_last_layer(PretrainedModel& model) {
  model.eval();  // the running statistics of the base stay as they are
  for (const Tensor& parameter : model.parameters()) parameter.set_requires_grad(false);
  const Device device = device_of(model);
  model.fc = model.replace_module("fc", nn::Linear(64, 10));
  model.fc->to(device);
}

/// Everything before the last layer.
std::vector<Tensor> base_of(const PretrainedModel& model) {
  std::vector<Tensor> tensors;
  for (const auto& [name, tensor] : model.named_state())
    if (!name.starts_with("fc.")) tensors.push_back(tensor);
  return tensors;
}

/// The same upon bases that were never trained, the median of several: they differ by tens of
/// points. A frozen base makes the same of an image every time, so here that is computed once.
double accuracy_upon_random_bases(const FinetuneData& data, const data::Dataset& train,
                                  const data::Dataset& test, const FinetuneOptions& options) {
  std::vector<double> accuracies;
  for (int i = 0; i < options.random_bases; ++i) {
    const std::unique_ptr<PretrainedModel> model =
        random_base(data.clothes, options.other_images, options.device);
    freeze_and_replace_last_layer(*model);
    accuracies.push_back(train_last_layer(
        model->fc, [](const Tensor& features) { return features; },
        {model->features(train.data), train.target}, {model->features(test.data), test.target},
        options.epochs));
  }
  return median(accuracies);
}

FinetuneData read_data() {
  const std::filesystem::path folder =
      data::find_package_file("dataset-fashion-mnist",
                              "usr/share/datasets/fashion-mnist/train-images-idx3-ubyte.gz")
          .parent_path();
  using data::datasets::MNISTFiles;
  data::Dataset digits = data::read_digits(data::find_data("digits.csv.gz"));
  digits.data = upsample_bilinear2d(digits.data, 28, /*align_corners=*/false);
  return {data::datasets::LazyMNIST(MNISTFiles::in(folder, "train")),
          data::datasets::LazyMNIST(MNISTFiles::in(folder, "t10k")), digits};
}

}  // namespace

FinetuneResult train_finetune(std::ostream& out, const FinetuneData& data,
                              const FinetuneOptions& options) {
  const auto start = std::chrono::steady_clock::now();
  manual_seed(options.seed);
  const auto [train_on_cpu, test_on_cpu] = data::random_split(data.digits, kTrainDigits);
  const data::Dataset train = train_on_cpu.to(options.device),
                      test = test_on_cpu.to(options.device);
  PretrainedModel trained;
  trained.to(options.device);
  pretrain(out, trained, data, options);
  FinetuneResult result{};
  result.base_accuracy = accuracy_on_clothes(trained, data.other_clothes, options.other_images);

  const auto say = [&](const char* base, double accuracy) {
    fmt::print(out, "    new last layer upon {}: {:.1f} % of {} other digits\n", base,
               100 * accuracy, test.size());
    out.flush();
  };
  const std::unique_ptr<PretrainedModel> model = saved_and_loaded(trained);
  freeze_and_replace_last_layer(*model);
  result.frozen_accuracy = train_last_layer(
      model->fc, [&](const Tensor& images) { return model->features(images); }, train, test,
      options.epochs);
  say("the trained base", result.frozen_accuracy);
  const std::vector<Tensor> before = base_of(trained), after = base_of(*model);
  result.base_unchanged = std::ranges::equal(
      before, after, [](const Tensor& a, const Tensor& b) { return a.equal(b); });
  result.random_accuracy = accuracy_upon_random_bases(data, train, test, options);
  say("a random base", result.random_accuracy);
  const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - start;
  result.seconds = elapsed.count();
  return result;
}

int finetune(std::ostream& out, const ExampleOptions& options) {
  const FinetuneData data = read_data();
  int64_t parameters = 0;
  for (const Tensor& parameter : PretrainedModel().parameters()) parameters += parameter.numel();
  fmt::print(out,
             "A residual network of {} parameters is trained on 8,000 images of clothes, saved,\n"
             "loaded and frozen; a new last layer learns 1,000 digits (8 x 8, made 28 x 28).\n",
             parameters);
  std::vector<double> frozen, gain;
  bool base_unchanged = true;
  double seconds = 0;
  for (const uint64_t seed : options.all_seeds()) {
    fmt::print(out, "\nSeed {}:\n", seed);
    const FinetuneResult result =
        train_finetune(out, data, {.seed = seed, .device = options.device});
    frozen.push_back(100 * result.frozen_accuracy);
    gain.push_back(100 * (result.frozen_accuracy - result.random_accuracy));
    base_unchanged = base_unchanged && result.base_unchanged;
    seconds += result.seconds;
  }
  fmt::print(
      out,
      "\nClothes: Fashion-MNIST, Zalando SE, MIT licence. Digits: E. Alpaydin and C. Kaynak,\n"
      "UCI Machine Learning Repository, CC BY 4.0.\n");

  Report report;
  report.add("77754 parameters", fmt::format("{} parameters", parameters));
  report.add("digits >= 75 %", fmt::format("{:.1f} % in {:.1f} s", median(frozen), seconds),
             median(frozen) >= 75);
  report.add("25 points above a random base", fmt::format("{:.1f} points above", median(gain)),
             median(gain) >= 25);
  report.add_fact("base unchanged", base_unchanged);
  return report.conclude(out);
}

}  // namespace notape::paper
