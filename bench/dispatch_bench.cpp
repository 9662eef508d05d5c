// Dispatch overhead with Google Benchmark: one operation on 8 floats, with and without graph, and
// the backward node that belongs to it.
#include <benchmark/benchmark.h>

#include "autograd/autograd.h"
#include "ops/ops.h"

namespace notape {
namespace {

void TensorAdd(benchmark::State& state) {
  const Tensor a = ones({8}), b = ones({8});
  for (auto _ : state) benchmark::DoNotOptimize(a + b);
}
BENCHMARK(TensorAdd);

void DifferentiableAdd(benchmark::State& state) {
  const Tensor a = ones({8}, requires_grad()), b = ones({8}, requires_grad());
  for (auto _ : state) benchmark::DoNotOptimize(a + b);
}
BENCHMARK(DifferentiableAdd);

void TensorMulByNumber(benchmark::State& state) {
  const Tensor a = ones({8});
  for (auto _ : state) benchmark::DoNotOptimize(a * 2.0);
}
BENCHMARK(TensorMulByNumber);

void View(benchmark::State& state) {
  const Tensor a = ones({8});
  for (auto _ : state) benchmark::DoNotOptimize(a.view({2, 4}));
}
BENCHMARK(View);

void InPlaceAdd(benchmark::State& state) {
  Tensor a = zeros({8});
  const Tensor b = ones({8});
  for (auto _ : state) a.add_(b);
}
BENCHMARK(InPlaceAdd);

void SmallMatrixProduct(benchmark::State& state) {
  const Tensor a = randn({8, 8}), b = randn({8, 8});
  for (auto _ : state) benchmark::DoNotOptimize(a.mm(b));
}
BENCHMARK(SmallMatrixProduct);

/// Per operation: a chain of `range` adds, forward and backward.
void ChainOfAdds(benchmark::State& state) {
  const Tensor x = ones({8}, requires_grad()), h = ones({8}, requires_grad()), seed = ones({8});
  for (auto _ : state) {
    Tensor t = x;
    for (int64_t i = 0; i < state.range(0); ++i) t = t + h;
    t.backward(seed);
  }
  state.SetItemsProcessed(state.iterations() * state.range(0));
}
BENCHMARK(ChainOfAdds)->Arg(1)->Arg(100)->Arg(1000);

/// Elementwise work against overhead: float32 elements per second.
void AddElements(benchmark::State& state) {
  const Tensor a = ones({state.range(0)}), b = ones({state.range(0)});
  for (auto _ : state) benchmark::DoNotOptimize(a + b);
  state.SetItemsProcessed(state.iterations() * state.range(0));
}
BENCHMARK(AddElements)->RangeMultiplier(32)->Range(8, 1 << 20);

}  // namespace
}  // namespace notape
