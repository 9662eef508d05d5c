#include "paper_examples/examples.h"

#include "paper_examples/programs.h"

namespace notape {
namespace {

constexpr unsigned kTrains = kTakesSeed | kTakesSeeds;

Example with_options(const char* name, const char* summary,
                     int (*program)(std::ostream&, const ExampleOptions&), unsigned takes,
                     std::vector<std::string> packages = {}) {
  return {name,
          summary,
          [program](std::ostream& out) { return program(out, {}); },
          std::move(packages),
          takes,
          program};
}

}  // namespace

const std::vector<Example>& examples() {
  static const std::vector<Example> all = {
      {"fig1", "2017 paper, Figure 1: a tanh layer and its gradients", paper::fig1},
      {"flags", "requires_grad and volatile: what is differentiated and what is not", paper::flags},
      {"freeze", "a frozen ResNet-18 and a new last layer", paper::freeze},
      {"grad", "grad(f(x, y, z), (x, y)) computes nothing for z", paper::grad},
      {"hooks", "observing and replacing gradients", paper::hooks},
      {"inplace", "in-place operations rebase the history", paper::inplace},
      {"invalidation", "2017 paper, 3.1: a saved value is overwritten", paper::invalidation},
      {"aliasing", "2017 paper, 3.1: writing to x when y = x[:2]", paper::aliasing},
      with_options("listing1", "2019 paper, Listing 1, trained on handwritten digits",
                   paper::listing1, kTrains | kTakesQuick),
      with_options("listing2", "2019 paper, Listing 2, a network that learns to draw them",
                   paper::listing2, kTrains | kTakesQuick | kTakesOut | kTakesDevice),
      with_options("finetune",
                   "a base trained on clothes, frozen; its new last layer learns digits",
                   paper::finetune, kTrains | kTakesDevice, {"dataset-fashion-mnist"}),
      with_options("ncf", "2019 paper, Table 1: NCF, recommending films and lecturers", paper::ncf,
                   kTrains | kTakesFull | kTakesDevice, {"r-cran-dslabs", "r-cran-lme4"}),
      with_options("gnmt", "2019 paper, Table 1: GNMT, translating verses", paper::gnmt,
                   kTrains | kTakesQuick | kTakesFull | kTakesDevice,
                   {"sword-text-kjv", "sword-text-sparv"}),
      with_options("maml", "learning to learn: derivatives through a step of training", paper::maml,
                   kTakesSeed | kTakesQuick),
      with_options("implicit", "hyperparameters by implicit differentiation", paper::implicit,
                   kTakesSeed | kTakesQuick),
      with_options("components", "an optimizer, a data set and a loader of one's own",
                   paper::components, kTakesSeed | kTakesQuick),
      {"debugger", "a program is watched while it runs, and a NaN is found", paper::debugger},
      with_options("forward", "forward mode is cheaper where outputs outnumber inputs",
                   paper::forward, kTakesSeed),
      with_options("copies", "what copy-on-write costs, and a rewritten program does not",
                   paper::copies, kTakesSeed | kTakesQuick),
      with_options("memory", "what backward() frees as it goes", paper::memory, kTakesOut),
      with_options("hogwild", "2019 paper, 5.4: processes train one model without locks",
                   paper::hogwild, kTakesSeed | kTakesQuick),
      with_options("parallel", "2019 paper, 5.4: processes sum their gradients by all-reduce",
                   paper::parallel, kTakesSeed | kTakesQuick),
  };
  return all;
}

}  // namespace notape
