// 2019 paper, Listing 1, "a custom layer used as a building block for a simple but complete neural
// network":
//
//   class LinearLayer(Module):                   class FullBasicModel(nn.Module):
//     def __init__(self, in_sz, out_sz):           def __init__(self):
//       super().__init__()                           super().__init__()
//       t1 = torch.randn(in_sz, out_sz)              self.conv = nn.Conv2d(1, 128, 3)
//       self.w = nn.Parameter(t1)                    self.fc = LinearLayer(128, 10)
//       t2 = torch.randn(out_sz)
//       self.b = nn.Parameter(t2)                  def forward(self, x):
//                                                    t1 = self.conv(x)
//     def forward(self, activations):                t2 = nn.functional.relu(t1)
//       t = torch.mm(activations, self.w)            t3 = self.fc(t1)
//       return t + self.b                            return nn.functional.softmax(t3)
//
// The literal port stops at mm, which gets the 4-d output of the convolution. The corrected one
// trains on the 8 x 8 digits of data/README.md (E. Alpaydin and C. Kaynak, UCI Machine Learning
// Repository). Task, optimizer and all numbers below are ours; the paper names none.
#include "paper_examples/pytorch2019/listing1.h"

#include <chrono>
#include <cmath>

#include "ops/ops.h"
#include "paper_examples/data/digits.h"
#include "paper_examples/data/find_data.h"
#include "paper_examples/nn/conv.h"
#include "paper_examples/optim/sgd.h"
#include "paper_examples/programs.h"
#include "paper_examples/support/example_options.h"
#include "paper_examples/support/median.h"
#include "paper_examples/support/report.h"

