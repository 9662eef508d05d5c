// 2019 paper, Listing 2, "Simplified training of a generative adversarial networks":
//
//   discriminator = create_discriminator()
//   generator = create_generator()
//   optimD = optim.Adam(discriminator.parameters())
//   optimG = optim.Adam(generator.parameters())
//
//   def step(real_sample):
//     # (1) Update Discriminator
//     errD_real = loss(discriminator(real_sample), real_label)
//     errD_real.backward()
//     fake = generator(get_noise())
//     errD_fake = loss(discriminator(fake.detach(), fake_label)
//     errD_fake.backward()
//     optimD.step()
//     # (2) Update Generator
//     errG = loss(discriminator(fake), real_label)
//     errG.backward()
//     optimG.step()
//
// Two backward() calls reach the discriminator in (1), and a third in (2), which is meant for the
// generator; nothing sets gradients to zero, so all of them add up from step to step. The literal
// port shows that; the corrected one learns to draw the 8 x 8 digits of data/README.md. The models,
// the loss and all numbers are ours; the paper names none.
#include "paper_examples/pytorch2019/listing2.h"

#include <chrono>
#include <map>

#include "ops/ops.h"
#include "paper_examples/data/digits.h"
#include "paper_examples/data/find_data.h"
#include "paper_examples/nn/activation.h"
#include "paper_examples/nn/batch_norm.h"
#include "paper_examples/nn/dropout.h"
#include "paper_examples/nn/linear.h"
#include "paper_examples/nn/loss.h"
#include "paper_examples/optim/adam.h"
#include "paper_examples/programs.h"
#include "paper_examples/support/median.h"
#include "paper_examples/support/picture.h"
#include "paper_examples/support/png.h"
#include "paper_examples/support/report.h"

namespace notape::paper {
namespace {

constexpr int64_t kBatch = 64;

constexpr const char* kDifferences[] = {
    "a parenthesis closed after detach(), as in the literal port: as printed it does not parse",
    "the discriminator's gradients set to zero before (1), those that errG left there included",
    "the generator's gradients set to zero before (2)",
};

nn::Sequential create_generator() {
  return nn::Sequential(nn::Linear(32, 128), nn::BatchNorm1d(128), nn::ReLU(), nn::Linear(128, 128),
                        nn::BatchNorm1d(128), nn::ReLU(), nn::Linear(128, 64), nn::Tanh());
}

nn::Sequential create_discriminator() {
  return nn::Sequential(nn::Linear(64, 128), nn::LeakyReLU(0.2), nn::Dropout(0.3),
                        nn::Linear(128, 128), nn::LeakyReLU(0.2), nn::Dropout(0.3),
                        nn::Linear(128, 1));
}

/// The listing, in either form.
struct Gan {
  Gan(Listing2Form f, Device d) : form(f), device(d) {
    discriminator->to(device);
    generator->to(device);
  }

  void step(const Tensor& real_sample) {
    const Tensor real_label = ones({kBatch, 1}, device), fake_label = zeros({kBatch, 1}, device);
    // (1) Update Discriminator
    if (form == Listing2Form::Corrected) optimD.zero_grad();
    errD_real = loss(discriminator(real_sample), real_label.narrow(0, 0, real_sample.size(0)));
    errD_real.backward();
    const Tensor fake = generator(get_noise(kBatch));
    errD_fake = loss(discriminator(fake.detach()), fake_label);
    errD_fake.backward();
    optimD.step();
    // (2) Update Generator
    if (form == Listing2Form::Corrected) optimG.zero_grad();
    errG = loss(discriminator(fake), real_label);
    errG.backward();
    optimG.step();
  }

  Tensor get_noise(int64_t count) const { return randn({count, 32}, device); }

  Listing2Form form;
  Device device;
  nn::Sequential discriminator = create_discriminator();
  nn::Sequential generator = create_generator();
  nn::BCEWithLogitsLoss loss;
  optim::Adam optimD = optim::Adam(discriminator->parameters());
  optim::Adam optimG = optim::Adam(generator->parameters());
  Tensor errD_real, errD_fake, errG;
};

/// Adds up, apart from `.grad`, what each backward() brings to the parameters of a model.
class Contributions {
 public:
  explicit Contributions(const nn::Sequential& model) : parameters_(model->parameters()) {
    for (std::size_t i = 0; i < parameters_.size(); ++i)
      parameters_[i].register_hook([this, i](const Tensor& gradient) {
        Tensor& sum = sums_[i];
        sum = sum.defined() ? sum + gradient : gradient.clone();
        calls_[i] += 1;
      });
  }
  /// How many backward() calls have reached the first parameter.
  int64_t calls() const { return calls_.contains(0) ? calls_.at(0) : 0; }
  /// Whether every `.grad` is the sum of all that came.
  bool all_in_grad() const {
    for (std::size_t i = 0; i < parameters_.size(); ++i)
      if (!sums_.contains(i) || !parameters_[i].grad().equal(sums_.at(i))) return false;
    return true;
  }

