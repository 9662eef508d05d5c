#include "trace/latency.h"

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <functional>
#include <thread>

#include "autograd/tensor/factories.h"
#include "ops/arithmetic.h"
#include "trace/recorder.h"

namespace notape::trace {
namespace {

constexpr int64_t kBatchNs = 1'000'000;
constexpr int kChain = 100;

/// One kind of work and the ns per operation of each of its batches.
struct Case {
  std::function<int64_t(int64_t calls)> run;  ///< returns the ns that count
  double operations = 1;                      ///< per call
  int64_t calls = 1;                          ///< per batch
  std::vector<double> untraced{}, traced{};

  /// Warms up and finds how many calls fill a batch.
  void prepare() {
    while (run(calls) < kBatchNs) calls *= 2;
  }
  double run_batch() const {
    return static_cast<double>(run(calls)) / (static_cast<double>(calls) * operations);
  }
  void measure() { untraced.push_back(run_batch()); }
  RecorderCost measure_traced() {
    Recorder& recorder = Recorder::instance();
    recorder.start();
    traced.push_back(run_batch());
    return recorder.stop().cost;
  }
};

template <typename F>
Case repeated(F f) {
  return {[f](int64_t calls) {
    const int64_t begin = now_ns();
    for (int64_t i = 0; i < calls; ++i) f();
    return now_ns() - begin;
  }};
}

Tensor chain(const Tensor& first, const Tensor& other) {
  Tensor sum = first;
  for (int i = 0; i < kChain; ++i) sum = sum + other;
  return sum;
}

/// Forward and backward through a chain, less forward: the clock runs from the end of forward until
/// the graph is gone.
Case backward_of_chain(const Tensor& first, const Tensor& other, const Tensor& gradient) {
  return {[=](int64_t calls) {
            int64_t ns = 0;
            for (int64_t i = 0; i < calls; ++i) {
              Tensor sum = chain(first, other);
              const int64_t begin = now_ns();
              sum.backward(gradient);
              sum.reset();
              ns += now_ns() - begin;
            }
            return ns;
          },
          kChain};
}

std::string cpu_model() {
  std::ifstream file("/proc/cpuinfo");
  for (std::string line; std::getline(file, line);) {
    if (!line.starts_with("model name")) continue;
    const auto colon = line.find(": ");
    if (colon != std::string::npos) return line.substr(colon + 2);
  }
  return "unknown";
}

double median_of(std::vector<double> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

}  // namespace

Samples make_samples(std::vector<double> ns) {
  Samples result;
  result.minimum = *std::min_element(ns.begin(), ns.end());
  result.median = median_of(ns);
  std::vector<double> deviations;
  for (double value : ns) deviations.push_back(std::abs(value - result.median));
  result.mad = median_of(std::move(deviations));
  result.ns = std::move(ns);
  return result;
}

LatencyReport measure_latency(int repetitions, const std::function<bool()>& enough) {
  const Tensor a = ones({8}), b = ones({8}), gradient = ones({8});
  const Tensor g = ones({8}, requires_grad()), h = ones({8}, requires_grad());
  Case tensor_operation = repeated([&] { const Tensor sum = a + b; });
  Case differentiable = repeated([&] { const Tensor sum = g + h; });
  Case backward = backward_of_chain(g, b, gradient);

  LatencyReport report;
  report.cpu = cpu_model();
  report.compiler = "g++ " __VERSION__;
  report.threads = std::thread::hardware_concurrency();
  getloadavg(&report.load, 1);
  report.planned = repetitions;
  Case* const cases[] = {&tensor_operation, &differentiable, &backward};
  for (Case* c : cases) c->prepare();
  for (Case* c : cases) c->measure_traced();  // touches the log's memory
  for (Case* c : cases) c->traced.clear();
  for (int i = 0; i < repetitions && !(i > 0 && enough && enough()); ++i) {
    ++report.repetitions;
    for (Case* c : cases) c->measure();
    for (Case* c : cases) report.recorder_cost = c->measure_traced();
  }
  report.rows = {
      {"tensor operation", "a + b, 8 floats, no graph", make_samples(tensor_operation.untraced),
       make_samples(tensor_operation.traced), 1700},
      {"differentiable operation", "g + h, 8 floats, node recorded and dropped",
       make_samples(differentiable.untraced), make_samples(differentiable.traced), 3400},
      {"backward node", "chain of 100 adds: forward and backward, less forward, per node",
       make_samples(backward.untraced), make_samples(backward.traced), 0},
  };
  return report;
}

}  // namespace notape::trace
