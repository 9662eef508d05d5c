// 2019 paper, 4.1: "Print statements, standard debuggers, and common visualization tools ... all
// work as expected. Users do not have to wait for lengthy compilation before they can start running
// their programs, and more importantly intermediate computations can be observed to understand how
// a model works and whether its results are correct."
//
// A model with a mistake, log(p) where p may be 0, is watched from inside (printed values, hooks)
// and from outside (an observer of operators); then its NaN is traced to the line it comes from.
#include <algorithm>

#include "autograd/modes/anomaly_mode.h"
#include "autograd/warning.h"
#include "ops/ops.h"
#include "paper_examples/nn/linear.h"
#include "paper_examples/programs.h"
#include "paper_examples/support/passing_observer.h"
#include "paper_examples/support/report.h"

namespace notape::paper {
namespace {

/// Writes down what runs, in front of whoever observes.
class Steps : public PassingObserver {
 public:
  void operator_begin(const char* name, uint64_t sequence_nr) noexcept override {
    if (!in_backward) names.emplace_back(name);
    PassingObserver::operator_begin(name, sequence_nr);
  }
  void backward_begin(const Tensor* roots, std::size_t count) noexcept override {
    in_backward = true;
    PassingObserver::backward_begin(roots, count);
  }
  void node_begin(const Node& node) noexcept override {
    names.emplace_back(node.name());
    PassingObserver::node_begin(node);
  }

  std::vector<std::string> names;
  bool in_backward = false;
};

/// What warnings say, in place of standard error.
struct Heard : WarningHandler {
  void process(const Warning& warning) override { text += warning.msg() + "\n"; }
  std::string text;
};

struct Model : nn::Module {
  Model() : Module("Model") {
    const NoGradGuard no_grad;
    fc->weight.copy_(tensor({{1., 2.}, {-1., 0.}, {0., 1.}}));
    fc->bias.zero_();
  }
  nn::Linear fc = register_module("fc", nn::Linear(2, 3));
};

/// Entropy of the classes, -sum p log p, with `limit` below p. The values on the way go to `look`.
Tensor entropy(const Model& model, const Tensor& x, double limit,
               const std::function<void(const char*, const Tensor&)>& look) {
  const Tensor scores = model.fc(x);
  look("scores", scores);
  const Tensor p = relu(scores) / relu(scores).sum();
  look("p", p);
  const Tensor log_p = log(p + limit);
  look("log p", log_p);
  return -(p * log_p).sum();
}

void print_values(std::ostream& out, Report& report, const Model& model, const Tensor& x) {
  fmt::print(out, "The model, and the values on the way, as the program prints them:\n");
  out << model << "\nweight =\n" << model.fc->weight << "\n";
  std::string first_infinite = "none";
  const Tensor loss = entropy(model, x, 0, [&](const char* name, const Tensor& value) {
    fmt::print(out, "    {:<8} {}\n", name, in_one_line(value));
    if (first_infinite == "none" && !isfinite(value.detach()).all().item<bool>())
      first_infinite = name;
  });
  fmt::print(out, "    loss     {}\n", in_one_line(loss));
  report.add("log p is the first that is not finite",
             first_infinite + " is the first that is not finite");
}

void watch(std::ostream& out, Report& report, const Model& model, const Tensor& x) {
  Steps steps;
  std::string seen;
  entropy(model, x, 1e-6, [&](const char* name, const Tensor& value) {
    value.register_hook([&seen, name](const Tensor& gradient) {
      seen += fmt::format("    d loss / d {:<8} {}\n", name, in_one_line(gradient));
    });
  }).backward();
  const auto turn = std::ranges::find_if(steps.names, [](const std::string& name) {
    return name.find("Backward") != std::string::npos;
  });
  const auto line = [&](auto from, auto to) {
    std::string text;
    for (auto name = from; name != to; ++name) {
      if (text.size() - text.rfind('\n') > 80) text += "\n    ";
      text += " " + *name;
    }
    return text;
  };
  fmt::print(out, "\nWithout the mistake, what an observer sees run:\n   {}\n   {}\n",
             line(steps.names.begin(), turn), line(turn, steps.names.end()));
  fmt::print(out, "and what hooks on the values see in backward():\n{}", seen);
  report.add_fact(
      "hooks from the last to the first",
      seen.find("log p") < seen.find("/ d p ") && seen.find("/ d p ") < seen.find("scores"));
}

void find_the_nan(std::ostream& out, Report& report, const Model& model, const Tensor& x) {
  fmt::print(out, "\nWith it, in anomaly mode, backward() raises\n");
  Heard heard;
  const WarningHandlerGuard listening(&heard);
  std::string message;
  const std::string kind = kind_of_error(out, [&] {
    const DetectAnomalyGuard anomaly;
    try {
      entropy(model, x, 0, [](const char*, const Tensor&) {}).backward();
    } catch (const NonFiniteGradient& error) {
      message = error.what();
      throw;
    }
  });
  fmt::print(out, "and says where the forward call was:\n");
  const std::size_t place = heard.text.find("debugger.cpp:");
  const std::size_t begin = heard.text.rfind('\n', place) + 1;
  const std::string line = place == std::string::npos
                               ? ""
                               : heard.text.substr(begin, heard.text.find('\n', place) - begin);
  fmt::print(out, "  {}\n", line);
  report.add("NonFiniteGradient with the line of the forward call",
             kind + (line.empty() ? " without" : " with") + " the line of the forward call");
}

}  // namespace

int debugger(std::ostream& out) {
  Report report;
  const Model model;
  const Tensor x = tensor({1., 0.});
  print_values(out, report, model, x);
  watch(out, report, model, x);
  find_the_nan(out, report, model, x);
  return report.conclude(out);
}

}  // namespace notape::paper
