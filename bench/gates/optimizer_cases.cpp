// What a step of an optimizer costs beside its arithmetic: 100 parameters of 8 floats.
#include "bench/gates/cases.h"
#include "ops/ops.h"
#include "paper_examples/optim/adam.h"
#include "paper_examples/optim/sgd.h"

namespace notape::bench {
namespace {

constexpr int kParameters = 100;

template <typename Optimizer, typename Options>
GateCase step_of(std::string name, double max_instructions, double max_allocations,
                 const Options& options) {
  std::vector<Tensor> parameters;
  for (int i = 0; i < kParameters; ++i) {
    parameters.push_back(ones({8}).requires_grad_());
    parameters.back().mutable_grad() = ones({8});
  }
  const auto optimizer = std::make_shared<Optimizer>(parameters, options);
  return {.name = std::move(name),
          .operations = kParameters,
          .call = [optimizer] { optimizer->step(); },
          .max_instructions = max_instructions,
          .max_allocations = max_allocations};
}

}  // namespace

void add_optimizer_cases(std::vector<GateCase>& cases) {
  cases.push_back(step_of<optim::SGD>("SGD with momentum, a parameter", 2000, 1,
                                      optim::SGDOptions(1e-6).momentum(0.9)));
  cases.push_back(step_of<optim::Adam>("Adam, a parameter", 2800, 1, optim::AdamOptions(1e-6)));
}

}  // namespace notape::bench
