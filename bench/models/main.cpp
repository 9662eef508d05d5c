// Loss and gradients of a model for the parameters and the batch in a file: what parity.py asks for
// and compares with PyTorch's.
//   models_beside_torch MODEL IN.safetensors OUT.safetensors; without arguments the models' names
// IN has state.NAME and batch.N, of one floating dtype; OUT has loss, grad.NAME and, after the
// call, state.NAME.
#include <iostream>

#include "autograd/interchange/safetensors.h"
#include "ops/ops.h"
#include "paper_examples/models/workload.h"
#include "paper_examples/nn/state_dict.h"

namespace {

using namespace notape;

NamedTensors run(const std::string& name, const NamedTensors& given) {
  const models::Workload workload = models::find_workload(name).make(models::Scale::Tiny);
  NamedTensors state;
  for (const auto& [key, tensor] : given) {
    if (!key.starts_with("state.")) continue;
    state[key.substr(6)] = tensor;
    if (tensor.is_floating_point()) workload.model->to(tensor.dtype());
  }
  nn::load_state_dict(*workload.model, state);
  models::Workload::Batch batch;
  for (std::size_t i = 0; given.contains("batch." + std::to_string(i)); ++i)
    batch.push_back(given.at("batch." + std::to_string(i)));
  const Tensor loss = workload.loss(batch);
  loss.backward();
  NamedTensors result = {{"loss", loss.detach().view({1})}};
  for (const auto& [key, parameter] : workload.model->named_parameters())
    if (parameter.grad().defined()) result["grad." + key] = parameter.grad();
  for (const auto& [key, tensor] : nn::state_dict(*workload.model)) result["state." + key] = tensor;
  return result;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc == 1) {
    for (const models::WorkloadKind& kind : models::workloads()) std::cout << kind.name << '\n';
    return 0;
  }
  if (argc != 4) {
    std::cerr << "usage: models_beside_torch [MODEL IN.safetensors OUT.safetensors]\n";
    return 2;
  }
  try {
    save_safetensors(argv[3], run(argv[1], load_safetensors(argv[2])));
  } catch (const std::exception& error) {
    std::cerr << error.what() << '\n';
    return 1;
  }
  return 0;
}