 private:
  std::vector<Tensor> parameters_;
  std::map<std::size_t, Tensor> sums_;
  std::map<std::size_t, int64_t> calls_;
};

Tensor samples_of(const Gan& gan, int64_t count) {
  const NoGradGuard no_grad;
  gan.generator->eval();
  const Tensor images = gan.generator(gan.get_noise(count)).cpu();
  gan.generator->train();
  return images;
}

/// What the literal listing adds up in two steps.
void show_what_adds_up(std::ostream& out, Report& report, const data::Dataset& digits,
                       Device device) {
  Gan gan(Listing2Form::Literal, device);
  const Contributions to_discriminator(gan.discriminator), to_generator(gan.generator);
  for (int64_t step = 1; step <= 2; ++step) {
    gan.step(digits.data.narrow(0, step * kBatch, kBatch).to(device));
    fmt::print(out,
               "    after step {}: backward() has reached the discriminator {} times, the "
               "generator {};\n                  their .grad {} the sum of all that came\n",
               step, to_discriminator.calls(), to_generator.calls(),
               to_discriminator.all_in_grad() && to_generator.all_in_grad() ? "is" : "is not");
  }
  report.add("as printed .grad of 2 steps is the sum of 6 and 2 backward()",
             fmt::format("as printed .grad of 2 steps is{} the sum of {} and {} backward()",
                         to_discriminator.all_in_grad() && to_generator.all_in_grad() ? "" : " not",
                         to_discriminator.calls(), to_generator.calls()));
}

}  // namespace

Listing2Result train_listing2(std::ostream& out, const data::Dataset& digits,
                              const DigitJudge& judge, const Listing2Options& options) {
  manual_seed(options.seed);
  Gan gan(options.form, options.device);
  fmt::print(out, "    {:>5}  {:>9}  {:>9}  {:>9}  {:>5}  {:>14}  {:>7}\n", "epoch", "errD_real",
             "errD_fake", "errG", "score", "smallest class", "seconds");
  Listing2Result result{};
  for (int64_t epoch = 1; epoch <= options.epochs; ++epoch) {
    const auto start = std::chrono::steady_clock::now();
    double real = 0, fake = 0, generated = 0;
    const data::ShuffledBatches batches(digits, kBatch);
    for (const data::Dataset& batch : batches) {
      gan.step(batch.data.to(options.device));
      real += gan.errD_real.item();
      fake += gan.errD_fake.item();
      generated += gan.errG.item();
    }
    const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - start;
    result.seconds += elapsed.count();
    const auto steps = static_cast<double>(batches.size());
    result.discriminator_loss = (real + fake) / steps;
    if (epoch % 25 != 0 && epoch != 1 && epoch != options.epochs) continue;
    const Tensor samples = samples_of(gan, 2000);
    result.score = judge.score(samples);
    result.samples = samples.narrow(0, 0, 100).view({100, 8, 8});
    fmt::print(out, "    {:>5}  {:>9.4g}  {:>9.4g}  {:>9.4g}  {:>5.2f}  {:>12.1f} %  {:>7.1f}\n",
               epoch, real / steps, fake / steps, generated / steps, result.score.inception,
               100 * result.score.smallest_share, result.seconds);
    out.flush();
  }
  return result;
}

int listing2(std::ostream& out, const ExampleOptions& options) {
  Report report;
  data::Dataset digits = data::read_digits(data::find_data("digits.csv.gz"));
  digits.data = digits.data.reshape({-1, 64}) * 2 - 1;
  const bool is_full = options.size != ExampleSize::Quick;
  manual_seed(options.seed);

  fmt::print(out, "As printed, but for the parenthesis:\n");
  show_what_adds_up(out, report, digits, options.device);

  const DigitJudge judge(digits, is_full ? 60 : 10);
  const Score real = judge.score(digits.data);
  fmt::print(
      out,
      "\nA judge, 64-128-10, takes {:.1f} % of the digits for what they are. Its score of the "
      "real\ndigits is {:.2f}, the smallest class has {:.1f} %; 10 and 10 % would be "
      "perfect.\n",
      100 * judge.accuracy(digits), real.inception, 100 * real.smallest_share);

  const int64_t epochs = is_full ? 150 : 4;
  std::vector<double> literal, corrected, shares;
  Tensor samples;
  for (const uint64_t seed : options.all_seeds()) {
    const auto train = [&](Listing2Form form) {
      return train_listing2(out, digits, judge, {form, seed, epochs, options.device});
    };
    fmt::print(out, "\nTrained as printed, {} epochs of batches of {}, seed {}:\n", epochs, kBatch,
               seed);
    literal.push_back(train(Listing2Form::Literal).score.inception);
    fmt::print(out, "\nCorrected:\n");
    for (const char* difference : kDifferences) fmt::print(out, "  - {}\n", difference);
    fmt::print(out, "\n");
    const Listing2Result result = train(Listing2Form::Corrected);
    corrected.push_back(result.score.inception);
    shares.push_back(100 * result.score.smallest_share);
    samples = result.samples;
  }
  write_picture(out, options, "listing2.png", "100 digits of the corrected listing",
                [&] { return gray_png(sheet_of(samples, 10, 4, 0), -1, 1); });
  fmt::print(out,
             "Digits: E. Alpaydin and C. Kaynak, UCI Machine Learning Repository, CC BY 4.0.\n");

  report.add_fact("the judge knows 95 % of the digits", judge.accuracy(digits) >= 0.95);
  if (is_full) {
    report.add("corrected score >= 5.5 with every class >= 1 %",
               fmt::format("corrected score {:.2f} with every class >= {:.1f} %", median(corrected),
                           median(shares)),
               median(corrected) >= 5.5 && median(shares) >= 1);
    report.add("a lower one as printed", fmt::format("{:.2f} as printed", median(literal)),
               median(literal) < median(corrected));
  }
  return report.conclude(out);
}

}  // namespace notape::paper
