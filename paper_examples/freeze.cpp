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
// "No intermediate buffers will be saved, until the computation gets to the last layer." The model
// here is a small stand-in for the ResNet.
#include "autograd/autograd.h"
#include "ops/ops.h"
#include "paper_examples/nn/conv.h"
#include "paper_examples/nn/linear.h"
#include "paper_examples/optim/sgd.h"
#include "paper_examples/programs.h"
#include "paper_examples/report.h"

namespace notape::paper {
namespace {

struct Model : nn::Module {
  Tensor features(const Tensor& images) { return conv(images).relu().mean({2, 3}); }
  Tensor forward(const Tensor& images) { return fc(features(images)); }

  nn::Conv2d conv = register_module("conv", nn::Conv2d(3, 16, 3));
  nn::Linear fc = register_module("fc", nn::Linear(16, 10));
};

}  // namespace

int freeze(std::ostream& out) {
  Report report;
  manual_seed(0);
  Model model;
  for (const Tensor& parameter : model.parameters()) parameter.set_requires_grad(false);
  model.fc = model.replace_module("fc", nn::Linear(16, 5));
  optim::SGD optimizer(model.fc->parameters(), optim::SGDOptions(1e-2).momentum(0.9));

  std::vector<Tensor> before;
  for (const Tensor& parameter : model.parameters()) before.push_back(parameter.detach().clone());

  const Tensor images = randn({4, 3, 8, 8}), classes = randint(5, {4});
  const Counters at_start = counters();
  const Tensor features = model.features(images);
  const Counters at_fc = counters();
  const Tensor loss = cross_entropy(model.fc(features), classes);
  const int64_t saved_before = at_fc.saved_bytes - at_start.saved_bytes;
  const int64_t saved_by_rest = counters().saved_bytes - at_fc.saved_bytes;
  fmt::print(out, "Saved for backward before fc: {} bytes in {} nodes; from fc on: {} bytes\n\n",
             saved_before, at_fc.nodes_created - at_start.nodes_created, saved_by_rest);
  report.add("0 bytes saved before fc", fmt::format("{} bytes saved before fc", saved_before));

  loss.backward();
  optimizer.step();
  fmt::print(out, "{:<14}{:<18}{:<16}{:<12}{}\n", "parameter", "shape", "requires grad", "gradient",
             "after step()");
  std::string with_gradient, changed;
  std::size_t i = 0;
  for (const auto& [name, parameter] : model.named_parameters()) {
    const bool has_gradient = parameter.grad().defined();
    const bool is_changed = !parameter.equal(before[i++]);
    fmt::print(out, "{:<14}{:<18}{:<16}{:<12}{}\n", name, to_string(parameter.sizes()),
               parameter.requires_grad(), has_gradient ? "yes" : "undefined",
               is_changed ? "changed" : "unchanged");
    if (has_gradient) with_gradient += " " + name;
    if (is_changed) changed += " " + name;
  }
  report.add("gradients of fc.weight fc.bias", "gradients of" + with_gradient);
  report.add("changed fc.weight fc.bias", "changed" + changed);
  return report.conclude(out);
}

}  // namespace notape::paper
