// threads: the same bits of the result and of every gradient for any number of threads, of the
// loops within an operation (on tensors of several threads' shares) and of the engine (in a graph
// whose nodes can run side by side).
#include <algorithm>
#include <cstring>

#include "autograd/autograd.h"
#include "ops/parallel.h"
#include "verify/checks/comparer.h"
#include "verify/generate/long_case.h"
#include "verify/numeric/thresholds.h"

namespace notape::verify {
namespace {

constexpr uint32_t kThreadStream = 1 << 27;

/// The number of threads of operations and of the engine for a scope.
class Threads {
 public:
  Threads(int loops, int engine) : loops_(get_num_threads()), engine_(Engine::get_num_threads()) {
    set_num_threads(loops);
    Engine::set_num_threads(engine);
  }
  ~Threads() {
    set_num_threads(loops_);
    Engine::set_num_threads(engine_);
  }
  Threads(const Threads&) = delete;
  Threads& operator=(const Threads&) = delete;

 private:
  int loops_, engine_;
};

/// Results from the same inputs, several times, and the gradients of all of them together.
struct Graph {
  const Subject& subject;
  const int copies;
  const variable_list inputs = subject.inputs();
  const Tensor incoming = subject.is_differentiable() ? subject.incoming_tensor() : Tensor();

  /// In row-major memory; undefined gradients stay so.
  variable_list run() const {
    variable_list outputs;
    for (int i = 0; i < copies; ++i) outputs.push_back(subject.drawn.op.call(inputs));
    variable_list all = outputs;
    if (incoming.defined() && outputs[0].requires_grad()) {
      const auto gradients =
          autograd::grad(outputs, subject.active_of(inputs),
                         variable_list(outputs.size(), incoming), false, false, true);
      all.insert(all.end(), gradients.begin(), gradients.end());
    }
    const NoGradGuard no_grad;
    for (Tensor& one : all)
      if (one.defined()) one = one.cpu().contiguous();
    return all;
  }
};

bool same_bits(const Tensor& a, const Tensor& b) {
  if (!a.defined() || !b.defined()) return a.defined() == b.defined();
  return a.numel() == b.numel() && a.dtype() == b.dtype() &&
         std::memcmp(a.data_ptr(), b.data_ptr(),
                     static_cast<std::size_t>(a.numel()) * a.element_size()) == 0;
}

struct Setting {
  int loops, engine;
};

void compare(const Graph& graph, std::initializer_list<Setting> settings, Comparer& comparer) {
  variable_list expected;
  {
    const Threads one(1, 1);
    expected = graph.run();
  }
  for (const Setting& setting : settings) {
    const Threads several(setting.loops, setting.engine);
    const variable_list got = graph.run();
    const bool same =
        std::equal(expected.begin(), expected.end(), got.begin(), got.end(), same_bits);
    if (same)
      comparer.same("bits", {}, {0}, {0});
    else
      comparer.fail(
          Verdict::Nondeterministic, "threads",
          format_message("{} threads in operations and {} in the engine give other bits than one, "
                         "on arguments of sizes {}",
                         {setting.loops, setting.engine, to_string(graph.inputs[0].sizes())}));
  }
}

}  // namespace

Outcome check_threads(const Subject& subject) {
  Comparer comparer(subject);
  compare({subject, kSideBySide}, {{1, 2}, {1, 8}}, comparer);
  // Two shares, or three. What only moves entries has no shares.
  const int64_t shares = 1 + keyed_bits(subject.drawn.key, kThreadStream, 0) % 2;
  const int64_t size = shares * kParallelGrain + 1001;
  if (std::strcmp(subject.spec.family, "shape") == 0) return comparer.finish("threads", "");
  if (const auto drawn = long_case(
          subject.spec, {.key = subject.drawn.key, .size = size, .most_entries = size + 1000},
          subject.dtype)) {
    const Subject longer(subject.spec, *drawn, subject.dtype, subject.device);
    const Graph graph{longer, 1};
    compare(graph, {{2, 1}, {3, 2}}, comparer);
    if (get_num_threads() > 3) compare(graph, {{get_num_threads(), 1}}, comparer);
  }
  return comparer.finish("threads", "the result depends on the number of threads");
}

}  // namespace notape::verify
