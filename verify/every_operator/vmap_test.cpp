// Every operator of the registry under vmap, against the same calls one sample at a time: values,
// both modes outside and inside, the in-place form, nested calls. An operator that is registered
// without a batching rule fails here.
#include "autograd/functional/vmap.h"

#include <gtest/gtest.h>

#include <cmath>

#include "autograd/autograd.h"
#include "ops/ops.h"
#include "ops/spec/op_spec.h"
#include "verify/generate/drawn_case.h"
#include "verify/generate/values.h"

namespace notape::verify {
namespace {

using autograd::functional::BatchDims;
using autograd::functional::ListFunction;
using autograd::functional::Randomness;
using autograd::functional::vmap;

constexpr int64_t kBatch = 3;
constexpr int kCases = 12;

/// One way of calling an operator, on several samples.
struct Samples {
  OpCase op;
  std::vector<variable_list> inputs;  // [sample][argument]
};

Samples draw_samples(const OpSpec& spec, int number, int64_t count) {
  ChoiceDraw draw(rc::Random(static_cast<uint64_t>(number) * 977 + 5));
  const DrawnCase drawn = draw_case(spec, draw, kFloat64);
  Samples result{drawn.op, {}};
  std::vector<Argument> arguments;
  for (const DrawnArgument& one : drawn.arguments) arguments.push_back(one.argument);
  for (int64_t k = 0; k < count; ++k) {
    const std::vector<Numbers> distinct = draw_distinct(draw, arguments, kFloat64);
    variable_list& inputs = result.inputs.emplace_back();
    for (std::size_t a = 0; a < arguments.size(); ++a)
      inputs.push_back(make_tensor(
          arguments[a].distinct ? distinct[a] : draw_values(draw, arguments[a], kFloat64),
          arguments[a].sizes, drawn.arguments[a].dtype(kFloat64)));
  }
  return result;
}

/// Bits, or for sums that run in another order a few roundings of their terms, which are around 1.
void expect_same(const Tensor& expected, const Tensor& got, const std::string& what) {
  SCOPED_TRACE(what);
  ASSERT_EQ(to_string(expected.sizes()), to_string(got.sizes()));
  ASSERT_EQ(expected.dtype(), got.dtype());
  const Numbers a = numbers_of(expected), b = numbers_of(got);
  double largest = 1;
  for (const double entry : a)
    if (std::isfinite(entry)) largest = std::max(largest, std::abs(entry));
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (a[i] == b[i] || (std::isnan(a[i]) && std::isnan(b[i]))) continue;
    EXPECT_LE(std::abs(a[i] - b[i]), 0x1p-44 * largest) << a[i] << " became " << b[i];
  }
}

using Dims = std::vector<std::optional<int64_t>>;

/// Which arguments have a batch, and where.
struct Way {
  std::vector<bool> batched;
  int64_t in_dim = 0, out_dim = 0;
  Dims dims() const {
    Dims result;
    for (const bool one : batched) result.push_back(one ? std::optional(in_dim) : std::nullopt);
    return result;
  }
};

/// All arguments batched, then each alone, then all but each.
std::vector<Way> ways_of(std::size_t arguments) {
  std::vector<Way> ways = {{std::vector<bool>(arguments, true)}};
  ways.push_back({std::vector<bool>(arguments, true), -1, -1});
  for (std::size_t a = 0; a < arguments && arguments > 1; ++a) {
    Way alone{std::vector<bool>(arguments, false)}, others{std::vector<bool>(arguments, true)};
    alone.batched[a] = true;
    others.batched[a] = false;
    ways.push_back(alone);
    ways.push_back(others);
  }
  return ways;
}

/// The inputs of sample k: its own where batched, those of sample 0 where shared.
variable_list sample_of(const Samples& samples, const Way& way, std::size_t k) {
  variable_list result;
  for (std::size_t a = 0; a < way.batched.size(); ++a)
    result.push_back(samples.inputs[way.batched[a] ? k : 0][a]);
  return result;
}

variable_list batch_of(const Samples& samples, const Way& way) {
  variable_list result;
  for (std::size_t a = 0; a < way.batched.size(); ++a) {
    TensorList all;
    for (const variable_list& sample : samples.inputs) all.push_back(sample[a]);
    result.push_back(way.batched[a] ? stack(all, way.in_dim) : samples.inputs[0][a]);
  }
  return result;
}

ListFunction as_function(const Samples& samples) {
  return [call = samples.op.call](const variable_list& x) { return variable_list{call(x)}; };
}

/// What has no batching rule, and has to say so: positions that differ between samples, and writes
/// of values that differ between samples into a tensor that they share.
bool is_refused(const OpSpec& spec, const Samples& samples, const Way& way) {
  const std::string_view name = spec.name;
  const bool at_positions =
      name == "index" || name == "masked_select" || name.starts_with("index_put");
  bool other_batched = false, batched_positions = false;
  for (std::size_t a = 1; a < way.batched.size(); ++a) {
    other_batched |= way.batched[a];
    batched_positions |= way.batched[a] && samples.op.arguments[a].kind != Argument::Kind::Real;
  }
  const bool writes = name == "copy" || name == "index_put";
  return (at_positions && batched_positions) || (writes && !way.batched[0] && other_batched);
}

void expect_refusal(const OpSpec& spec, const Samples& samples, const Way& way) {
  try {
    vmap(as_function(samples), BatchDims(way.dims()), 0)(batch_of(samples, way));
    ADD_FAILURE() << "nothing was raised";
  } catch (const BatchingNotImplemented& error) {
    const std::string_view row = spec.name;
    const std::string_view name = row == "index_put_accumulate" ? "index_put" : row;
    EXPECT_TRUE(std::string_view(error.what()).starts_with(name)) << error.what();
  }
}

/// Runs `check` on several cases of every operator, in every way.
template <typename Check>
void for_every_operator(int64_t count, const Check& check) {
  for (const OpSpec* spec : op_specs())
    for (int number = 0; number < kCases; ++number) {
      const Samples samples = draw_samples(*spec, number, count);
      for (const Way& way : ways_of(samples.op.arguments.size())) {
        std::string how;
        for (const bool batched : way.batched) how += batched ? " batched" : " shared";
        SCOPED_TRACE(std::string(spec->name) + ", case " + std::to_string(number) + " (" +
                     samples.op.label + "), arguments" + how + ", in_dim " +
                     std::to_string(way.in_dim));
        if (is_refused(*spec, samples, way)) {
          expect_refusal(*spec, samples, way);
          continue;
        }
        try {
          check(*spec, samples, way);
        } catch (const Error& error) {
          ADD_FAILURE() << error.kind() << ": " << error.what();
        }
        if (::testing::Test::HasFailure()) return;
      }
    }
}

/// Real numbers shaped like `like`, different for each key.
Tensor directions_like(const Tensor& like, std::size_t key) {
  Numbers numbers(static_cast<std::size_t>(like.numel()));
  for (std::size_t i = 0; i < numbers.size(); ++i)
    numbers[i] = std::sin(static_cast<double>(i * 7 + key * 31 + 1));
  return make_tensor(numbers, like.sizes().vec(), kFloat64);
}

/// What is real among the inputs, as the function of that alone.
struct OfReals {
  std::vector<std::size_t> which;
  variable_list others;  // all inputs
  std::function<Tensor(const variable_list&)> call;

