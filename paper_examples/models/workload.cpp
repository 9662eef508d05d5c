// bench/models/torch_steps.py has the same for PyTorch.
#include "paper_examples/models/workload.h"

#include <algorithm>

#include "ops/ops.h"
#include "paper_examples/data/translation.h"
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
                                                       double rate, double decay) {
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

/// A classifier of images and how it is trained.
struct Classifier {
  int64_t tiny_size;
  double tiny_width;
  /// Of a step, per image at 224 x 224, as torch.utils.flop_counter has them; of MobileNetV2, where
  /// that takes depthwise filters for full ones, by hand.
  double gflop;
  double rate, decay = 1e-4;

  /// make(options) is the model.
  template <typename Make>
  Workload workload(Scale scale, const Make& make) const {
    const bool is_tiny = scale == Scale::Tiny;
    const int64_t size = is_tiny ? tiny_size : 224, classes = is_tiny ? 10 : 1000;
    ImageModelOptions options(classes);
    if (is_tiny) options.width_mult(tiny_width).dropout(0);
    const auto model = make(options);
    Workload result;
    result.model = model.ptr();
    result.draw_batch = [=](int64_t samples) -> Batch {
      return {rand({samples, 3, size, size}), randint(classes, {samples})};
    };
    result.loss = [=](const Batch& batch) { return cross_entropy(model(batch[0]), batch[1]); };
    result.make_optimizer = sgd(result.model, rate, decay);
    result.units = samples_of;
    result.flop = [gflop = is_tiny ? 0 : gflop](const Batch& batch) {
      return gflop * 1e9 * static_cast<double>(samples_of(batch));
    };
    return result;
  }
};

Workload alexnet(Scale scale) {
  return Classifier{64, 1.0 / 16, 4.1446, 0.01}.workload(
      scale, [](const ImageModelOptions& o) { return AlexNet(o); });
}
Workload vgg19_(Scale scale) {
  return Classifier{32, 1.0 / 32, 117.619, 0.01}.workload(scale, vgg19);
}
Workload resnet50_(Scale scale) {
  return Classifier{64, 1.0 / 16, 24.2991, 0.1}.workload(scale, resnet50);
}
Workload resnet18_(Scale scale) {
  return Classifier{64, 1.0 / 16, 10.6484, 0.1}.workload(scale, resnet18);
}
Workload mobilenetv2(Scale scale) {
  return Classifier{64, 0.25, 1.78, 0.045, 4e-5}.workload(
      scale, [](const ImageModelOptions& o) { return MobileNetV2(o); });
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

/// Multiplications and additions for one word: of the encoder's first layer, which leaves padding
/// out, and of all that does not, the encoder's rest and the decoder with attention to `steps`
/// words.
struct GNMTWork {
  double first, encoder, decoder;
  GNMTWork(const GNMTOptions& o, double steps) {
    const auto h = static_cast<double>(o.hidden_size()), v = static_cast<double>(o.vocab_size()),
               layers = static_cast<double>(o.num_layers());
    const auto lstm = [&](double in) { return 8 * h * (in + h); };
    first = 2 * lstm(h);
    encoder = lstm(2 * h) + (layers - 2) * lstm(h) + 2 * h * h;
    decoder = lstm(h) + (layers - 1) * lstm(2 * h) + 2 * h * h + 2 * h * v + 4 * steps * h;
  }
};

struct GNMTSizes {
  int64_t vocab, hidden;
  double dropout;
  int64_t shortest, longest;
};
GNMTSizes gnmt_sizes(Scale scale) {
  if (scale == Scale::Paper) return {32320, 1024, 0.2, 27, 27};
  if (scale == Scale::Small) return {1500, 96, 0.2, 5, 14};
  return {23, 8, 0, 2, 7};
}

/// Random words, and how many there are of the source.
Batch translation(const std::vector<int64_t>& source, const std::vector<int64_t>& target,
                  int64_t vocab_size) {
  return {sentences(source, vocab_size), tensor(source), sentences(target, vocab_size)};
}

Workload gnmt(Scale scale) {
  const GNMTSizes sizes = gnmt_sizes(scale);
  const auto options = GNMTOptions(sizes.vocab).hidden_size(sizes.hidden).dropout(sizes.dropout);
  const GNMT model(options);
  Workload result;
  result.model = model.ptr();
  result.draw_batch = [=](int64_t samples) -> Batch {
    const std::vector<int64_t> lengths = lengths_between(sizes.shortest, sizes.longest, samples);
    return translation(lengths, {lengths.rbegin(), lengths.rend()}, sizes.vocab);
  };
  result.loss = [=](const Batch& batch) {
    const Tensor &target = batch[2], next = target.slice(0, 1);
    const Tensor scores = model(batch[0], batch[1], target.slice(0, 0, -1));
    return label_smoothing_loss(scores, next);
  };
  result.make_optimizer = adam(result.model, optim::AdamOptions(2e-3));
  result.clip_norm = 5;
  result.lengths = 1;
  result.units = [](const Batch& batch) {
    return static_cast<int64_t>(words_in(batch[0]) + words_in(batch[2].slice(0, 1)));
  };
  result.flop = [=](const Batch& batch) {
    const GNMTWork work(options, static_cast<double>(batch[0].size(0)));
    return 3 *
           (words_in(batch[0]) * work.first + static_cast<double>(batch[0].numel()) * work.encoder +
            static_cast<double>(batch[2].slice(0, 1).numel()) * work.decoder);
  };
  return result;
}

struct Lengths {
  int64_t source, target;
  int64_t longer() const { return std::max(source, target); }
};

/// Of the verse pairs of at most 48 words a side, with a word each for begin and end; short ones
/// first.
std::vector<Lengths> lengths_of_verses() {
  std::vector<Lengths> lengths;
  for (const data::SentencePair& pair : data::sentence_pairs(data::read_bible_pairs(), 1, 48))
    lengths.push_back({std::ssize(pair.source) + 2, std::ssize(pair.target) + 2});
  std::stable_sort(lengths.begin(), lengths.end(),
                   [](const Lengths& a, const Lengths& b) { return a.longer() < b.longer(); });
  return lengths;
}

Workload gnmt_verses(Scale scale) {
  constexpr std::size_t kBuckets = 5;
  Workload result = gnmt(scale);
  result.draw_batches = [vocab = gnmt_sizes(scale).vocab](int64_t samples) {
    const std::vector<Lengths> all = lengths_of_verses();
    std::vector<Batch> batches;
    for (std::size_t i = 0; i < kBuckets; ++i) {
      const auto first = static_cast<int64_t>(all.size() * i / kBuckets),
                 last = static_cast<int64_t>(all.size() * (i + 1) / kBuckets);
      const Tensor places = randint(first, last, {samples});
      std::vector<int64_t> source, target;
      for (int64_t j = 0; j < samples; ++j) {
        const Lengths& one = all[static_cast<std::size_t>(places[j].item<int64_t>())];
        source.push_back(one.source);
        target.push_back(one.target);
      }
      batches.push_back(translation(source, target, vocab));
    }
    return batches;
  };
  return result;
}

NCFOptions ncf_options(Scale scale) {
  if (scale == Scale::Paper) return {};
  if (scale == Scale::Small) return {671, 9066};
  return NCFOptions(13, 17).mf_dim(4).mlp_layer_sizes({16, 8, 4}).dropout(0);
}

Workload ncf(Scale scale) {
  const NCFOptions options = ncf_options(scale);
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

/// Ratings in random order, anew when all have been there, and to each four items drawn unchecked,
/// as examples of what is not rated.
class RatingSampler {
 public:
  RatingSampler(int64_t users, int64_t items, int64_t ratings)
      : items_(items), user_(randint(users, {ratings})), item_(randint(items, {ratings})) {}
  /// A fifth of the samples are ratings.
  Batch draw(int64_t samples) {
    constexpr int64_t kNegatives = 4;
    const int64_t ratings = std::clamp<int64_t>(samples / (1 + kNegatives), 1, user_.size(0));
    if (!order_.defined() || next_ + ratings > order_.size(0)) {
      order_ = randperm(user_.size(0));
      next_ = 0;
    }
    const Tensor chosen = order_.narrow(0, next_, ratings);
    next_ += ratings;
    const Tensor users = user_.index_select(0, chosen);
    const Tensor all_users = users.repeat({1 + kNegatives}),
                 all_items =
                     cat({item_.index_select(0, chosen), randint(items_, {kNegatives * ratings})});
    const Tensor is_rated = cat({ones({ratings}), zeros({kNegatives * ratings})});
    const Tensor order = randperm(all_users.size(0));
    return {all_users.index_select(0, order), all_items.index_select(0, order),
            is_rated.index_select(0, order)};
  }

 private:
  int64_t items_, next_ = 0;
  Tensor user_, item_, order_;
};

/// With as many ratings as there are in the sets that the sizes are those of: MovieLens-20M, and
/// the training part of the small one of 2016.
Workload ncf_sampling(Scale scale) {
  const int64_t ratings = scale == Scale::Paper ? 20'000'263 : scale == Scale::Small ? 99'333 : 60;
  const NCFOptions options = ncf_options(scale);
  Workload result = ncf(scale);
  const auto sampler = std::make_shared<RatingSampler>(options.users(), options.items(), ratings);
  result.draw_batch = [=](int64_t samples) { return sampler->draw(samples); };
  result.draws_each_step = true;
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

const std::vector<WorkloadKind>& workload_variants() {
  static const std::vector<WorkloadKind> all = {
      {"gnmt_verses", "GNMTv2, verses", "tok/s", 128, 64, gnmt_verses},
      {"ncf_sampling", "NCF, sampling", "smp/s", 1 << 20, 1 << 14, ncf_sampling},
  };
  return all;
}

Scale scale_called(const std::string& name) {
  for (const Scale scale : {Scale::Paper, Scale::Small, Scale::Tiny})
    if (name == kScaleNames[static_cast<int>(scale)]) return scale;
  throw ValueError("there is no scale '{}': there are paper, small and tiny", name);
}

const WorkloadKind& find_workload(const std::string& name) {
  std::string known;
  for (const auto* kinds : {&workloads(), &workload_variants()})
    for (const WorkloadKind& kind : *kinds) {
      if (name == kind.name) return kind;
      known += (known.empty() ? "" : ", ") + std::string(kind.name);
    }
  throw ValueError("there is no model '{}': there are {}", name, known);
}

Batch moved(const Workload& workload, Batch batch, Device device) {
  for (std::size_t i = 0; i < batch.size(); ++i)
    if (workload.lengths != i) batch[i] = batch[i].to(device);
  return batch;
}

Tensor train_step(const Workload& workload, const Batch& batch, optim::Optimizer& optimizer) {
  optimizer.zero_grad();
  Tensor loss = workload.loss(batch);
  loss.backward();
  if (workload.clip_norm) {  // without its number, for which a GPU would be waited for
    const std::vector<Tensor> parameters = workload.model->parameters();
    std::vector<Tensor> gradients;
    for (const Tensor& parameter : parameters) gradients.push_back(parameter.grad());
    nn::utils::clip_grads_with_norm_(parameters, *workload.clip_norm,
                                     nn::utils::get_total_norm(gradients));
  }
  optimizer.step();
  return loss;
}

}  // namespace notape::models
