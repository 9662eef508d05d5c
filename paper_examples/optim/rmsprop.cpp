#include "paper_examples/optim/rmsprop.h"

#include "ops/optimize.h"

namespace notape::optim {

void RMSpropOptions::check() const {
  OptimizerOptions::check();
  if (!(eps_ >= 0)) throw ValueError("Invalid epsilon value: {}", eps_);
  if (!(momentum_ >= 0)) throw ValueError("Invalid momentum value: {}", momentum_);
  if (!(weight_decay_ >= 0)) throw ValueError("Invalid weight_decay value: {}", weight_decay_);
  if (!(alpha_ >= 0)) throw ValueError("Invalid alpha value: {}", alpha_);
}

void RMSpropOptions::visit(OptionVisitor& visitor) {
  OptimizerOptions::visit(visitor);
  visitor("alpha", alpha_);
  visitor("eps", eps_);
  visitor("weight_decay", weight_decay_);
  visitor("momentum", momentum_);
  visitor("centered", centered_);
  visitor("maximize", maximize_);
}

RMSprop::RMSprop(std::vector<Tensor> parameters, const RMSpropOptions& options)
    : RMSprop(std::vector<OptimizerParamGroup>{std::move(parameters)}, options) {}
RMSprop::RMSprop(std::vector<OptimizerParamGroup> groups, const RMSpropOptions& options)
    : OptimizerWith(std::move(groups), options, {"square_avg", "grad_avg", "momentum_buffer"}) {}

std::vector<bool> RMSprop::uses_states(const OptimizerOptions& options) const {
  const auto& o = static_cast<const RMSpropOptions&>(options);
  return {true, o.centered(), o.momentum() != 0};
}

void RMSprop::step(const Lists& lists, const OptimizerOptions& options) {
  const auto& o = static_cast<const RMSpropOptions&>(options);
  multi_tensor_rmsprop_(lists.parameters, lists.gradients, lists.states[0], lists.states[1],
                        lists.states[2],
                        {.lr = o.lr(),
                         .alpha = o.alpha(),
                         .eps = o.eps(),
                         .weight_decay = o.weight_decay(),
                         .momentum = o.momentum(),
                         .centered = o.centered(),
                         .maximize = o.maximize()},
                        lists.steps);
}

}  // namespace notape::optim
