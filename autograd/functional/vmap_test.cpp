// vmap: batches of calls, writes, random numbers, and what is refused.
#include "autograd/functional/vmap.h"

#include "autograd/testing/expect.h"
#include "ops/ops.h"

namespace notape::testing {
namespace {

using namespace autograd::functional;
using autograd::grad;

Tensor square_sum(const Tensor& x) { return (x * x).sum(); }

TEST(Vmap, AFunctionOfOneSampleRunsOnABatch) {
  const Tensor a = constant({{1, 2}, {3, 4}, {5, 6}}), b = constant({{1, 0}, {0, 1}, {1, 1}});
  const ListFunction product = [](const variable_list& x) {
    EXPECT_EQ(x[0].sizes(), IntArrayRef({2}));
    return variable_list{dot(x[0], x[1])};
  };
  expect_values(vmap(product)({a, b})[0], {1, 4, 11});
  expect_values(vmap(product, {0, std::nullopt})({a, constant({1, 10})})[0], {21, 43, 65});
}

TEST(Vmap, TheBatchMayBeAnyDimension) {
  const Tensor x = constant({{1, 2, 3}, {4, 5, 6}});
  const TensorFunction running = [](const Tensor& row) { return row.cumsum(0); };
  expect_values(vmap(running)(x), {1, 3, 6, 4, 9, 15});
  expect_values(vmap(running, 1, 1)(x), {1, 2, 3, 5, 7, 9});
  const Tensor turned = vmap(running, -1, 0)(x);
  EXPECT_EQ(turned.sizes(), IntArrayRef({3, 2}));
  expect_values(turned, {1, 5, 2, 7, 3, 9});
  const ListFunction two = [](const variable_list& v) { return variable_list{v[0] * 2, v[1]}; };
  const auto both = vmap(two, {1, std::nullopt}, {-1, std::nullopt})({x, constant({7})});
  expect_values(both[0], {2, 4, 6, 8, 10, 12});
  expect_values(both[1], {7});
}

TEST(Vmap, AnOutputThatAllSamplesShareIsRepeated) {
  const TensorFunction constant_one = [](const Tensor&) { return ones({2}, kFloat64); };
  expect_values(vmap(constant_one)(constant({1, 2, 3})), {1, 1, 1, 1, 1, 1});
}

TEST(Vmap, ArgumentsAreChecked) {
  const ListFunction first = [](const variable_list& x) { return variable_list{x[0]}; };
  const Tensor x = constant({{1, 2}, {3, 4}}), y = constant({1, 2, 3});
  expect_error<ValueError>("same size in the mapped dimension, got 2 and 3", [&] {
    vmap(first)({x, y});
  });
  expect_error<ValueError>("no input has a batch dimension",
                           [&] { vmap(first, {std::nullopt})({x}); });
  expect_error<ValueError>("in_dims has 1 entries for 2 tensors", [&] {
    vmap(first, {0})({x, x});
  });
  expect_error<ValueError>("input 0 has no dimension", [&] { vmap(first)({constant(1)}); });
  expect_error<IndexError>("Dimension out of range", [&] { vmap(first, 2)({x}); });
  expect_error<IndexError>("Dimension out of range", [&] { vmap(first, 0, 2)({x}); });
  expect_error<ValueError>("output 0 differs between samples",
                           [&] { vmap(first, 0, {std::nullopt})({x}); });
  expect_error<UndefinedTensor>("input 0 is undefined", [&] { vmap(first)({Tensor()}); });
}

TEST(Vmap, ABatchOfNoSamplesGivesNone) {
  const Tensor none = zeros({0, 3}, kFloat64);
  EXPECT_EQ(vmap(TensorFunction(square_sum))(none).sizes(), IntArrayRef({0}));
  const TensorFunction product = [](const Tensor& x) {
    return mm(x.view({3, 1}), ones({1, 2}, kFloat64));
  };
  EXPECT_EQ(vmap(product)(none).sizes(), IntArrayRef({0, 3, 2}));
}

// What could only see one sample.
TEST(Vmap, ValuesCannotBeReadInside) {
  const Tensor x = constant({1, 2, 3});
  const auto refused = [&](const char* name, std::function<void(Tensor)> read) {
    expect_error<BatchingNotImplemented>(name, [&] {
      vmap(TensorFunction([&](const Tensor& one) {
        read(one);
        return one;
      }))(x);
    });
  };
  refused("item", [](const Tensor& t) { t.item(); });
  refused("data_ptr", [](const Tensor& t) { t.data_ptr<double>(); });
  refused("const_data_ptr", [](const Tensor& t) { t.const_data_ptr<double>(); });
  refused("mutable_data_ptr", [](const Tensor& t) { (t * 2).mutable_data_ptr<double>(); });
  refused("to_string", [](const Tensor& t) { t.to_string(); });
  refused("equal", [](const Tensor& t) { equal(t, t); });
  refused("allclose", [](const Tensor& t) { allclose(t, t); });
  refused("resize_", [](const Tensor& t) { t.clone().resize_({2}); });
  refused("one value per sample", [](const Tensor& t) { save_npy("/nonexistent", t); });
}

TEST(Vmap, AWindowCannotReachTheNextSample) {
  const TensorFunction beyond = [](const Tensor& x) { return as_strided(x, {3}, {1}); };
  expect_error<ShapeError>("but the storage has 2 elements", [&] {
    vmap(beyond)(constant({{1, 2}, {3, 4}}));
  });
}

TEST(Vmap, FactoriesInsideMakeWhatAllSamplesShare) {
  const TensorFunction f = [](const Tensor& x) {
    const Tensor plain = zeros({2}, x.options());
    EXPECT_TRUE(plain.device().is_cpu());
    EXPECT_EQ(plain.dtype(), kFloat64);
    return ones_like(x) + plain + x;
  };
  expect_values(vmap(f)(constant({{1, 2}, {3, 4}})), {2, 3, 4, 5});
}

TEST(Vmap, ZeroDimensionalSamplesKeepTheirPlaceInPromotion) {
  const ListFunction sum = [](const variable_list& x) { return variable_list{x[0] + x[1]}; };
  // A number-like float64 does not widen float32 vectors, whether batched or not.
  EXPECT_EQ(vmap(sum)({ones({3, 2}), ones({3}, kFloat64)})[0].dtype(), kFloat32);
}

// ---- Writes ----

TEST(Vmap, ASharedTensorCannotTakeAValuePerSample) {
  Tensor w = constant({1, 2});
  const uint64_t version = w._version();
  for (const auto& write : std::vector<std::function<void(Tensor)>>{
           [&](const Tensor& x) { w.add_(x); }, [&](const Tensor& x) { w.copy_(x); },
           [&](const Tensor& x) { w.index_put_({0}, x.sum()); },
           [&](const Tensor& x) { w[0] = x[0]; }}) {
    expect_error<BatchingNotImplemented>("", [&] {
      vmap(TensorFunction([&](const Tensor& x) {
        write(x);
        return x;
      }))(constant({{1, 2}, {3, 4}}));
    });
  }
  expect_values(w, {1, 2});
  EXPECT_EQ(w._version(), version);
}

TEST(Vmap, AnInputIsACopyThatMustNotBeWrittenTo) {
  const Tensor x = constant({1, 2});
  expect_error<ReadOnlyWrite>("an input of a function that vmap calls", [&] {
    vmap(TensorFunction([](Tensor one) { return one.add_(1); }))(x);
  });
  expect_values(x, {1, 2});
}

TEST(Vmap, WritesToOwnTensorsAreRecorded) {
  const TensorFunction f = [](const Tensor& x) {
    Tensor y = x * 1;
    y.select(0, 0).mul_(x[1]);
    y.mul_(y.clone());
    y.index_put_({1}, 3.0);
    return y.sum();
  };
  const Tensor x = leaf({{2, 3}, {4, 5}});
  const Tensor y = vmap(f)(x);
  expect_values(y, {39, 403});
  expect_values(grad({y.sum()}, {x})[0], {36, 24, 200, 160});
}

TEST(Vmap, LaterWritesReachNeitherSide) {
  Tensor x = constant({2, 3});
  const Tensor w = leaf(5);
  Tensor y = vmap(TensorFunction([&](const Tensor& one) { return (one * w).tanh() * w; }))(x);
  const std::vector<double> before = values(y);
  x.fill_(100);
  Tensor z = y * 1;
  y.detach().fill_(7);
  const double expected = std::tanh(10) + std::tanh(15) + 5 * 2 * (1 - std::pow(std::tanh(10), 2)) +
                          5 * 3 * (1 - std::pow(std::tanh(15), 2));
  expect_values(z, before);
  expect_values(grad({z.sum()}, {w})[0], {expected}, 1e-12);
}

// ---- Random numbers ----

TEST(Vmap, DrawingInsideIsAnErrorUnlessAllowed) {
  const Tensor x = constant({1, 2});
  for (const auto& draw : std::vector<std::function<Tensor()>>{
           [] { return rand({2}); }, [] { return randn({2}); }, [] { return randint(5, {2}); },
           [] { return randperm(3); }, [] { return dropout(ones({2}), 0.5); }})
    expect_error<BatchingNotImplemented>("randomness is Error", [&] {
      vmap(TensorFunction([&](const Tensor&) { return draw(); }))(x);
    });
}

TEST(Vmap, DifferentDrawsAreThoseOfALoopAndSameOnesAreOne) {
  const Tensor x = constant({1, 2, 3});
  for (const auto& draw : std::vector<std::function<Tensor()>>{
           [] { return rand({2}, kFloat64); }, [] { return randn({2}, kFloat64); },
           [] { return randint(1000, {2}); }, [] { return randperm(5); },
           [] { return dropout(ones({40}, kFloat64), 0.5); }}) {
    const TensorFunction f = [&](const Tensor&) { return draw(); };
    TensorList loop;
    manual_seed(7);
    for (int64_t k = 0; k < 3; ++k) loop.push_back(f(x[k]));
    manual_seed(7);
    const Tensor different = vmap(f, 0, 0, Randomness::Different)(x);
    manual_seed(7);
    const Tensor same = vmap(f, 0, 0, Randomness::Same)(x);
    expect_values(different, values(stack(loop)));
    for (int64_t k = 0; k < 3; ++k) expect_values(same[k], values(loop[0]));
  }
}

TEST(Vmap, NestedCallsDrawAsEachOfThemWants) {
  const auto draws = [](Randomness outer, Randomness inner) {
    const TensorFunction one = [](const Tensor&) { return rand({}, kFloat64); };
    const TensorFunction row = [&](const Tensor& x) { return vmap(one, 0, 0, inner)(x); };
    const std::vector<double> all = values(vmap(row, 0, 0, outer)(zeros({2, 2})));
    return std::pair(all[0] == all[2], all[0] == all[1]);
  };
  EXPECT_EQ(draws(Randomness::Different, Randomness::Different), std::pair(false, false));
  EXPECT_EQ(draws(Randomness::Same, Randomness::Different), std::pair(true, false));
  EXPECT_EQ(draws(Randomness::Different, Randomness::Same), std::pair(false, true));
}

// ---- Operators without a rule ----

Tensor pick(const Tensor& table, const Tensor& at) { return index(table, {at}); }

TEST(Vmap, AnOperatorWithoutARuleNamesItself) {
  const Tensor tables = constant({{1, 2, 3}, {4, 5, 6}}), at = tensor({{0, 2}, {1, 1}}, kInt64);
  const ListFunction f = [](const variable_list& x) { return variable_list{pick(x[0], x[1])}; };
  expect_error<BatchingNotImplemented>("index: there is no batching rule", [&] {
    vmap(f)({tables, at});
  });
  expect_error<BatchingNotImplemented>("index_put_: there is no batching rule", [&] {
    vmap(ListFunction([](const variable_list& x) {
      Tensor copy = x[0].clone();
      copy.index_put_({x[1]}, 0.0);
      return variable_list{copy};
    }))({tables, at});
  });
}

TEST(Vmap, TheLoopFallbackIsTheLoop) {
  const LoopFallbackGuard loop;
  const Tensor at = tensor({{0, 2}, {1, 1}}, kInt64), table = leaf({1, 2, 3});
  const TensorFunction f = [&](const Tensor& one) { return pick(table * table, one); };
  const Tensor y = vmap(f)(at);
  expect_values(y, {1, 9, 4, 4});
  expect_values(grad({(y * constant({{1, 2}, {3, 4}})).sum()}, {table})[0], {2, 28, 12});
  const TensorFunction inside = [&](const Tensor& one) {
    return grad({pick(table * table, one).sum()}, {table})[0];
  };
  expect_values(vmap(inside)(at), {2, 0, 6, 0, 8, 0});
}

}  // namespace
}  // namespace notape::testing
