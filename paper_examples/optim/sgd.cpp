#include "paper_examples/optim/sgd.h"

#include "ops/optimize.h"

namespace notape::optim {

void SGDOptions::check() const {
  OptimizerOptions::check();
  if (!(momentum_ >= 0)) throw ValueError("Invalid momentum value: {}", momentum_);
  if (!(weight_decay_ >= 0)) throw ValueError("Invalid weight_decay value: {}", weight_decay_);
  if (nesterov_ && !(momentum_ > 0 && dampening_ == 0))
    throw ValueError("Nesterov momentum requires a momentum and zero dampening");
}

void SGDOptions::visit(OptionVisitor& visitor) {
  OptimizerOptions::visit(visitor);
  visitor("momentum", momentum_);
  visitor("dampening", dampening_);
  visitor("weight_decay", weight_decay_);
  visitor("nesterov", nesterov_);
  visitor("maximize", maximize_);
}

SGD::SGD(std::vector<Tensor> parameters, const SGDOptions& options)
    : SGD(std::vector<OptimizerParamGroup>{std::move(parameters)}, options) {}
SGD::SGD(std::vector<OptimizerParamGroup> groups, const SGDOptions& options)
    : OptimizerWith(std::move(groups), options, {"momentum_buffer"}) {}

std::vector<bool> SGD::uses_states(const OptimizerOptions& options) const {
  return {static_cast<const SGDOptions&>(options).momentum() != 0};
}

void SGD::step(const Lists& lists, const OptimizerOptions& options) {
  const auto& o = static_cast<const SGDOptions&>(options);
  multi_tensor_sgd_(lists.parameters, lists.gradients, lists.states[0],
                    {.lr = o.lr(),
                     .momentum = o.momentum(),
                     .dampening = o.dampening(),
                     .weight_decay = o.weight_decay(),
                     .nesterov = o.nesterov(),
                     .maximize = o.maximize()},
                    lists.steps);
}

}  // namespace notape::optim
