// bench/models/torch_steps.py has the same for PyTorch.
#include "paper_examples/models/workload.h"

#include <algorithm>

#include "ops/ops.h"
#include "paper_examples/models/alexnet.h"
#include "paper_examples/models/gnmt.h"
#include "paper_examples/models/mobilenet.h"
#include "paper_examples/models/ncf.h"
#include "paper_examples/models/resnet.h"
#include "paper_examples/models/transformer.h"
#include "paper_examples/models/vgg.h"
#include "paper_examples/nn/clip_grad.h"
#include "paper_examples/optim/adam.h"
#include "paper_examples/optim/sgd.h"

namespace notape::models {
namespace {

using Batch = Workload::Batch;

std::function<std::unique_ptr<optim::Optimizer>()> sgd(const std::shared_ptr<nn::Module>& model,
                                                       double rate, double decay = 1e-4) {
  return [=] {
    return std::make_unique<optim::SGD>(model->parameters(),
                                        optim::SGDOptions(rate).momentum(0.9).weight_decay(decay));
  };
}

std::function<std::unique_ptr<optim::Optimizer>()> adam(const std::shared_ptr<nn::Module>& model,
                                                        const optim::AdamOptions& options) {
  return [=] { return std::make_unique<optim::Adam>(model->parameters(), options); };
}

int64_t samples_of(const Batch& batch) { return batch[0].size(0); }

/// What a classifier of images is called with.
struct Images {
  int64_t size, classes;
  ImageModelOptions options;