namespace notape::paper {
namespace {

namespace literal {

struct LinearLayerImpl : nn::Module {
  LinearLayerImpl(int64_t in_sz, int64_t out_sz) {
    Tensor t1 = randn({in_sz, out_sz});
    w = register_parameter("w", t1);
    Tensor t2 = randn({out_sz});
    b = register_parameter("b", t2);
  }
  Tensor forward(const Tensor& activations) {
    Tensor t = mm(activations, w);
    return t + b;
  }
  Tensor w, b;
};
using LinearLayer = nn::ModuleHolder<LinearLayerImpl>;

struct FullBasicModel : nn::Module {
  Tensor forward(const Tensor& x) {
    Tensor t1 = conv(x);
    Tensor t2 = relu(t1);
    Tensor t3 = fc(t1);
    return softmax(t3, 1);
  }
  nn::Conv2d conv = register_module("conv", nn::Conv2d(1, 128, 3));
  LinearLayer fc = register_module("fc", LinearLayer(128, 10));
};

}  // namespace literal

namespace corrected {

struct LinearLayerImpl : nn::Module {
  LinearLayerImpl(int64_t in_sz, int64_t out_sz) {
    const double scale = std::sqrt(1.0 / static_cast<double>(in_sz));
    w = register_parameter("w", randn({in_sz, out_sz}) * scale);
    b = register_parameter("b", randn({out_sz}) * scale);
  }
  Tensor forward(const Tensor& activations) { return mm(activations, w) + b; }
  Tensor w, b;
};
using LinearLayer = nn::ModuleHolder<LinearLayerImpl>;

struct FullBasicModel : nn::Module {
  explicit FullBasicModel(Listing1Join how = Listing1Join::Mean)
      : join(how),
        fc(register_module("fc", LinearLayer(how == Listing1Join::Mean ? 128 : 128 * 36, 10))) {}
  /// (N, 1, 8, 8) -> class probabilities (N, 10); any height and width for Mean
  Tensor forward(const Tensor& x) {
    Tensor t1 = conv(x);   // (N, 128, 6, 6)
    Tensor t2 = relu(t1);  // joined: (N, 128) or (N, 4608)
    Tensor t3 = fc(join == Listing1Join::Mean ? t2.mean({2, 3}) : t2.flatten(1));  // (N, 10)
    return softmax(t3, 1);
  }
  Listing1Join join;
  nn::Conv2d conv = register_module("conv", nn::Conv2d(1, 128, 3));
  LinearLayer fc;
};

}  // namespace corrected

constexpr const char* kDifferences[] = {
    "fc gets the ReLU's result t2; as printed it gets t1 and t2 is never used",
    "t2 is averaged over height and width: mm wants (N, 128), not (N, 128, H, W)",
    "softmax along dimension 1; as printed the dimension is left open",
    "weights scaled by sqrt(1 / in_sz); as printed they have variance 1",
    "both classes derive from nn::Module; as printed one from Module, one from nn.Module",
    "no dropout, which the text mentions and the listing lacks, either",
};

double accuracy(corrected::FullBasicModel& model, const data::Dataset& images) {
  const NoGradGuard no_grad;
  const Tensor right = model.forward(images.data).argmax(1) == images.target;
  return right.to(kFloat64).mean().item();
}

}  // namespace

Listing1Result train_listing1(std::ostream& out, const data::Dataset& digits,
                              const Listing1Options& options) {
  manual_seed(options.seed);
  const auto [train, test] = data::random_split(digits, digits.size() * 4 / 5);
  corrected::FullBasicModel model(options.join);
  optim::SGD optimizer(model.parameters(), optim::SGDOptions(options.learning_rate).momentum(0.9));

  fmt::print(out, "    {:>5}  {:>10}  {:>13}  {:>7}\n", "epoch", "train loss", "test accuracy",
             "seconds");
  Listing1Result result{};
  for (int64_t epoch = 1; epoch <= options.epochs; ++epoch) {
    const auto start = std::chrono::steady_clock::now();
    const double progress = static_cast<double>(epoch - 1) / static_cast<double>(options.epochs);
    optimizer.options().lr(options.learning_rate * (1 - progress));
    double sum_of_losses = 0;
    for (const auto& [images, classes] : data::ShuffledBatches(train, 64)) {
      optimizer.zero_grad();
      const Tensor probabilities = model.forward(images);
      const Tensor loss = nll_loss(log(probabilities + 1e-12), classes);
      loss.backward();
      optimizer.step();
      sum_of_losses += loss.item() * static_cast<double>(images.size(0));
    }
    const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - start;
    result.seconds += elapsed.count();
    result.last_loss = sum_of_losses / static_cast<double>(train.size());
    if (epoch % 10 != 0 && epoch != 1 && epoch != options.epochs) continue;
    result.test_accuracy = accuracy(model, test);
    fmt::print(out, "    {:>5}  {:>10.3f}  {:>11.1f} %  {:>7.1f}\n", epoch, result.last_loss,
               100 * result.test_accuracy, result.seconds);
    out.flush();
  }
  return result;
}

int listing1(std::ostream& out, const ExampleOptions& options) {
  Report report;
  const data::Dataset digits = data::read_digits(data::find_data("digits.csv.gz"));

  manual_seed(2019);
  fmt::print(out, "As printed, on one digit:\n");
  literal::FullBasicModel model;
  const Tensor one = digits.data.slice(0, 0, 1);
  report.add("ShapeError at mm as printed",
             kind_of_error(out, [&] { model.forward(one); }) + " at mm as printed");

  fmt::print(out, "\nCorrected:\n");
  for (const char* difference : kDifferences) fmt::print(out, "  - {}\n", difference);

  const bool is_full = options.size != ExampleSize::Quick;
  Listing1Options mean{.epochs = is_full ? 120 : 5};
  Listing1Options flatten{
      .epochs = is_full ? 30 : 5, .join = Listing1Join::Flatten, .learning_rate = 0.5};
  std::vector<double> with_mean, with_flatten;
  double seconds = 0;
  const auto train = [&](const Listing1Options& how, std::vector<double>& accuracies) {
    const Listing1Result result = train_listing1(out, digits, how);
    accuracies.push_back(100 * result.test_accuracy);
    seconds += result.seconds;
  };
  for (const uint64_t seed : options.all_seeds()) {
    mean.seed = flatten.seed = seed;
    fmt::print(out,
               "\nTraining on 4/5 of {} digits, loss -log(p + 1e-12), batches of 64, SGD with\n"
               "momentum 0.9 and a learning rate that falls from {} to 0, seed {}:\n",
               digits.size(), mean.learning_rate, seed);
    train(mean, with_mean);
    fmt::print(out, "\nVariant: t2 flattened to (N, 4608), a learning rate that falls from {}:\n",
               flatten.learning_rate);
    train(flatten, with_flatten);
  }
  fmt::print(out,
             "Digits: E. Alpaydin and C. Kaynak, UCI Machine Learning Repository, CC BY 4.0.\n");

  const auto promise = [&](const char* what, int percent, int64_t epochs, double accuracy) {
    report.add(fmt::format("{} >= {} % in {} epochs", what, percent, epochs),
               fmt::format("{:.1f} %", accuracy), accuracy >= percent);
  };
  // Below all of 12 seeds (listing1.h); of three the median is above 97.
  promise("test accuracy", is_full ? 92 : 15, mean.epochs, median(with_mean));
  promise("flattened",
          !is_full            ? 80
          : options.seeds < 3 ? 95
                              : 97,
          flatten.epochs, median(with_flatten));
  fmt::print(out, "Trained for {:.1f} seconds.\n", seconds);
  return report.conclude(out);
}

}  // namespace notape::paper
