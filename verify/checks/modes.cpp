// modes: a call and its backward leave the modes of the thread and the process as they found them:
// whether gradients are recorded, deterministic mode, the number of threads, the random numbers of
// everybody else, the rounding of the processor. All are set to something unusual first, so that a
// function cannot be right by setting what already is.
#include <cfenv>
#include <limits>

#include "autograd/autograd.h"
#include "ops/parallel.h"
#include "verify/checks/comparer.h"

namespace notape::verify {
namespace {

bool keeps_denormals() {
  const volatile double smallest = std::numeric_limits<double>::min();
  return smallest / 2 != 0;
}

/// What a function may read, and must not leave changed.
struct Modes {
  ThreadState thread = thread_state;
  int loops = get_num_threads(), engine = Engine::get_num_threads();
  Generator generator = default_generator().clone();
  int rounding = std::fegetround();
  bool denormals = keeps_denormals();

  void restore() const {
    ThreadState& now = thread_state;
    now.grad_mode = thread.grad_mode;
    now.inference_mode = thread.inference_mode;
    now.deterministic = thread.deterministic;
    now.structural_zeros = thread.structural_zeros;
    now.loop_fallback = thread.loop_fallback;
    now.detached_write = thread.detached_write;
    now.anomaly = thread.anomaly;
    now.alias_policy = thread.alias_policy;
    now.forward_level_limit = thread.forward_level_limit;
    now.forward_level_floor = thread.forward_level_floor;
    set_num_threads(loops);
    Engine::set_num_threads(engine);
    default_generator().copy_state(generator);
    std::fesetround(rounding);
  }
};

/// Whether somebody has seeded the generator and drawn nothing, or it is as it was. Who seeds it to
/// draw the same numbers every time, as one does with dropout in a test, may.
bool is_spoilt(const Generator& before, const Generator& after) {
  Generator was = before.clone(), is = after.clone(), fresh(is.current_seed());
  const bool same = was.next64() == is.clone().next64() && was.current_seed() == is.current_seed();
  return !same && fresh.next64() == is.next64();
}

/// The first thing that is not as it was; null if all is.
const char* changed(const Modes& before, const Modes& after) {
  const struct {
    bool same;
    const char* what;
  } all[] = {
      {before.thread.grad_mode == after.thread.grad_mode, "whether gradients are recorded"},
      {before.thread.inference_mode == after.thread.inference_mode, "inference mode"},
      {before.thread.deterministic == after.thread.deterministic, "deterministic mode"},
      {before.thread.structural_zeros == after.thread.structural_zeros, "structural zeros"},
      {before.thread.loop_fallback == after.thread.loop_fallback, "the fallback of vmap"},
      {before.thread.detached_write == after.thread.detached_write,
       "the policy of detached writes"},
      {before.thread.anomaly == after.thread.anomaly, "anomaly mode"},
      {before.thread.alias_policy == after.thread.alias_policy, "the alias policy"},
      {before.thread.forward_levels == after.thread.forward_levels, "the levels of forward mode"},
      {before.loops == after.loops, "the number of threads of operations"},
      {before.engine == after.engine, "the number of threads of backward"},
      {before.rounding == after.rounding, "the processor's rounding mode"},
      {before.denormals == after.denormals, "whether the processor keeps denormal numbers"},
      {!is_spoilt(before.generator, after.generator), "the state of the thread's random numbers"},
  };
  for (const auto& [same, what] : all)
    if (!same) return what;
  return nullptr;
}

class AsBefore {
 public:
  ~AsBefore() { modes_.restore(); }

 private:
  const Modes modes_;
};

void check_once(const Subject& subject, bool deterministic, bool records, Comparer& comparer) {
  const AsBefore as_before;
  set_deterministic(deterministic);
  thread_state.grad_mode = records;
  set_num_threads(3);
  Engine::set_num_threads(2);
  manual_seed(subject.drawn.key + 0x5eed);
  const Modes before;
  const auto expect_same = [&](const char* by) {
    const Modes after;
    if (const char* what = changed(before, after)) {
      comparer.fail(Verdict::Fail, "modes", format_message("{} changes {}", {by, what}));
      before.restore();
    } else {
      comparer.same("modes", {}, {0}, {0});
    }
  };
  const variable_list inputs = subject.inputs(records ? kAllArguments : 0);
  Tensor output;
  try {
    output = subject.drawn.op.call(inputs);
  } catch (const std::exception&) {
    return expect_same("a call that raises an error");
  }
  expect_same(records ? "a call" : "a call under no-grad");
  if (!records || !subject.is_differentiable() || !output.requires_grad()) return;
  try {
    autograd::grad({output}, subject.active_of(inputs), {subject.incoming_tensor()}, false, false,
                   true);
  } catch (const std::exception&) {
    return expect_same("a backward that raises an error");
  }
  expect_same("backward");
}

}  // namespace

Outcome check_modes(const Subject& subject) {
  Comparer comparer(subject);
  check_once(subject, false, true, comparer);
  check_once(subject, true, true, comparer);
  check_once(subject, false, false, comparer);
  return comparer.finish("modes", "");
}

}  // namespace notape::verify
