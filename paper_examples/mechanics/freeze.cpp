// Autograd mechanics note, freezing a base and training a new last layer:
//
//   model = torchvision.models.resnet18(pretrained=True)
//   for param in model.parameters():
//       param.requires_grad = False
//   # Replace the last fully-connected layer
//   # Parameters of newly constructed modules have requires_grad=True by default
//   model.fc = nn.Linear(512, 100)
//
//   # Optimize only the classifier
//   optimizer = optim.SGD(model.fc.parameters(), lr=1e-2, momentum=0.9)
//
// "No intermediate buffers will be saved, until the computation gets to the last layer." The same
// note runs such a model on a volatile image, for inference:
//
//   regular_input = Variable(torch.randn(1, 3, 227, 227))
//   volatile_input = Variable(torch.randn(1, 3, 227, 227), volatile=True)
//
// The model here is the ResNet-18 with random weights: what is claimed does not depend on them.
#include <algorithm>

#include "autograd/autograd.h"
#include "ops/ops.h"
#include "paper_examples/models/resnet.h"
#include "paper_examples/optim/sgd.h"
#include "paper_examples/programs.h"
#include "paper_examples/support/report.h"

namespace notape::paper {
namespace {

constexpr int64_t kClasses = 100;

/// What comes before fc: (N, 3, H, W) -> (N, 512), with the outcome of each part in `parts`.
Tensor features(const models::ResNet& model, const Tensor& images, TensorList& parts) {
  const auto note = [&](const Tensor& x) { return parts.emplace_back(x); };
  Tensor x = note(model->maxpool(model->relu(model->bn1(model->conv1(images)))));
  for (const nn::Sequential& layer : {model->layer1, model->layer2, model->layer3, model->layer4})
    x = note(layer(x));
  return note(x.mean({2, 3}));
}

void save_nothing_before_fc(std::ostream& out, Report& report, const models::ResNet& model,
                            const Tensor& images) {
  const Counters at_start = counters();
  TensorList parts;
  Tensor pooled = features(model, images, parts);
  const bool no_history =
      std::ranges::none_of(parts, [](const Tensor& x) { return x.requires_grad() || x.grad_fn(); });
  parts.clear();
  const Counters at_fc = counters();
  const Tensor scores = model->fc(pooled);
  const Counters at_end = counters();
  fmt::print(
      out,
      "{} parameters, image {}\n"
      "    before fc: {} bytes in {} nodes saved for backward, {} bytes alive, the features\n"
      "    in fc:     {} bytes saved, the features\n\n",
      model->parameters().size(), to_string(images.sizes()),
      at_fc.saved_bytes - at_start.saved_bytes, at_fc.nodes_created - at_start.nodes_created,
      at_fc.live_bytes - at_start.live_bytes, at_end.saved_bytes - at_fc.saved_bytes);
  report.add_fact("neither requires_grad nor grad_fn before fc", no_history);
  report.add("0 bytes saved before fc",
             fmt::format("{} bytes saved before fc", at_fc.saved_bytes - at_start.saved_bytes));
  report.add("2048 bytes alive before fc",
             fmt::format("{} bytes alive before fc", at_fc.live_bytes - at_start.live_bytes));
}

void train_fc_alone(std::ostream& out, Report& report, const models::ResNet& model,
                    const Tensor& images) {
  optim::SGD optimizer(model->fc->parameters(), optim::SGDOptions(1e-2).momentum(0.9));
  std::vector<Tensor> before;
  for (const Tensor& parameter : model->parameters()) before.push_back(parameter.detach().clone());
  cross_entropy(model(images), randint(kClasses, {images.size(0)})).backward();
  optimizer.step();

  fmt::print(out, "{:<29}{:<18}{:<15}{:<11}{}\n", "parameter", "shape", "requires grad", "gradient",
             "after step()");
  std::string with_gradient, changed;
  const auto parameters = model->named_parameters();
  std::size_t i = 0;
  for (const auto& [name, parameter] : parameters) {
    const bool has_gradient = parameter.grad().defined();
    const bool is_changed = !parameter.equal(before[i]);
    if (has_gradient) with_gradient += " " + name;
    if (is_changed) changed += " " + name;
    // The first, one of a shortcut and the last: the others are like these.
    if (i == 0 || name == "layer2.0.downsample.0.weight" || i + 2 >= before.size())
      fmt::print(out, "{:<29}{:<18}{:<15}{:<11}{}\n", name, to_string(parameter.sizes()),
                 parameter.requires_grad(), has_gradient ? "yes" : "undefined",
                 is_changed ? "changed" : "unchanged");
    ++i;
  }
  report.add("gradients of fc.weight fc.bias", "gradients of" + with_gradient);
  report.add("changed fc.weight fc.bias", "changed" + changed);
}

void run_on_volatile(std::ostream& out, Report& report, const models::ResNet& model) {
  const Tensor data = randn({1, 3, 227, 227});
  const Variable regular_input = make_variable(data, false, false);
  const Variable volatile_input = make_variable(data, false, true);
  const Variable regular = model(regular_input), is_volatile = model(volatile_input);
  fmt::print(out,
             "\nThe same image, regular: requires_grad {}, grad_fn {};\n"
             "volatile: volatile {}, grad_fn {}\n",
             regular.requires_grad(), regular.grad_fn() ? regular.grad_fn()->name() : "none",
             is_volatile.is_volatile(),
             is_volatile.grad_fn() ? is_volatile.grad_fn()->name() : "none");
  report.add_fact("a regular image gives requires_grad",
                  regular.requires_grad() && regular.grad_fn());
  report.add_fact("a volatile one volatile without grad_fn", is_volatile.is_volatile() &&
                                                                 !is_volatile.requires_grad() &&
                                                                 !is_volatile.grad_fn());
}

}  // namespace

int freeze(std::ostream& out) {
  Report report;
  manual_seed(0);
  const models::ResNet model = models::resnet18();
  for (const Tensor& parameter : model->parameters()) parameter.set_requires_grad(false);
  model->fc = model->replace_module("fc", nn::Linear(512, kClasses));
  const Tensor images = randn({1, 3, 227, 227});
  save_nothing_before_fc(out, report, model, images);
  train_fc_alone(out, report, model, images);
  run_on_volatile(out, report, model);
  return report.conclude(out);
}

}  // namespace notape::paper
