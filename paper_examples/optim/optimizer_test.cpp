// Optimizers against PyTorch 2.15: 100 steps on two parameters, of which one takes part in every
// second step. Numbers are those that torch.optim gave for the same program in float64.
#include "paper_examples/optim/optimizer.h"

#include <gmock/gmock.h>

#include <functional>

#include "autograd/testing/temporary_folder.h"
#include "ops/ops.h"
#include "paper_examples/optim/adagrad.h"
#include "paper_examples/optim/adam.h"
#include "paper_examples/optim/rmsprop.h"
#include "paper_examples/optim/sgd.h"

namespace notape::optim {
namespace {

using ::testing::HasSubstr;

using Parameters = std::vector<Tensor>;
using Make = std::function<std::unique_ptr<Optimizer>(Parameters)>;

template <typename Kind, typename... Options>
std::unique_ptr<Optimizer> make(const Parameters& all, const Options&... options) {
  return std::make_unique<Kind>(all, options...);
}

struct Row {
  const char* name;
  Make optimizer;
  std::vector<double> expected;
};

const std::vector<Row>& rows() {
  static const std::vector<Row> all = {
      {"SGD SGDOptions(0.05).momentum(0.9).dampening(0.5).weight_decay(0.01)",
       [](auto p) {
         return make<SGD>(p, SGDOptions(0.05).momentum(0.9).dampening(0.5).weight_decay(0.01));
       },
       {-0.004883656519348748, 0.008688535915664274, 0.007054375192210466, -0.01673813166818497,
        0.009473110429352706}},
      {"SGD SGDOptions(0.05).momentum(0.9).nesterov(true)",
       [](auto p) { return make<SGD>(p, SGDOptions(0.05).momentum(0.9).nesterov(true)); },
       {-0.00039573956327404317, -4.724197659683358e-05, -1.8268563699898738e-07,
        -0.04016003004455546, 0.020105290268443456}},
      {"SGD SGDOptions(0.001).maximize(true)",
       [](auto p) { return make<SGD>(p, SGDOptions(0.001).maximize(true)); },
       {1.1051156977207672, -2.4423176543791834, 4.471904656943595, 0.48016973007172326,
        -0.23971134056733504}},
      {"Adam AdamOptions(0.05)",
       [](auto p) { return make<Adam>(p, AdamOptions(0.05)); },
       {-0.00421140074295575, 0.010715172561927808, 0.05659933299043139, 0.05375016424546087,
        0.09282016294599843}},
      {"Adam AdamOptions(0.005).betas({0.25, 0.5}).eps(1e-3).weight_decay(0.1)",
       [](auto p) {
         return make<Adam>(p, AdamOptions(0.005).betas({0.25, 0.5}).eps(1e-3).weight_decay(0.1));
       },
       {0.5028540106447947, -1.501064906177377, 2.500632723791271, 0.7457353334683604,
        -0.49642350317294043}},
      {"Adam AdamOptions(0.05).amsgrad(true)",
       [](auto p) { return make<Adam>(p, AdamOptions(0.05).amsgrad(true)); },
       {-0.004361619527347903, 0.011269338405529947, 0.0576561474856612, 0.0538334838828439,
        0.09246912260471206}},
      {"AdamW AdamWOptions(0.05)",
       [](auto p) { return make<AdamW>(p, AdamWOptions(0.05)); },
       {-0.0039609901509536785, 0.00936971718701545, 0.0461385625100395, 0.04504124995266015,
        0.09466989808050064}},
      {"AdamW AdamWOptions(0.05).amsgrad(true).weight_decay(0.1)",
       [](auto p) { return make<AdamW>(p, AdamWOptions(0.05).amsgrad(true).weight_decay(0.1)); },
       {-0.0021513260183269383, 0.0006746611401176212, -0.004768693810432134, -0.013779042186150187,
        0.09996318780440089}},
      {"RMSprop",
       [](auto p) { return make<RMSprop>(p); },
       {0.01181402431023448, -0.450076757385201, 1.2626370759593468, 0.5649733664246657,
        -0.3787541636227944}},
      {"RMSprop RMSpropOptions(0.01).alpha(0.9).weight_decay(0.1).momentum(0.5)",
       [](auto p) {
         return make<RMSprop>(p, RMSpropOptions(0.01).alpha(0.9).weight_decay(0.1).momentum(0.5));
       },
       {-2.5063615286356715e-08, -0.18218987356149255, 1.0029699062516224, 0.25096465723953504,
        -0.0927772514010683}},
      {"RMSprop RMSpropOptions(0.01).centered(true)",
       [](auto p) { return make<RMSprop>(p, RMSpropOptions(0.01).centered(true)); },
       {0.005836738194170722, -0.3066166262421192, 1.0043113024617452, 0.5221696435115148,
        -0.3362701423362121}},
      {"RMSprop RMSpropOptions(0.01).centered(true).momentum(0.9)",
       [](auto p) { return make<RMSprop>(p, RMSpropOptions(0.01).centered(true).momentum(0.9)); },
       {0.00037147156015598833, 0.009561540546827445, 0.013502263055899594, 0.10263988751314691,
        -0.0902723394772147}},
      {"Adagrad AdagradOptions(0.1)",
       [](auto p) { return make<Adagrad>(p, AdagradOptions(0.1)); },
       {0.027386881827079695, -0.5513456237439243, 1.3949678528999157, 0.6459892567458564,
        -0.4581465285060216}},
      {"Adagrad AdagradOptions(0.1).lr_decay(0.05).weight_decay(0.1)",
       [](auto p) {
         return make<Adagrad>(p, AdagradOptions(0.1).lr_decay(0.05).weight_decay(0.1));
       },
       {0.26654513469024144, -1.1633360578332168, 2.135257620162939, 0.8881325426077168,
        -0.7218481718899582}},
  };
  return all;
}

Parameters first_parameters(ScalarType type) {
  Parameters all = {tensor({1., -2., 3.}).to(type), tensor({{0.5, -0.25}}).to(type)};
  for (const Tensor& one : all) one.requires_grad_();
  return all;
}

void train(Optimizer& optimizer, const Parameters& all, int first, int last) {
  const Tensor &a = all[0], &b = all[1];
  const Tensor weight = tensor({0.5, 1., 2.}).to(a.dtype());
  for (int t = first; t < last; ++t) {
    optimizer.zero_grad();
    Tensor loss = (a.square() * weight).sum();
    if (t % 2 == 0)
      loss = loss + (b.cos() * a.select(0, 0).detach()).sum() + b.square().sum() * 0.1;
    loss.backward();
    optimizer.step();
  }
}

Tensor values(const Parameters& all) {
  return cat({all[0].detach(), all[1].detach().flatten()}).to(kFloat64);
}

TEST(Optimizer, HundredStepsAreThoseOfPyTorch) {
  for (const Row& row : rows()) {
    const Tensor expected = tensor(row.expected, dtype(kFloat64));
    for (const ScalarType type : {kFloat64, kFloat32}) {
      const Parameters all = first_parameters(type);
      const auto optimizer = row.optimizer(all);
      train(*optimizer, all, 0, 100);
      // As near as sums of another order are: PyTorch fuses some products and sums.
      const double tolerance = type == kFloat64 ? 1e-12 : 1e-6;
      EXPECT_TRUE(allclose(values(all), expected, tolerance, type == kFloat64 ? 1e-13 : 2e-6))
          << row.name << " " << name_of(type) << "\n"
          << values(all) - expected;
    }
  }
}

TEST(Optimizer, ResumingGivesTheSameBits) {
  const testing::TemporaryFolder folder;
  for (const Row& row : rows()) {
    const Parameters whole = first_parameters(kFloat32), half = first_parameters(kFloat32);
    const auto once = row.optimizer(whole), before = row.optimizer(half);
    train(*once, whole, 0, 40);
    train(*before, half, 0, 21);
    save(*before, folder / "optimizer");
    Parameters resumed;
    for (const Tensor& one : half) resumed.push_back(one.detach().clone().requires_grad_());
    const auto after = row.optimizer(resumed);
    after->param_groups()[0].options().set_lr(7);  // comes from the file
    load(*after, folder / "optimizer");
    train(*after, resumed, 21, 40);
    EXPECT_TRUE(values(whole).equal(values(resumed))) << row.name;
  }
}

TEST(Optimizer, AStateThatIsNotItsOwnIsListedAndNothingIsLoaded) {
  const Parameters all = first_parameters(kFloat64);
  Adam optimizer(all);
  train(optimizer, all, 0, 3);
  NamedTensors state = optimizer.state_dict();
  for (auto& [name, tensor] : state) tensor = tensor.clone();
  const NamedTensors right = state;
  state["state.0.exp_avg"] = zeros({7}, kFloat64);
  state["state.5.exp_avg"] = zeros({3}, kFloat64);
  state.erase("param_groups.0.eps");
  state.erase("state.1.step");
  try {
    optimizer.load_state_dict(state);
    FAIL();
  } catch (const ValueError& error) {
    for (const char* part :
         {"of another size: state.0.exp_avg is [7] and the parameter [3]",
          "unexpected: state.5.exp_avg", "missing: param_groups.0.eps", "missing: state.1.step"})
      EXPECT_THAT(error.what(), HasSubstr(part));
  }
  for (const auto& [name, tensor] : optimizer.state_dict())
    EXPECT_TRUE(tensor.equal(right.at(name))) << name;
}

TEST(Optimizer, AStateThatCannotBeIsRefused) {
  const Parameters all = first_parameters(kFloat64);
  Adam optimizer(all);
  train(optimizer, all, 0, 3);
  const NamedTensors right = optimizer.state_dict();
  const auto complaint = [&](const std::string& name, const Tensor& value) {
    NamedTensors state = right;
    state[name] = value;
    if (!value.defined()) state.erase(name);
    try {
      optimizer.load_state_dict(state);
    } catch (const ValueError& error) {
      return std::string(error.what());
    }
    return std::string("none");
  };
  EXPECT_THAT(complaint("state.0.exp_avg_sq", {}), HasSubstr("missing: state.0.exp_avg_sq"));
  EXPECT_THAT(complaint("state.0.step", tensor(-5)), HasSubstr("out of its range: state.0.step"));
  EXPECT_THAT(complaint("state.0.step", tensor({1, 2})), HasSubstr("no number: state.0.step"));
  EXPECT_THAT(complaint("param_groups.0.lr", tensor(-1.)), HasSubstr("Invalid learning rate: -1"));
  EXPECT_THAT(complaint("param_groups.0.params", tensor(3)),
              HasSubstr("param_groups.0.params is 3, not 2"));
  Adam of_one({all[0]});
  EXPECT_THROW(of_one.load_state_dict(right), ValueError);
  for (const auto& [name, tensor] : optimizer.state_dict())
    EXPECT_TRUE(tensor.equal(right.at(name))) << name;
}

/// Parameters keep their own states, whatever becomes of the groups.
TEST(Optimizer, GroupsMayBeEdited) {
  const auto leaf = [](double value) { return full({2}, value).requires_grad_(); };
  const auto set_grad = [](const Tensor& of, double value) { of.set_grad(full({2}, value)); };
  const Tensor a = leaf(1), b = leaf(1), alone = leaf(1);
  Adam optimizer({a, b}, AdamOptions(0.1)), other({alone}, AdamOptions(0.1));
  for (int i = 0; i < 2; ++i) {
    set_grad(a, 1);
    set_grad(b, -100);
    set_grad(alone, -100);
    optimizer.step();
    other.step();
  }
  Parameters& group = optimizer.param_groups()[0].params();
  group.erase(group.begin());
  optimizer.step();
  other.step();
  EXPECT_TRUE(b.equal(alone)) << b;
  const Tensor c = leaf(5), d = leaf(5);
  set_grad(c, 1);
  set_grad(d, 1);
  group.push_back(c);
  optimizer.param_groups().push_back(OptimizerParamGroup({d}));
  optimizer.step();
  other.step();
  EXPECT_TRUE(b.equal(alone)) << b;
  EXPECT_TRUE(allclose(c, full({2}, 4.9)) && d.equal(c)) << c;
  EXPECT_EQ(optimizer.state_dict().at("state.2.step").item(), 1);
}

TEST(Optimizer, GoesOnWhenItsParametersAreConverted) {
  const Parameters all = first_parameters(kFloat32);
  Adam optimizer(all);
  train(optimizer, all, 0, 3);
  for (const Tensor& one : all) {
    one.mutable_grad().reset();
    one.set_data(one.detach().to(kFloat64));
  }
  train(optimizer, all, 3, 6);
  const Parameters same = first_parameters(kFloat32);
  Adam single(same);
  train(single, same, 0, 6);
  EXPECT_TRUE(allclose(values(all), values(same), 1e-5, 1e-6));
}

TEST(Optimizer, GroupsHaveOptionsOfTheirOwn) {
  const Parameters all = first_parameters(kFloat64);
  std::vector<OptimizerParamGroup> groups;
  groups.emplace_back(Parameters{all[0]}, std::make_unique<SGDOptions>(SGDOptions(0.5)));
  groups.emplace_back(Parameters{all[1]});
  SGD optimizer(groups, SGDOptions(0.25));
  (all[0].sum() + all[1].sum()).backward();
  optimizer.step();
  EXPECT_TRUE(values(all).equal(tensor({0.5, -2.5, 2.5, 0.25, -0.5}).to(kFloat64)));
  static_cast<SGDOptions&>(optimizer.param_groups()[1].options()).lr(0);
  optimizer.step();
  EXPECT_TRUE(values(all).equal(tensor({0., -3., 2., 0.25, -0.5}).to(kFloat64)));
}

TEST(Optimizer, MovesNoGroupWhereTheStepOfOneCannotBe) {
  const Tensor moved = ones({2}, requires_grad()), wrong = ones({2}, requires_grad());
  const Tensor expanded = ones({1}).expand({2}).requires_grad_();
  moved.set_grad(ones({2}));
  expanded.set_grad(ones({2}));
  wrong.mutable_grad() = ones({2}, kFloat64);
  for (const Tensor& second : {wrong, expanded}) {
    std::vector<OptimizerParamGroup> groups;
    groups.emplace_back(Parameters{moved});
    groups.emplace_back(Parameters{second});
    Adam optimizer(groups, AdamOptions(0.5));
    EXPECT_THROW(optimizer.step(), Error);
    EXPECT_TRUE(moved.equal(ones({2})));
    EXPECT_FALSE(optimizer.state_dict().contains("state.0.step"));
  }
}

TEST(Optimizer, AMomentumThatIsSwitchedOnLaterBeginsWithTheGradient) {
  const Tensor a = ones({1}, requires_grad());
  SGD optimizer({a}, SGDOptions(0.5));
  a.set_grad(ones({1}));
  optimizer.step();
  optimizer.options().momentum(0.5).dampening(0.5);
  optimizer.step();  // the buffer is the gradient, 1, then 0.5 * 1 + 0.5 * 1
  optimizer.step();
  EXPECT_EQ(a.item(), 1 - 3 * 0.5);
}

TEST(Optimizer, RefusesWhatCannotBeOptimized) {
  const Tensor a = ones({2}, requires_grad());
  const auto complaint = [&](const auto& act) -> std::string {
    try {
      act();
    } catch (const ValueError& error) {
      return error.what();
    }
    return "";
  };
  using Options = SGDOptions;
  EXPECT_THAT(complaint([&] { SGD({a * 2}, Options(1)); }), HasSubstr("non-leaf"));
  EXPECT_THAT(complaint([&] { SGD({a, a}, Options(1)); }), HasSubstr("more than one"));
  EXPECT_THAT(complaint([&] { SGD({Tensor()}, Options(1)); }), HasSubstr("undefined"));
  EXPECT_THAT(complaint([&] { SGD({a}, Options(-1)); }), HasSubstr("learning rate: -1"));
  EXPECT_THAT(complaint([&] { SGD({a}, Options(1).nesterov(true)); }), HasSubstr("Nesterov"));
  EXPECT_THAT(complaint([&] {
                Adam({a}, AdamOptions().betas({0.9, 1}));
              }),
              HasSubstr("index 1: 1"));
  EXPECT_THAT(complaint([&] { RMSprop({a}, RMSpropOptions().alpha(-1)); }), HasSubstr("alpha"));
  EXPECT_THAT(complaint([&] { Adagrad({a}, AdagradOptions().lr_decay(-1)); }),
              HasSubstr("lr_decay"));
}

TEST(Optimizer, AClosureIsCalledWithGradientsRecordedAndItsLossReturned) {
  const Tensor a = ones({2}, requires_grad());
  SGD optimizer({a}, 0.5);
  const NoGradGuard outside;
  const Tensor loss = optimizer.step([&] {
    optimizer.zero_grad();
    Tensor sum = a.square().sum();
    sum.backward();
    return sum;
  });
  EXPECT_EQ(loss.item(), 2);
  EXPECT_TRUE(a.detach().equal(zeros({2})));
}

TEST(Optimizer, ZeroGradFillsWithZerosIfGradientsAreToStay) {
  const Tensor a = ones({2}, requires_grad()), untouched = ones({2}, requires_grad());
  const SGD optimizer({a, untouched}, 0.5);
  a.sum().backward();
  optimizer.zero_grad(false);
  EXPECT_TRUE(a.grad().equal(zeros({2})));
  EXPECT_FALSE(untouched.grad().defined());
}

}  // namespace
}  // namespace notape::optim