  variable_list reals(const variable_list& inputs) const {
    variable_list result;
    for (const std::size_t a : which) result.push_back(inputs[a]);
    return result;
  }
  variable_list operator()(const variable_list& reals) const {
    variable_list all = others;
    for (std::size_t i = 0; i < which.size(); ++i) all[which[i]] = reals[i];
    return {call(all)};
  }
};

OfReals of_reals(const Samples& samples, const variable_list& inputs) {
  OfReals result{{}, inputs, samples.op.call};
  for (std::size_t a = 0; a < inputs.size(); ++a)
    if (samples.op.arguments[a].kind == Argument::Kind::Real) result.which.push_back(a);
  return result;
}

bool is_differentiable(const OpSpec& spec, const Samples& samples) {
  return spec.order > 0 && samples.op.call(samples.inputs[0]).is_floating_point() &&
         !of_reals(samples, samples.inputs[0]).which.empty();
}

namespace functional = autograd::functional;

TEST(EveryOperator, VmapIsTheStackOfSingleCalls) {
  for_every_operator(kBatch, [](const OpSpec&, const Samples& samples, const Way& way) {
    const Tensor got = vmap(as_function(samples), BatchDims(way.dims()), way.out_dim,
                            Randomness::Same)(batch_of(samples, way))[0];
    for (std::size_t k = 0; k < kBatch; ++k)
      expect_same(samples.op.call(sample_of(samples, way, k)),
                  select(got, way.out_dim, static_cast<int64_t>(k)), "sample " + std::to_string(k));
  });
}

TEST(EveryOperator, InPlaceFormsAreTheSameUnderVmap) {
  for_every_operator(kBatch, [](const OpSpec&, const Samples& samples, const Way& way) {
    if (!samples.op.call_in_place || !way.batched[0]) return;
    const ListFunction in_place = [&](const variable_list& x) {
      variable_list arguments = x;
      arguments[0] = x[0].clone();
      samples.op.call_in_place(arguments);
      return variable_list{arguments[0]};
    };
    const Tensor got = vmap(in_place, BatchDims(way.dims()), way.out_dim,
                            Randomness::Same)(batch_of(samples, way))[0];
    for (std::size_t k = 0; k < kBatch; ++k)
      expect_same(samples.op.call(sample_of(samples, way, k)),
                  select(got, way.out_dim, static_cast<int64_t>(k)), "sample " + std::to_string(k));
  });
}

TEST(EveryOperator, GradientsOfVmapAreThoseOfSingleCalls) {
  for_every_operator(kBatch, [](const OpSpec& spec, const Samples& samples, const Way& way) {
    if (!is_differentiable(spec, samples)) return;
    const variable_list batch = batch_of(samples, way);
    const OfReals all = of_reals(samples, batch);
    variable_list incoming;
    std::vector<variable_list> expected;  // [sample][real argument]
    for (std::size_t k = 0; k < kBatch; ++k) {
      const variable_list inputs = sample_of(samples, way, k);
      const OfReals f = of_reals(samples, inputs);
      incoming.push_back(directions_like(samples.op.call(inputs), k));
      expected.push_back(functional::vjp(f, f.reals(inputs), {incoming.back()}).product);
    }
    const ListFunction batched = [&](const variable_list& reals) {
      variable_list x = batch;
      for (std::size_t i = 0; i < all.which.size(); ++i) x[all.which[i]] = reals[i];
      return vmap(as_function(samples), BatchDims(way.dims()), way.out_dim, Randomness::Same)(x);
    };
    const auto got =
        functional::vjp(batched, all.reals(batch), {stack(incoming, way.out_dim)}).product;
    for (std::size_t i = 0; i < all.which.size(); ++i) {
      TensorList each;
      for (const variable_list& one : expected) each.push_back(one[i]);
      const bool own = way.batched[all.which[i]];
      expect_same(own ? stack(each, way.in_dim) : sum(stack(each), {0}), got[i],
                  "gradient " + std::to_string(i));
    }
  });
}

TEST(EveryOperator, GradientsInsideVmapAreOnePerSample) {
  for_every_operator(kBatch, [](const OpSpec& spec, const Samples& samples, const Way& way) {
    if (!is_differentiable(spec, samples)) return;
    variable_list batch = batch_of(samples, way), incoming;
    for (std::size_t k = 0; k < kBatch; ++k)
      incoming.push_back(directions_like(samples.op.call(sample_of(samples, way, k)), k));
    batch.push_back(stack(incoming));
    Dims dims = way.dims();
    dims.push_back(0);
    const ListFunction gradients = [&](const variable_list& x) {
      const variable_list inputs(x.begin(), x.end() - 1);
      const OfReals f = of_reals(samples, inputs);
      return functional::vjp(f, f.reals(inputs), {x.back()}).product;
    };
    const variable_list got = vmap(gradients, BatchDims(dims), 0, Randomness::Same)(batch);
    for (std::size_t k = 0; k < kBatch; ++k) {
      variable_list inputs = sample_of(samples, way, k);
      inputs.push_back(incoming[k]);
      const variable_list expected = gradients(inputs);
      for (std::size_t i = 0; i < expected.size(); ++i)
        expect_same(expected[i], select(got[i], 0, static_cast<int64_t>(k)),
                    "gradient " + std::to_string(i) + " of sample " + std::to_string(k));
    }
  });
}

TEST(EveryOperator, TangentsOutsideAndInsideVmapAreThoseOfSingleCalls) {
  for_every_operator(kBatch, [](const OpSpec& spec, const Samples& samples, const Way& way) {
    if (!is_differentiable(spec, samples)) return;
    const variable_list batch = batch_of(samples, way);
    const OfReals all = of_reals(samples, batch);
    variable_list directions;
    for (std::size_t i = 0; i < all.which.size(); ++i)
      directions.push_back(directions_like(batch[all.which[i]], i));
    const ListFunction batched = [&](const variable_list& reals) {
      variable_list x = batch;
      for (std::size_t i = 0; i < all.which.size(); ++i) x[all.which[i]] = reals[i];
      return vmap(as_function(samples), BatchDims(way.dims()), 0, Randomness::Same)(x);
    };
    const Tensor outside = functional::jvp(batched, all.reals(batch), directions).product[0];
    const ListFunction tangents = [&](const variable_list& x) {
      const variable_list inputs(x.begin(), x.begin() + static_cast<std::ptrdiff_t>(batch.size()));
      const OfReals f = of_reals(samples, inputs);
      const variable_list v(x.begin() + static_cast<std::ptrdiff_t>(batch.size()), x.end());
      return functional::jvp(f, f.reals(inputs), v).product;
    };
    variable_list with_directions = batch;
    Dims dims = way.dims();
    for (std::size_t i = 0; i < all.which.size(); ++i) {
      with_directions.push_back(directions[i]);
      dims.push_back(way.batched[all.which[i]] ? std::optional(way.in_dim) : std::nullopt);
    }
    const Tensor inside = vmap(tangents, BatchDims(dims), 0, Randomness::Same)(with_directions)[0];
    for (std::size_t k = 0; k < kBatch; ++k) {
      variable_list x = sample_of(samples, way, k);
      for (std::size_t i = 0; i < all.which.size(); ++i)
        x.push_back(way.batched[all.which[i]]
                        ? select(directions[i], way.in_dim, static_cast<int64_t>(k))
                        : directions[i]);
      const Tensor expected = tangents(x)[0];
      expect_same(expected, select(outside, 0, static_cast<int64_t>(k)), "outside");
      expect_same(expected, select(inside, 0, static_cast<int64_t>(k)), "inside");
    }
  });
}

bool takes_positions(const Samples& samples) {
  return samples.op.arguments.size() > 2 && samples.op.arguments[2].kind != Argument::Kind::Real;
}

// The inner call maps over the second halves of the samples, the outer one over the first: some
// arguments are batched by both, some by one, some by none.
TEST(EveryOperator, NestedCallsAreTheStacksOfSingleCalls) {
  constexpr int64_t kInner = 2, kOuter = 2;
  for_every_operator(kInner * kOuter, [](const OpSpec&, const Samples& samples, const Way& way) {
    if (way.in_dim != 0 || takes_positions(samples)) return;
    variable_list inputs;
    Dims outer_dims, inner_dims;
    const auto sample_for = [&](std::size_t a, int64_t outer, int64_t inner) {
      const int64_t i = a % 2 == 0 || way.batched[a] ? outer : 0;
      const int64_t j = way.batched[a] ? inner : 0;
      return samples.inputs[static_cast<std::size_t>(i * kInner + j)][a];
    };
    for (std::size_t a = 0; a < way.batched.size(); ++a) {
      TensorList all;
      for (int64_t i = 0; i < kOuter; ++i) {
        TensorList row;
        for (int64_t j = 0; j < kInner; ++j) row.push_back(sample_for(a, i, j));
        all.push_back(way.batched[a] ? stack(row) : row[0]);
      }
      const bool by_outer = a % 2 == 0 || way.batched[a];
      inputs.push_back(by_outer ? stack(all) : all[0]);
      outer_dims.push_back(by_outer ? std::optional<int64_t>(0) : std::nullopt);
      inner_dims.push_back(way.batched[a] ? std::optional<int64_t>(0) : std::nullopt);
    }
    const ListFunction inner =
        vmap(as_function(samples), BatchDims(inner_dims), 0, Randomness::Same);
    const Tensor got = vmap(inner, BatchDims(outer_dims), 0, Randomness::Same)(inputs)[0];
    for (int64_t i = 0; i < kOuter; ++i)
      for (int64_t j = 0; j < kInner; ++j) {
        variable_list x;
        for (std::size_t a = 0; a < way.batched.size(); ++a) x.push_back(sample_for(a, i, j));
        expect_same(samples.op.call(x), select(select(got, 0, i), 0, j),
                    "sample " + std::to_string(i) + ", " + std::to_string(j));
      }
  });
}

}  // namespace
}  // namespace notape::verify
