#include "trace/latency.h"

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <functional>
#include <thread>

#include "autograd/tensor/factories.h"
#include "ops/elementwise.h"
#include "trace/recorder.h"

namespace notape::trace {
namespace {

constexpr int64_t kBatchNs = 1'000'000;
constexpr int kChain = 100;

/// One kind of work and the ns per call of each of its batches.
struct Case {
  std::function<void()> call;
  int64_t calls = 1;  // per batch
  std::vector<double> untraced{}, traced{};

  int64_t run_batch() const {
    const int64_t begin = now_ns();
    for (int64_t i = 0; i < calls; ++i) call();
    return now_ns() - begin;
  }
  /// Warms up and finds how many calls fill a batch.
  void prepare() {
    while (run_batch() < kBatchNs) calls *= 2;
  }
  void measure() { untraced.push_back(per_call(run_batch())); }
  RecorderCost measure_traced() {
    Recorder& recorder = Recorder::instance();
    recorder.start();
    traced.push_back(per_call(run_batch()));
    return recorder.stop().cost;
  }
  double per_call(int64_t ns) const { return static_cast<double>(ns) / static_cast<double>(calls); }
};

Tensor chain(const Tensor& first, const Tensor& other) {
  Tensor sum = first;
  for (int i = 0; i < kChain; ++i) sum = sum + other;
  return sum;
}

/// (a - b) / per, sample by sample; the minimum is that of a less that of b.
Samples difference(const std::vector<double>& a, const std::vector<double>& b, double per) {
  std::vector<double> ns;
  for (std::size_t i = 0; i < a.size(); ++i) ns.push_back((a[i] - b[i]) / per);
  Samples result = make_samples(std::move(ns));
  result.minimum =
      (*std::min_element(a.begin(), a.end()) - *std::min_element(b.begin(), b.end())) / per;
  return result;
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

LatencyReport measure_latency(int repetitions) {
  const Tensor a = ones({8}), b = ones({8}), gradient = ones({8});
  const Tensor g = ones({8}, requires_grad()), h = ones({8}, requires_grad());
  Case tensor_operation{[&] { const Tensor sum = a + b; }};
  Case differentiable{[&] { const Tensor sum = g + h; }};
  Case forward{[&] { const Tensor sum = chain(g, b); }};
  Case both{[&] { chain(g, b).backward(gradient); }};

  LatencyReport report;
  report.cpu = cpu_model();
  report.compiler = "g++ " __VERSION__;
  report.threads = std::thread::hardware_concurrency();
  getloadavg(&report.load, 1);
  report.repetitions = repetitions;
  Case* const cases[] = {&tensor_operation, &differentiable, &forward, &both};
  for (Case* c : cases) c->prepare();
  for (int i = 0; i < repetitions; ++i) {
    for (Case* c : cases) c->measure();
    for (Case* c : cases) report.recorder_cost = c->measure_traced();
  }
  report.rows = {
      {"tensor operation", "a + b, 8 floats, no graph", make_samples(tensor_operation.untraced),
       make_samples(tensor_operation.traced), 1700},
      {"differentiable operation", "g + h, 8 floats, node recorded and dropped",
       make_samples(differentiable.untraced), make_samples(differentiable.traced), 3400},
      {"backward node", "chain of 100 adds, (forward + backward) - forward, per node",
       difference(both.untraced, forward.untraced, kChain),
       difference(both.traced, forward.traced, kChain), 0},
  };
  return report;
}

}  // namespace notape::trace
