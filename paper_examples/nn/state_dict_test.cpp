#include "paper_examples/nn/state_dict.h"

#include <gmock/gmock.h>

#include "autograd/interchange/npy.h"
#include "autograd/testing/temporary_folder.h"
#include "ops/ops.h"
#include "paper_examples/nn/batch_norm.h"
#include "paper_examples/nn/linear.h"

namespace notape::nn {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

struct ModelImpl : Module {
  Tensor forward(const Tensor& x) const { return norm(fc(x)); }
  Linear fc = register_module("fc", Linear(3, 2));
  BatchNorm1d norm = register_module("norm", BatchNorm1d(2));
};
using Model = ModuleHolder<ModelImpl>;

TEST(StateDict, AFileOfOneModelMakesAnotherTheSame) {
  const testing::TemporaryFolder folder;
  const Model net, other;
  net(randn({5, 3}));
  for (const char* name : {"state.safetensors", "state.npz", "state"}) {
    for (const Tensor& parameter : other->parameters()) parameter.detach().zero_();
    other->norm->reset_running_stats();
    save(net, folder / name);
    load(other, folder / name);
    for (const auto& [key, tensor] : net->named_state())
      EXPECT_TRUE(other->named_state()[key].equal(tensor)) << name << " " << key;
  }
  EXPECT_TRUE(other->fc->weight.requires_grad());
}

TEST(StateDict, NothingIsLoadedIfOneOfTheTensorsCannotBeWritten) {
  struct Expanded : Module {
    Tensor a = register_parameter("a", zeros({2}));
    Tensor z = register_buffer("z", zeros({1}).expand({3}));
  } module;
  EXPECT_THROW(load_state_dict(module, {{"a", ones({2})}, {"z", ones({3})}}), ValueError);
  EXPECT_TRUE(module.a.equal(zeros({2})));
}

TEST(StateDict, SharesMemoryWithTheModel) {
  const Model net;
  const NamedTensors state = state_dict(*net);
  net->fc->bias.detach().fill_(7);
  EXPECT_TRUE(state.at("fc.bias").equal(full({2}, 7)));
  EXPECT_FALSE(state.at("fc.bias").requires_grad());
}

TEST(StateDict, AllThatDoesNotFitIsListedAndNothingIsLoaded) {
  const Model net;
  const Tensor before = net->fc->bias.detach().clone();
  NamedTensors state = state_dict(*net);
  for (auto& [name, tensor] : state) tensor = tensor.clone();
  state["fc.bias"] = ones({2});
  state["fc.weight"] = ones({2, 4});
  state["head.weight"] = ones({1});
  state.erase("norm.running_var");
  try {
    load_state_dict(*net, state);
    FAIL();
  } catch (const ValueError& error) {
    for (const char* line : {"missing: norm.running_var", "unexpected: head.weight",
                             "of another size: fc.weight is [2, 3] here and [2, 4] in the state",
                             "Model; nothing was loaded"})
      EXPECT_THAT(error.what(), HasSubstr(line));
  }
  EXPECT_TRUE(net->fc->bias.detach().equal(before));
  state.erase("fc.weight");
  const IncompatibleKeys keys = load_state_dict(*net, state, Strict::No);
  EXPECT_THAT(keys.missing, ElementsAre("fc.weight", "norm.running_var"));
  EXPECT_THAT(keys.unexpected, ElementsAre("head.weight"));
  EXPECT_TRUE(net->fc->bias.detach().equal(ones({2})));
}

TEST(StateDict, NumbersOfAnotherTypeAreConverted) {
  const Model net;
  NamedTensors state = state_dict(*net);
  for (auto& [name, tensor] : state)
    tensor = is_floating_point(tensor.dtype()) ? (tensor + 1).to(kFloat64) : tensor;
  const Tensor expected = net->fc->weight.detach() + 1;
  load_state_dict(*net, state);
  EXPECT_EQ(net->fc->weight.dtype(), kFloat32);
  EXPECT_TRUE(net->fc->weight.detach().equal(expected));
}

TEST(StateDict, OfBeforeBatchesWereCountedLoads) {
  const Model net;
  NamedTensors state = state_dict(*net);
  for (auto& [name, tensor] : state) tensor = tensor.clone();
  net->norm->num_batches_tracked.fill_(3);
  ASSERT_EQ(state.erase("norm.num_batches_tracked"), 1u);
  EXPECT_TRUE(load_state_dict(*net, state).missing.empty());
  EXPECT_EQ(net->norm->num_batches_tracked.item(), 3);
  state.erase("norm.running_mean");
  EXPECT_THROW(load_state_dict(*net, state), ValueError);
}

}  // namespace
}  // namespace notape::nn
