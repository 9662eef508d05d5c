#include "paper_examples/optim/adam.h"

#include "ops/optimize.h"

namespace notape::optim {

void AdamOptions::check() const {
  OptimizerOptions::check();
  if (!(eps_ >= 0)) throw ValueError("Invalid epsilon value: {}", eps_);
  if (!(beta1_ >= 0 && beta1_ < 1))
    throw ValueError("Invalid beta parameter at index 0: {}", beta1_);
  if (!(beta2_ >= 0 && beta2_ < 1))
    throw ValueError("Invalid beta parameter at index 1: {}", beta2_);
  if (!(weight_decay_ >= 0)) throw ValueError("Invalid weight_decay value: {}", weight_decay_);
}

void AdamOptions::visit(OptionVisitor& visitor) {
  OptimizerOptions::visit(visitor);
  visitor("beta1", beta1_);
  visitor("beta2", beta2_);
  visitor("eps", eps_);
  visitor("weight_decay", weight_decay_);
  visitor("amsgrad", amsgrad_);
  visitor("maximize", maximize_);
}

Adam::Adam(std::vector<Tensor> parameters, const AdamOptions& options)
    : Adam(std::vector<OptimizerParamGroup>{std::move(parameters)}, options) {}
Adam::Adam(std::vector<OptimizerParamGroup> groups, const AdamOptions& options)
    : OptimizerWith(std::move(groups), options, {"exp_avg", "exp_avg_sq", "max_exp_avg_sq"}) {}

std::vector<bool> Adam::uses_states(const OptimizerOptions& options) const {
  return {true, true, static_cast<const AdamOptions&>(options).amsgrad()};
}

void Adam::step(const Lists& lists, const OptimizerOptions& options) {
  const auto& o = static_cast<const AdamOptions&>(options);
  const auto [beta1, beta2] = o.betas();
  multi_tensor_adam_(lists.parameters, lists.gradients, lists.states[0], lists.states[1],
                     lists.states[2],
                     {.lr = o.lr(),
                      .beta1 = beta1,
                      .beta2 = beta2,
                      .eps = o.eps(),
                      .weight_decay = o.weight_decay(),
                      .amsgrad = o.amsgrad(),
                      .maximize = o.maximize(),
                      .decoupled_weight_decay = is_decoupled()},
                     lists.steps);
}

}  // namespace notape::optim
