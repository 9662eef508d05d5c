// The gates of an LSTM in one kernel, of more rows and columns than a vector holds: against
// operators one by one.
#include "ops/recurrent/lstm_gates.h"

#include "ops/parallel.h"
#include "ops/reduce/testing/derivatives.h"

namespace notape::testing {
namespace {

using GatesList = std::vector<Tensor>;

GatesList in_one(const Tensor& z, const Tensor& c) {
  const CellState after = through_lstm_gates(z, c, At::current());
  return {after.h, after.c};
}
GatesList one_by_one(const Tensor& z, const Tensor& c) {
  const TensorList parts = chunk(z, 4, -1);
  const Tensor after = sigmoid(parts[1]) * c + sigmoid(parts[0]) * tanh(parts[2]);
  return {sigmoid(parts[3]) * tanh(after), after};
}

struct GatesInputs {
  Tensor z, c;
  explicit GatesInputs(ScalarType type, int64_t rows = 70, int64_t width = 37)
      : z(to(sin(arange(0, rows * 4 * width, TensorOptions(kFloat64)) * 5) * 4, type)
              .reshape({rows, 4 * width})
              .requires_grad_()),
        c(to(sin(arange(0, rows * width, TensorOptions(kFloat64)) * 3) * 2, type)
              .reshape({rows, width})
              .requires_grad_()) {}
};

void expect_all_near(const GatesList& all, const GatesList& expected, double tolerance) {
  ASSERT_EQ(all.size(), expected.size());
  for (std::size_t i = 0; i < all.size(); ++i) {
    SCOPED_TRACE(i);
    ASSERT_EQ(all[i].sizes(), expected[i].sizes());
    EXPECT_LE((all[i] - expected[i]).abs().max().item(), tolerance);
  }
}

/// The results, and gradients from each of them alone and from both.
template <typename F>
GatesList results_and_gradients(const F& f, const GatesInputs& x) {
  const GatesList results = f(x.z, x.c);
  GatesList all = {results[0].detach(), results[1].detach()};
  for (const int which : {1, 2, 3}) {
    TensorList some, weights;
    for (std::size_t i : {0u, 1u})
      if (which >> i & 1) {
        some.push_back(results[i]);
        weights.push_back(results[i].detach().cos());
      }
    for (const Tensor& one : autograd::grad(some, {x.z, x.c}, weights, true)) all.push_back(one);
  }
  return all;
}

TEST(LstmGates, AreThoseOfOperators) {
  for (const auto& [type, tolerance] : {std::pair(kFloat64, 1e-14), std::pair(kFloat32, 2e-6)}) {
    SCOPED_TRACE(name_of(type));
    const GatesInputs x(type);
    expect_all_near(results_and_gradients(in_one, x), results_and_gradients(one_by_one, x),
                    tolerance);
  }
}

TEST(LstmGates, HaveDerivativesOfEveryOrder) {
  const GatesInputs x(kFloat64, 3, 9);
  const auto second = [&](const auto& f) {
    const GatesList results = f(x.z, x.c);
    const TensorList first =
        autograd::grad({results[0].sin().sum() + results[1].exp().sum()}, {x.z, x.c}, {}, {}, true);
    GatesList all = {first[0].detach(), first[1].detach()};
    const Tensor sum = first[0].sin().sum() + first[1].square().sum();
    for (const Tensor& one : autograd::grad({sum}, {x.z, x.c})) all.push_back(one);
    return all;
  };
  expect_all_near(second(in_one), second(one_by_one), 1e-13);
  const auto tangent = [&](const auto& f, std::size_t which, bool of_z) {
    const Tensor z = x.z.detach(), c = x.c.detach();
    return directional_derivative(
        [&](const Tensor& changed) { return of_z ? f(changed, c)[which] : f(z, changed)[which]; },
        of_z ? z : c, (of_z ? z : c).cos());
  };
  for (const std::size_t which : {0u, 1u})
    for (const bool of_z : {true, false})
      expect_all_near({tangent(in_one, which, of_z)}, {tangent(one_by_one, which, of_z)}, 1e-14);
}

TEST(LstmGates, BitsDependOnNeitherThreadsNorRecording) {
  struct Threads {
    int before = get_num_threads();
    ~Threads() { set_num_threads(before); }
  } threads;
  const GatesInputs x(kFloat32, 300, 50);
  set_num_threads(1);
  const GatesList all = results_and_gradients(in_one, x);
  set_num_threads(3);
  const GatesList again = results_and_gradients(in_one, x);
  for (std::size_t i = 0; i < all.size(); ++i) EXPECT_TRUE(equal(all[i], again[i])) << i;
  const GatesList results = in_one(x.z, x.c);
  const TensorList recorded =
      autograd::grad({results[0]}, {x.z, x.c}, {results[0].detach().cos()}, true, true);
  for (std::size_t i : {0u, 1u}) EXPECT_TRUE(equal(recorded[i], all[2 + i])) << i;
}

}  // namespace
}  // namespace notape::testing
