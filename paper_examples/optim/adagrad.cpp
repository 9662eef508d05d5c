#include "paper_examples/optim/adagrad.h"

#include "ops/optimize.h"

namespace notape::optim {

void AdagradOptions::check() const {
  OptimizerOptions::check();
  if (!(lr_decay_ >= 0)) throw ValueError("Invalid lr_decay value: {}", lr_decay_);
  if (!(weight_decay_ >= 0)) throw ValueError("Invalid weight_decay value: {}", weight_decay_);
  if (!(eps_ >= 0)) throw ValueError("Invalid epsilon value: {}", eps_);
}

void AdagradOptions::visit(OptionVisitor& visitor) {
  OptimizerOptions::visit(visitor);
  visitor("lr_decay", lr_decay_);
  visitor("weight_decay", weight_decay_);
  visitor("eps", eps_);
  visitor("maximize", maximize_);
}

Adagrad::Adagrad(std::vector<Tensor> parameters, const AdagradOptions& options)
    : Adagrad(std::vector<OptimizerParamGroup>{std::move(parameters)}, options) {}
Adagrad::Adagrad(std::vector<OptimizerParamGroup> groups, const AdagradOptions& options)
    : OptimizerWith(std::move(groups), options, {"sum"}) {}

void Adagrad::step(const Lists& lists, const OptimizerOptions& options) {
  const auto& o = static_cast<const AdagradOptions&>(options);
  multi_tensor_adagrad_(lists.parameters, lists.gradients, lists.states[0],
                        {.lr = o.lr(),
                         .lr_decay = o.lr_decay(),
                         .eps = o.eps(),
                         .weight_decay = o.weight_decay(),
                         .maximize = o.maximize()},
                        lists.steps);
}

}  // namespace notape::optim