  Images(Scale scale, int64_t tiny_size, double tiny_width)
      : size(scale == Scale::Tiny ? tiny_size : 224),
        classes(scale == Scale::Tiny ? 10 : 1000),
        options(classes) {
    if (scale == Scale::Tiny) options.width_mult(tiny_width).dropout(0);
  }
};

/// `gflop`: of a step, per image at 224 x 224.
template <typename Model>
Workload classification(const Images& images, const Model& model, double gflop) {
  Workload result;
  result.model = model.ptr();
  result.draw_batch = [=](int64_t samples) -> Batch {
    return {rand({samples, 3, images.size, images.size}), randint(images.classes, {samples})};
  };
  result.loss = [=](const Batch& batch) { return cross_entropy(model(batch[0]), batch[1]); };
  result.units = samples_of;
  result.flop = [=](const Batch& batch) {
    return gflop * 1e9 * static_cast<double>(samples_of(batch));
  };
  return result;
}

Workload alexnet(Scale scale) {
  const Images images(scale, 64, 1.0 / 16);
  Workload result = classification(images, AlexNet(images.options), 4.144);
  result.make_optimizer = sgd(result.model, 0.01);
  return result;
}

Workload vgg19_(Scale scale) {
  const Images images(scale, 32, 1.0 / 32);
  Workload result = classification(images, vgg19(images.options), 117.6);
  result.make_optimizer = sgd(result.model, 0.01);
  return result;
}

Workload resnet50_(Scale scale) {
  const Images images(scale, 64, 1.0 / 16);
  Workload result = classification(images, resnet50(images.options), 24.3);
  result.make_optimizer = sgd(result.model, 0.1);
  return result;
}

Workload resnet18_(Scale scale) {
  const Images images(scale, 64, 1.0 / 16);
  Workload result = classification(images, resnet18(images.options), 10.65);
  result.make_optimizer = sgd(result.model, 0.1);
  return result;
}

Workload mobilenetv2(Scale scale) {
  const Images images(scale, 64, 0.25);
  Workload result = classification(images, MobileNetV2(images.options), 1.78);
  result.make_optimizer = sgd(result.model, 0.045, 4e-5);
  return result;
}

/// Between both, in an order that mixes short and long; the same in every run.
std::vector<int64_t> lengths_between(int64_t low, int64_t high, int64_t count) {
  std::vector<int64_t> result;
  for (int64_t i = 0; i < count; ++i) result.push_back(low + i * 7 % (high - low + 1));
  return result;
}

/// (longest, count), random words and then padding.
Tensor sentences(const std::vector<int64_t>& lengths, int64_t vocab_size) {
  const int64_t longest = *std::max_element(lengths.begin(), lengths.end());
  const Tensor words = randint(4, vocab_size, {longest, static_cast<int64_t>(lengths.size())});
  return words.masked_fill(arange(longest).unsqueeze(1) >= tensor(lengths), GNMTOptions::kPad);
}

double words_in(const Tensor& words) { return words.ne(GNMTOptions::kPad).sum().item(); }

/// Multiplications and additions for one word: of the encoder, and of the decoder with attention to
/// `steps` words of the source; padding counts as words.
struct GNMTWork {
  double encoder, decoder;
  GNMTWork(const GNMTOptions& o, double steps) {
    const auto h = static_cast<double>(o.hidden_size()), v = static_cast<double>(o.vocab_size()),
               layers = static_cast<double>(o.num_layers());
    const auto lstm = [&](double in) { return 8 * h * (in + h); };
    encoder = 2 * lstm(h) + lstm(2 * h) + (layers - 2) * lstm(h) + 2 * h * h;
    decoder = lstm(h) + (layers - 1) * lstm(2 * h) + 2 * h * h + 2 * h * v + 4 * steps * h;
  }
};

Workload gnmt(Scale scale) {
  struct Sizes {
    int64_t vocab, hidden;
    double dropout;
    int64_t shortest, longest;
  };
  const Sizes sizes = scale == Scale::Paper   ? Sizes{32320, 1024, 0.2, 27, 27}
                      : scale == Scale::Small ? Sizes{1500, 96, 0.2, 5, 14}
                                              : Sizes{23, 8, 0, 2, 7};
  const auto options = GNMTOptions(sizes.vocab).hidden_size(sizes.hidden).dropout(sizes.dropout);
  const GNMT model(options);
  Workload result;
  result.model = model.ptr();
  result.draw_batch = [=](int64_t samples) -> Batch {
    std::vector<int64_t> lengths = lengths_between(sizes.shortest, sizes.longest, samples);
    const Tensor source = sentences(lengths, sizes.vocab), count = tensor(lengths);
    std::reverse(lengths.begin(), lengths.end());
    return {source, count, sentences(lengths, sizes.vocab)};
  };
  result.loss = [=](const Batch& batch) {
    const Tensor &target = batch[2], next = target.slice(0, 1);
    const Tensor scores = model(batch[0], batch[1].to(kCPU), target.slice(0, 0, -1));
    return label_smoothing_loss(scores, next);
  };
  result.make_optimizer = adam(result.model, optim::AdamOptions(2e-3));
  result.clip_norm = 5;
  result.units = [](const Batch& batch) {
    return static_cast<int64_t>(words_in(batch[0]) + words_in(batch[2].slice(0, 1)));
  };
  result.flop = [=](const Batch& batch) {
    const GNMTWork work(options, static_cast<double>(batch[0].size(0)));
    return 3 * (static_cast<double>(batch[0].numel()) * work.encoder +
                static_cast<double>(batch[2].slice(0, 1).numel()) * work.decoder);
  };
  return result;
}

Workload ncf(Scale scale) {
  const auto options = scale == Scale::Paper ? NCFOptions()
                       : scale == Scale::Small
                           ? NCFOptions(671, 9066)
                           : NCFOptions(13, 17).mf_dim(4).mlp_layer_sizes({16, 8, 4}).dropout(0);
  const NCF model(options);
  Workload result;
  result.model = model.ptr();
  result.draw_batch = [=](int64_t samples) -> Batch {
    return {randint(options.users(), {samples}), randint(options.items(), {samples}),
            randint(2, {samples}).to(kFloat32)};
  };
  result.loss = [=](const Batch& batch) {
    return binary_cross_entropy_with_logits(model(batch[0], batch[1]), batch[2]);
  };
  result.make_optimizer = adam(result.model, optim::AdamOptions(4.5e-3).betas({0.25, 0.5}));
  result.units = samples_of;
  result.flop = [=](const Batch& batch) {
    double products = 0;
    for (const Tensor& one : model->mlp->parameters())
      if (one.dim() == 2) products += static_cast<double>(one.numel());
    products += static_cast<double>(model->final->weight.numel());
    return 6 * products * static_cast<double>(samples_of(batch));
  };
  return result;
}

Workload transformer(Scale scale) {
  const auto options =
      scale == Scale::Tiny
          ? TransformerOptions(19).d_model(8).nhead(2).num_layers(2).max_length(6).dropout(0)
          : TransformerOptions();
  const Transformer model(options);
  Workload result;
  result.model = model.ptr();
  result.draw_batch = [=](int64_t samples) -> Batch {
    return {randint(options.vocab_size(), {options.max_length() + 1, samples})};
  };
  result.loss = [=](const Batch& batch) {
    const Tensor scores = model(batch[0].slice(0, 0, -1));
    return cross_entropy(scores.flatten(0, 1), batch[0].slice(0, 1).flatten());
  };
  result.make_optimizer = adam(result.model, optim::AdamOptions(1e-3));
  result.units = [](const Batch& batch) { return batch[0].slice(0, 1).numel(); };
  result.flop = [=](const Batch& batch) {
    const auto width = static_cast<double>(options.d_model()),
               length = static_cast<double>(options.max_length());
    // Projections and the perceptron, scores and their weighted means, and what guesses the word.
    const double layer = 12 * width * width + 2 * length * width;
    return 6 *
           (static_cast<double>(options.num_layers()) * layer +
            width * static_cast<double>(options.vocab_size())) *
           static_cast<double>(batch[0].slice(0, 1).numel());
  };
  return result;
}

}  // namespace

const std::vector<WorkloadKind>& workloads() {
  static const std::vector<WorkloadKind> all = {
      {"alexnet", "AlexNet", "img/s", 128, 32, alexnet},
      {"vgg19", "VGG-19", "img/s", 64, 4, vgg19_},
      {"resnet50", "ResNet-50", "img/s", 64, 8, resnet50_},
      {"mobilenetv2", "MobileNetV2", "img/s", 64, 8, mobilenetv2},
      {"gnmt", "GNMTv2", "tok/s", 128, 64, gnmt},
      {"ncf", "NCF", "smp/s", 1 << 20, 1 << 14, ncf},
      {"resnet18", "ResNet-18", "img/s", 64, 16, resnet18_},
      {"transformer", "Transformer", "tok/s", 64, 8, transformer},
  };
  return all;
}

const WorkloadKind& find_workload(const std::string& name) {
  std::string known;
  for (const WorkloadKind& kind : workloads()) {
    if (name == kind.name) return kind;
    known += (known.empty() ? "" : ", ") + std::string(kind.name);
  }
  throw ValueError("there is no model '{}': there are {}", name, known);
}

Tensor train_step(const Workload& workload, const Batch& batch, optim::Optimizer& optimizer) {
  optimizer.zero_grad();
  Tensor loss = workload.loss(batch);
  loss.backward();
  if (workload.clip_norm)
    nn::utils::clip_grad_norm_(workload.model->parameters(), *workload.clip_norm);
  optimizer.step();
  return loss;
}

}  // namespace notape::models
