// Rows of the papers' checklist that belong to no single file of the core: what the 2017 paper (A)
// and the Autograd mechanics note (B) say about the library as a whole.
#include <cmath>
#include <fstream>
#include <future>
#include <map>
#include <nlohmann/json.hpp>
#include <random>
#include <set>
#include <thread>

#include "autograd/testing/expect.h"
#include "ops/ops.h"

namespace notape::testing {
namespace {

using autograd::AutogradContext;
using autograd::Function;
using autograd::grad;

/// A number with its derivative: the oracle of A02.
struct Dual {
  double value, slope;
};
Dual operator+(Dual a, Dual b) { return {a.value + b.value, a.slope + b.slope}; }
Dual operator+(Dual a, double b) { return {a.value + b, a.slope}; }
Dual operator*(Dual a, Dual b) {
  return {a.value * b.value, a.slope * b.value + a.value * b.slope};
}
Dual operator*(Dual a, double b) { return {a.value * b, a.slope * b}; }
Dual sin(Dual a) { return {std::sin(a.value), std::cos(a.value) * a.slope}; }
double value_of(Dual a) { return a.value; }
double value_of(const Tensor& a) { return a.item<double>(); }

template <typename Number>
Number halve(const Number& x, std::string& path) {
  path += 'r';
  if (std::abs(value_of(x)) < 1) return x * x;
  return halve(Number(x * 0.5), path) + sin(x);
}

/// A loop, a recursion and branches, all decided by values.
template <typename Number>
Number wander(Number x, std::string& path) {
  while (std::abs(value_of(x)) < 4 && path.size() < 30) {
    x = x * 1.7 + 0.3;
    path += 'w';
  }
  x = halve(x, path);
  path += value_of(x) > 0 ? '+' : '-';
  return value_of(x) > 0 ? Number(x * x * 0.1) : sin(x);
}

TEST(Papers, A02_ControlFlowOfTheHostIsDifferentiatedAnewEachTime) {
  std::mt19937 random(1);
  std::uniform_real_distribution<double> any(-20, 20);
  std::set<std::string> paths;
  for (int i = 0; i < 1000; ++i) {
    const double start = any(random);
    std::string path, expected_path;
    const Dual expected = wander(Dual{start, 1}, expected_path);
    const Tensor x = leaf(start);
    const Tensor y = wander(x, path);
    y.backward();
    EXPECT_EQ(path, expected_path);
    EXPECT_NEAR(y.item<double>(), expected.value, 1e-12 * std::abs(expected.value));
    EXPECT_NEAR(x.grad().item<double>(), expected.slope, 1e-12 * (1 + std::abs(expected.slope)));
    paths.insert(path);
  }
  EXPECT_GE(paths.size(), 5u);
}

TEST(Papers, A03_ValuesAreThereAndNothingElseIsWhereNoGradientIsRequired) {
  Tensor x = constant({1, 2, 3});
  for (int i = 0; i < 10; ++i) {
    const Counters before = counters();
    const Tensor y = x.tanh() * 2 + x;
    EXPECT_EQ(y.const_data_ptr<double>()[2], 2 * std::tanh(values(x)[2]) + values(x)[2]);
    EXPECT_EQ(counters().nodes_created, before.nodes_created);
    EXPECT_EQ(counters().saved_bytes, before.saved_bytes);
    EXPECT_EQ(counters().live_bytes - before.live_bytes, 24) << "the result alone";
    x = y;
  }
}

TEST(Papers, A09_DeadPartsOfAGraphAreFreedBeforeTheNextStatement) {
  const Tensor x = leaf({1, 2, 3, 4});
  const Tensor shared = x.exp();
  const Counters before = counters();
  {
    Tensor branch = shared.tanh() * shared;
    const Tensor tip = (branch * branch).sum();
    const Counters whole = counters();
    EXPECT_GE(whole.live_nodes - before.live_nodes, 4);
    branch = Tensor();
    EXPECT_EQ(counters().live_nodes, whole.live_nodes) << "tip still needs it";
  }
  EXPECT_EQ(counters().live_nodes, before.live_nodes);
  EXPECT_EQ(counters().live_bytes, before.live_bytes);
  EXPECT_EQ(counters().saved_bytes, before.saved_bytes);
  EXPECT_EQ(counters().live_tensors, before.live_tensors);
  shared.sum().backward();
  expect_values(x.grad(), values(shared));
}

TEST(Papers, A10_NoPythonIsLoaded) {
  std::ifstream maps("/proc/self/maps");
  ASSERT_TRUE(maps);
  bool sees_the_library = false;
  for (std::string line; std::getline(maps, line);) {
    EXPECT_EQ(line.find("libpython"), std::string::npos) << line;
    sees_the_library |= line.find("libnotape") != std::string::npos;
  }
  EXPECT_TRUE(sees_the_library);
}

TEST(Papers, A12_VariableAndTensorAreOneType) {
  static_assert(std::is_same_v<Variable, Tensor>);
  const auto f = [](const Tensor& a, const Tensor& b) { return (a.matmul(b) + a).tanh().sum(); };
  const Tensor a = constant({{1, 2}, {3, 4}}), b = constant({{0.5, 0}, {0, 0.25}});
  const Variable raw = f(a, b), wrapped = f(a.clone().requires_grad_(), b);
  EXPECT_EQ(values(raw), values(wrapped));
  EXPECT_FALSE(raw.requires_grad());
  EXPECT_TRUE(wrapped.requires_grad());
}

/// A library that knows nothing of tensors: x / (1 + |x|), and its slope.
extern "C" void softsign_of_library(const double* x, double* y, double* slope, std::size_t n) {
  for (std::size_t i = 0; i < n; ++i) {
    const double scale = 1 + std::fabs(x[i]);
    y[i] = x[i] / scale;
    slope[i] = 1 / (scale * scale);
  }
}

struct Softsign : Function<Softsign> {
  static Tensor forward(AutogradContext* ctx, const Tensor& x) {
    const Tensor y = empty_like(x), slope = empty_like(x);
    softsign_of_library(x.const_data_ptr<double>(), y.mutable_data_ptr<double>(),
                        slope.mutable_data_ptr<double>(), static_cast<std::size_t>(x.numel()));
    ctx->save_for_backward({slope});
    return y;
  }
  static variable_list backward(AutogradContext* ctx, variable_list g) {
    return {g[0] * ctx->get_saved_variables()[0]};
  }
};

TEST(Papers, A22_AForwardBackwardPairWrapsACLibraryWithoutCopies) {
  const std::vector<double> at = {-2, -0.3, 0.7, 5};
  const Tensor x = leaf({-2, -0.3, 0.7, 5}), weight = constant({1, -2, 3, 0.5});
  (Softsign::apply(x) * weight).sum().backward();
  const std::vector<double> weights = values(weight), slopes = values(x.grad());
  constexpr double kStep = 1e-6;
  for (std::size_t i = 0; i < at.size(); ++i) {
    const double ends[] = {at[i] - kStep, at[i] + kStep};
    double results[2], unused[2];
    softsign_of_library(ends, results, unused, 2);
    EXPECT_NEAR(slopes[i], weights[i] * (results[1] - results[0]) / (2 * kStep), 1e-9);
  }
  double memory[3] = {1, 2, 3};
  Tensor over = from_blob(memory, {3}, kFloat64);
  EXPECT_EQ(over.data_ptr(), memory) << "their memory as our tensor";
  over.mul_(2);
  EXPECT_EQ(memory[2], 6);
  over.data_ptr<double>()[0] = 50;
  EXPECT_EQ(values(over)[0], 50) << "our tensor as their memory";
}

/// Waits, in forward and in backward, until another thread has done what it wants to do.
struct Waits : Function<Waits> {
  static Tensor forward(AutogradContext*, const Tensor& x, const std::function<void()>& wait) {
    wait();
    return x * 1;
  }
  static variable_list backward(AutogradContext*, variable_list g) { return {g[0], Tensor()}; }
};

TEST(Papers, A32_NoThreadWaitsForAnothersForwardOrBackward) {
  // If there were a lock around operators, graphs or runs, the other thread could not finish.
  const auto other_thread_finishes = [] {
    std::promise<void> finished;
    std::thread other([&] {
      const Tensor w = leaf({1, 2});
      (w.exp() * w).sum().backward();
      const Tensor g = grad({w.square().sum()}, {w}, {}, {}, true)[0];
      EXPECT_TRUE(g.requires_grad());
      Tensor(g).mul_(2);
      finished.set_value();
    });
    const bool in_time =
        finished.get_future().wait_for(std::chrono::seconds(60)) == std::future_status::ready;
    if (!in_time) std::_Exit(1);  // it would never end
    other.join();
  };
  const Tensor x = leaf({3, 4});
  const Tensor y = Waits::apply(x, std::function<void()>(other_thread_finishes)) * 2;
  y.register_hook([&](const Tensor&) { other_thread_finishes(); });
  y.sum().backward();
  expect_values(x.grad(), {2, 2});
}

TEST(Papers, A40_TheComparisonWithLibTorchIsPublished) {
  std::ifstream file("bench/results/side_by_side.json");
  ASSERT_TRUE(file) << "run from the source folder";
  const nlohmann::json comparison = nlohmann::json::parse(file);
  EXPECT_FALSE(comparison.at("command").get<std::string>().empty());
  ASSERT_FALSE(comparison.at("libraries").empty());
  const auto& rows = comparison.at("rows");
  EXPECT_GE(rows.size(), 20u);
  for (const std::string library : comparison.at("libraries")) {
    std::map<std::string, double> logarithms, count;
    for (const auto& row : rows) {
      const std::string name = row.at("name");
      EXPECT_GT(row.at("notape_ns").get<double>(), 0) << name;
      EXPECT_GT(row.at("torch_ns").at(library).get<double>(), 0) << name;
      const std::string kind = row.at("kind");
      logarithms[kind] += std::log(row.at("ratio_median").at(library).get<double>());
      ++count[kind];
    }
    const auto mean = [&](const char* kind) { return std::exp(logarithms[kind] / count[kind]); };
    EXPECT_GE(mean("short"), 5) << "times faster, geometric mean over small operands, " << library;
    EXPECT_GE(mean("long"), 0.95) << "over large operands, " << library;
  }
}

// A handle, a view, a saved value and a gradient are references; whichever of them goes last.
TEST(Papers, C40_MemoryIsFreedWithItsLastReferenceWhereverThatIs) {
  constexpr int64_t kBytes = 1024 * 8;
  const Tensor x = full({1024}, 0.5, dtype(kFloat64).requires_grad(true));
  const auto live = [before = counters().live_bytes] { return counters().live_bytes - before; };
  std::vector<int> order = {0, 1, 2};
  do {
    Tensor value = x.exp(), view = value.view({32, 32});
    Tensor graph = value.tanh().sum();  // whose nodes have saved the value, and tanh of it
    int references = 3;
    for (const int which : order) {
      (which == 0 ? value : which == 1 ? view : graph).reset();
      --references;
      const int64_t tanh = graph.defined() ? kBytes + 8 : 0;
      EXPECT_EQ(live(), (references > 0 ? kBytes : 0) + tanh);
    }
  } while (std::next_permutation(order.begin(), order.end()));
  EXPECT_EQ(live(), 0);
}

TEST(Papers, A41_TheAliasCodeIsShort) {
  constexpr int kBudget = 800;
  int lines = 0;
  for (const char* stem :
       {"autograd/graph/in_place", "autograd/graph/history", "autograd/graph/window_nodes",
        "autograd/graph/region", "autograd/tensor/write_log"})
    for (const char* suffix : {".h", ".cpp"}) {
      std::ifstream file(std::string(stem) + suffix);
      if (!file) continue;  // not every noun has both
      for (std::string line; std::getline(file, line);) {
        const std::size_t begin = line.find_first_not_of(' ');
        lines += begin != std::string::npos && line.compare(begin, 2, "//") != 0;
      }
    }
  EXPECT_GT(lines, 300) << "run from the source folder";
  EXPECT_LE(lines, kBudget);
}

/// A chain of layers on a volatile input or a plain one; the most bytes alive after any operation.
std::pair<Tensor, int64_t> run_layers(const std::vector<Tensor>& weights, const Tensor& input) {
  const int64_t before = counters().live_bytes;
  int64_t peak = 0;
  Tensor h = input;
  for (const Tensor& w : weights)
    for (const bool is_product : {true, false}) {
      const Tensor next = is_product ? h.mm(w) : h.tanh();
      peak = std::max(peak, counters().live_bytes - before);
      h = next;
    }
  return {h, peak};
}

TEST(Papers, B05_OneVolatileLeafMakesInferenceTakeTheLeastMemory) {
  std::vector<Tensor> weights;
  for (int i = 0; i < 6; ++i)
    weights.push_back(full({32, 32}, 0.01, dtype(kFloat64).requires_grad(true)));
  const Tensor data = ones({16, 32}, kFloat64);
  constexpr int64_t kActivation = 16 * 32 * 8;
  const int64_t nodes = counters().nodes_created;
  const auto [output, peak] = run_layers(weights, make_variable(data, false, true));
  EXPECT_TRUE(output.is_volatile());
  EXPECT_FALSE(output.grad_fn());
  EXPECT_EQ(counters().nodes_created, nodes);
  EXPECT_LE(peak, 2 * kActivation) << "beside the parameters, the two largest activations";
  EXPECT_GE(run_layers(weights, data).second, 6 * kActivation) << "training keeps them";
  EXPECT_TRUE(weights[0].requires_grad());
}

// The note's example is a ResNet-18 on this input; here a small network of the same operators
// stands for it.
TEST(Papers, B06_ARegularInputRequiresGradAndAVolatileOneDoesNot) {
  const auto parameter = [](IntArrayRef size) {
    return full(size, 0.05, TensorOptions().requires_grad(true));
  };
  const Tensor first = parameter({4, 3, 3, 3}), second = parameter({8, 4, 3, 3}),
               classes = parameter({8 * 56 * 56, 10});
  const auto model = [&](const Tensor& image) {
    Tensor h = max_pool2d(conv2d(image, first, {}, {1, 1}, {1, 1}).relu(), {2, 2});
    h = max_pool2d(conv2d(h, second, {}, {1, 1}, {1, 1}).relu(), {2, 2});
    return h.flatten(1).mm(classes);
  };
  const Tensor image = ones({1, 3, 227, 227});
  EXPECT_TRUE(model(make_variable(image)).requires_grad());
  EXPECT_TRUE(model(make_variable(image)).grad_fn());
  const Tensor inferred = model(make_variable(image, false, true));
  EXPECT_FALSE(inferred.requires_grad());
  EXPECT_TRUE(inferred.is_volatile());
  EXPECT_FALSE(inferred.grad_fn());
}

TEST(Papers, B07_TheGraphIsADagOfFunctionsWithInputsAsLeavesAndOutputsAsRoots) {
  const Tensor x = leaf({1, 2}), w = leaf({3, 4});
  const Tensor h = x * w, out = (h.tanh() + h).sum();
  EXPECT_TRUE(x.is_leaf());
  EXPECT_FALSE(x.grad_fn());
  std::map<std::string, int> names;
  std::set<const Node*> seen;
  const std::function<void(const Node&)> visit = [&](const Node& node) {
    if (!seen.insert(&node).second) return;
    ++names[node.name()];
    EXPECT_EQ(node.num_edges() == 0, std::string(node.name()) == "AccumulateGrad");
    for (const Edge& edge : node.next_edges()) {
      EXPECT_LT(edge.function->topological_nr(), node.topological_nr()) << "no cycle";
      visit(*edge.function);
    }
  };
  visit(*out.grad_fn());
  const std::map<std::string, int> expected = {{"SumBackward1", 1},
                                               {"AddBackward0", 1},
                                               {"TanhBackward0", 1},
                                               {"MulBackward0", 1},
                                               {"AccumulateGrad", 2}};
  EXPECT_EQ(names, expected) << "the product, used twice, is one Function";
  const Tensor one = (*out.grad_fn())({constant(1)})[0];
  expect_values(one, {1, 1});
}

TEST(Papers, B09_InPlaceSavesLittleBecauseMemoryIsFreedAnyway) {
  const auto peak_of_step = [](bool in_place) {
    const Tensor w1 = full({64, 256}, 0.01, dtype(kFloat64).requires_grad(true));
    const Tensor w2 = full({256, 256}, 0.01, dtype(kFloat64).requires_grad(true));
    const Tensor w3 = full({256, 10}, 0.01, dtype(kFloat64).requires_grad(true));
    const Tensor data = ones({32, 64}, kFloat64);
    int64_t peak = 0;
    const auto measured = [&](Tensor t) {
      peak = std::max(peak, counters().live_bytes);
      t.register_hook([&](const Tensor&) { peak = std::max(peak, counters().live_bytes); });
      return t;
    };
    const auto activate = [&](Tensor t) { return measured(in_place ? t.relu_() : t.relu()); };
    const int64_t before = counters().live_bytes;
    Tensor h = activate(measured(data.mm(w1)));
    h = activate(measured(h.mm(w2)));
    measured(h.mm(w3)).square().sum().backward();
    return std::max(peak, counters().live_bytes) - before;
  };
  const auto out_of_place = static_cast<double>(peak_of_step(false));
  EXPECT_GE(static_cast<double>(peak_of_step(true)), 0.95 * out_of_place);
}

TEST(Papers, B11_InPlaceRaisesIfAnyOtherVariableRefersToTheStorage) {
  using Alias = Tensor (*)(const Tensor&);
  const Alias aliases[] = {
      [](const Tensor& x) { return x[0]; },
      [](const Tensor& x) {
        return x.index({indexing::Slice(), 1});
      },
      [](const Tensor& x) { return x.t(); },
      [](const Tensor& x) { return x.narrow(0, 1, 1); },
      [](const Tensor& x) { return x.detach(); },
  };
  const AliasPolicyGuard policy(AliasPolicy::Paper2017);
  for (const Alias alias : aliases) {
    const Tensor w = leaf({{1, 2}, {3, 4}});
    Tensor x = w * 1, y = alias(x);
    const Unchanged before({x, y});
    expect_error<AliasedInPlace>("there are 2 objects sharing it", [&] { x.add_(3); });
    expect_error<AliasedInPlace>("there are 2 objects sharing it", [&] { y.mul_(3); });
    before.check();
    y = Tensor();
  }
}

}  // namespace
}  // namespace notape::testing
