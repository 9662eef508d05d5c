// What arithmetic gets of the memory's bandwidth: the loops of STREAM (J. D. McCalpin, "Memory
// bandwidth and machine balance in current high performance computers", 1995) over floats, and
// beside each the operator that does the same. bytes_per_second counts what is read and written;
// one thread.
#include <benchmark/benchmark.h>

#include <string>

#include "notape/notape.h"

namespace {

using notape::Tensor;

constexpr float kFactor = 3;

/// c[i] = f(a[i], b[i]), of which `arrays` are read or written.
struct Loop {
  const char* name;
  int arrays;
  void (*run)(float* __restrict c, const float* a, const float* b, int64_t n);
  Tensor (*operation)(const Tensor& a, const Tensor& b);
};

template <typename F>
void for_each_element(float* __restrict c, const float* a, const float* b, int64_t n, F f) {
  for (int64_t i = 0; i < n; ++i) c[i] = f(a[i], b[i]);
}

const Loop kLoops[] = {
    {"copy", 2,
     [](float* __restrict c, const float* a, const float* b, int64_t n) {
       for_each_element(c, a, b, n, [](float x, float) { return x; });
     },
     [](const Tensor& a, const Tensor&) { return a.clone(); }},
    {"scale", 2,
     [](float* __restrict c, const float* a, const float* b, int64_t n) {
       for_each_element(c, a, b, n, [](float x, float) { return kFactor * x; });
     },
     [](const Tensor& a, const Tensor&) { return a * kFactor; }},
    {"add", 3,
     [](float* __restrict c, const float* a, const float* b, int64_t n) {
       for_each_element(c, a, b, n, [](float x, float y) { return x + y; });
     },
     [](const Tensor& a, const Tensor& b) { return a + b; }},
    {"triad", 3,
     [](float* __restrict c, const float* a, const float* b, int64_t n) {
       for_each_element(c, a, b, n, [](float x, float y) { return x + kFactor * y; });
     },
     [](const Tensor& a, const Tensor& b) { return a.add(b, kFactor); }},
};

void count_bytes(benchmark::State& state, const Loop& loop, int64_t n) {
  state.SetBytesProcessed(state.iterations() * n * loop.arrays *
                          static_cast<int64_t>(sizeof(float)));
}

/// Into memory that is there.
void run_loop(benchmark::State& state, const Loop& loop, int64_t n) {
  const Tensor a = notape::rand({n}), b = notape::rand({n}), c = notape::zeros({n});
  for (auto _ : state) {
    loop.run(c.data_ptr<float>(), a.data_ptr<float>(), b.data_ptr<float>(), n);
    benchmark::ClobberMemory();
  }
  count_bytes(state, loop, n);
}

/// Into a new tensor.
void run_operation(benchmark::State& state, const Loop& loop, int64_t n) {
  notape::set_num_threads(1);
  const Tensor a = notape::rand({n}), b = notape::rand({n});
  for (auto _ : state) benchmark::DoNotOptimize(loop.operation(a, b));
  count_bytes(state, loop, n);
}

const bool kRegistered = [] {
  for (const Loop& loop : kLoops)
    for (const int64_t n : {int64_t{1} << 16, int64_t{1} << 20, int64_t{1} << 24})
      for (const auto run : {run_loop, run_operation}) {
        const std::string name = std::string(loop.name) + '/' + std::to_string(n) +
                                 (run == run_loop ? "/loop" : "/operator");
        benchmark::RegisterBenchmark(
            name.c_str(), [run, &loop, n](benchmark::State& state) { run(state, loop, n); });
      }
  return true;
}();

}  // namespace
