#include "verify/alias/trial.h"

#include <fmt/format.h>

#include <cmath>

#include "autograd/tensor/counters.h"
#include "autograd/tensor/tensor_extra.h"

namespace notape::verify::alias {
namespace {

Tensor grad_of(const Tensor& leaf) {
  const TensorExtra* extra = leaf.impl().extra();
  return extra ? extra->grad : Tensor();
}

/// Tensors, nodes and storages that this thread has made and not destroyed.
std::array<int64_t, 3> alive() {
  std::array<int64_t, 3> result{};
  constexpr Count kKinds[] = {Count::LiveTensors, Count::LiveNodes, Count::LiveStorages};
  for (std::size_t i = 0; i < 3; ++i)
    result[i] =
        detail::thread_counters.values[static_cast<int>(kKinds[i])].load(std::memory_order_relaxed);
  return result;
}

}  // namespace

void Trial::begin(Features features) {
  executor_.reset();
  result_ = {};
  accumulated_.fill(0);
  alive_ = alive();
  oracle_.reset(features);
  executor_.reset(features);
  uses_functions_ = stopped_ = false;
}

bool Trial::close(double a, double b) const {
  if (settings_.field == Field::Exact) return a == b;
  return std::fabs(a - b) <= 1e-9 * std::max(1.0, std::fabs(b));
}

void Trial::fail(Outcome outcome, std::string detail) {
  stopped_ = true;
  if (outcome <= result_.outcome) return;
  result_.outcome = outcome;
  result_.detail = std::move(detail);
}

void Trial::note(Outcome outcome) { result_.outcome = std::max(result_.outcome, outcome); }

void Trial::take_states() {
  for (int i = 0; i < kSlots; ++i) {
    const Tensor& slot = executor_.slot(i);
    if (!slot.defined()) continue;
    const TensorImpl& impl = slot.impl();
    states_[static_cast<std::size_t>(i)] = {impl.storage()->version(), impl.flags(),
                                            impl.history().get()};
  }
}

/// An error must leave everything as it was; a user function's own writes are its own affair.
void Trial::check_states(const Statement& s, const std::string& error) {
  const auto dirty = [&](const std::string& what) {
    fail(Outcome::DirtyRejection, fmt::format("{}, but {} changed", error, what));
  };
  for (int i = 0; i < kSlots; ++i) {
    const Tensor& slot = executor_.slot(i);
    if (!slot.defined()) continue;
    const SlotState& before = states_[static_cast<std::size_t>(i)];
    const TensorImpl& impl = slot.impl();
    if (!s.as<Call>() && impl.storage()->version() != before.version)
      return dirty(fmt::format("the version of t{}", i));
    if (impl.has(TensorImpl::kView)) continue;  // a look may lawfully renew a view's history
    if (impl.flags() != before.flags) return dirty(fmt::format("a flag of t{}", i));
    if (impl.history().get() != before.history) return dirty(fmt::format("history of t{}", i));
  }
  if (!check_values()) result_.outcome = Outcome::DirtyRejection;
  for (std::size_t l = 0; l < oracle_.leaves().size(); ++l) {
    const Tensor gradient = grad_of(executor_.leaves()[l]);
    for (int i = 0; i < oracle_.leaves()[l].count; ++i)
      if (!close(gradient.defined() ? element(gradient, i) : 0,
                 accumulated_[static_cast<std::size_t>(oracle_.leaves()[l].first + i)])) {
        if (!uses_functions_) return dirty(fmt::format(".grad of leaf {}", l));
        stopped_ = true;  // leaves reached before the user's code failed are updated
      }
  }
}

bool Trial::check_values() {
  for (int i = 0; i < kSlots; ++i) {
    const Alias& a = oracle_.alias(i);
    if (!a.defined) continue;
    const Tensor& slot = executor_.slot(i);
    for (int e = 0; e < a.numel; ++e) {
      const double got = element(slot, e), expected = oracle_.value(a, e);
      if (close(got, expected)) continue;
      fail(Outcome::SilentlyWrong,
           fmt::format("value {} of t{}: expected {}, got {}", e, i, expected, got));
      return false;
    }
    if (oracle_.features().tangents && !check_tangents(i)) return false;
  }
  return true;
}

bool Trial::check_tangents(int slot) {
  const Alias& a = oracle_.alias(slot);
  const Tensor tangent = executor_.tangent(executor_.slot(slot));
  for (int e = 0; e < a.numel; ++e) {
    const double got = tangent.defined() ? element(tangent, e) : 0;
    const double expected = oracle_.tangent(a, e);
    if (close(got, expected)) continue;
    fail(Outcome::SilentlyWrong,
         fmt::format("tangent {} of t{}: expected {}, got {}", e, slot, expected, got));
    return false;
  }
  return true;
}

bool Trial::check_sum(const std::string& what, std::size_t leaf, const Tensor& gradient,
                      const Row& expected, std::size_t first_column) {
  const LeafColumns columns = oracle_.leaves()[leaf];
  for (int i = 0; i < columns.count; ++i) {
    const double want = expected[first_column + static_cast<std::size_t>(columns.first + i)];
    const double got = gradient.defined() ? element(gradient, i) : 0;
    if (close(got, want)) continue;
    fail(Outcome::SilentlyWrong,
         fmt::format("{} of leaf {}, element {}: expected {}, got {}", what, leaf, i, want, got));
    return false;
  }
  return true;
}

void Trial::check_gradients(const Gradient& asked) {
  Row expected{};
  for (const Slot root : {asked.a, asked.b})
    if (root != kNoSlot) oracle_.add_gradient(oracle_.alias(root), expected);
  ++result_.gradients;
  const bool accumulates = asked.way == Gradient::Way::Backward;
  const bool second = asked.way == Gradient::Way::GradOfGrad;
  if (accumulates)
    for (std::size_t c = 0; c < expected.size(); ++c) accumulated_[c] += expected[c];
  const std::string what = accumulates ? ".grad" : second ? "second derivative" : "gradient";
  const Row& sums = accumulates ? accumulated_ : expected;
  for (std::size_t l = 0; l < oracle_.leaves().size(); ++l) {
    const Tensor gradient = accumulates ? grad_of(executor_.leaves()[l]) : executor_.gradients()[l];
    if (!check_sum(what, l, gradient, sums, second ? kColumns : 0)) return;
    if (oracle_.features().tangents && gradient.defined() &&
        !check_sum("tangent of " + what, l, executor_.tangent(gradient), sums, kColumns))
      return;
  }
  if (!second) check_hooks(expected);
}

void Trial::check_hooks(const Row& expected) {
  for (std::size_t h = 0; h < oracle_.hooks().size(); ++h)
    if (!close(executor_.seen_by(h), expected[kLeafColumns + h]))
      return fail(Outcome::SilentlyWrong,
                  fmt::format("gradient seen by hook {}: expected {}, got {}", h,
                              expected[kLeafColumns + h], executor_.seen_by(h)));
  for (std::size_t i = 0; i < executor_.input_hooks().size(); ++i) {
    const std::size_t h = executor_.input_hooks()[i];
    const Tensor& gradient = executor_.gradients()[oracle_.leaves().size() + i];
    double got = 0;
    for (int e = 0; gradient.defined() && e < gradient.numel(); ++e)
      got += direction_value(e) * element(gradient, e);
    const double want = oracle_.hooks()[h].scale * expected[kLeafColumns + h];
    if (!close(got, want))
      return fail(
          Outcome::SilentlyWrong,
          fmt::format("gradient of the hooked tensor {}: expected {}, got {}", h, want, got));
  }
}

FailureSet Trial::stale_operands(const Statement& s) const {
  FailureSet result = 0;
  for (const Slot slot : s.operands())
    if (oracle_.is_defined(slot)) result |= oracle_.stale(oracle_.alias(slot));
  return result;
}

void Trial::judge_error(const Statement& s, const Expectation& expected, const Error& error) {
  const Failure failure = failure_of(error.kind());
  const auto index = static_cast<std::size_t>(failure);
  const Gradient* asked = s.as<Gradient>();
  const bool overwritten = failure == Failure::SavedTensorModified && asked;
  if (((expected.must | expected.may) & bit(failure)) ||
      (!expected.must && overwritten && oracle_.saved_was_overwritten_unseen())) {
    ++result_.required[index];
    note(Outcome::RequiredRejection);
  } else if (expected.must && !(stale_operands(s) & bit(failure))) {
    return fail(Outcome::MissedRejection,
                fmt::format("another error than the rules demand: {}", error.what()));
  } else {
    ++result_.unwanted[index];
    const bool explained = overwritten && oracle_.saved_was_overwritten();
    const Outcome outcome = explained ? Outcome::FalseRejection : Outcome::Unexplained;
    if (outcome > result_.outcome) {
      result_.outcome = outcome;
      result_.failure = failure;
      result_.detail = error.what();
    }
  }
  if (asked && !asked->retains) oracle_.note_freed();
  const bool before_writing = failure == Failure::MemoryOverlap ||
                              failure == Failure::ForwardNotImplemented ||
                              (!s.no_grad && stale_operands(s) != 0);
  if (expected.writes_anyway && !before_writing) oracle_.apply_refused(std::get<Call>(s.what));
  check_states(s, error.kind());
}

bool Trial::step(const Statement& s) {
  if (stopped_) return false;
  const Expectation expected = oracle_.expect(s);
  if (expected.skip) return false;
  ++result_.statements;
  result_.writes += s.writes();
  uses_functions_ |= s.as<Call>() != nullptr;
  take_states();
  try {
    executor_.run(s);
  } catch (const Error& error) {
    judge_error(s, expected, error);
    return true;
  } catch (const std::exception& error) {
    fail(Outcome::Broken, fmt::format("{}", error.what()));
    return true;
  }
  if (expected.must) {
    std::string names;
    for (int i = 0; i < kFailures; ++i)
      if (expected.must >> i & 1) names += fmt::format(" {}", kFailureNames[i]);
    fail(Outcome::MissedRejection, "the rules demand an error, and there was none:" + names);
    return true;
  }
  if (const Gradient* asked = s.as<Gradient>()) check_gradients(*asked);
  oracle_.apply(s);
  return true;
}

void Trial::check_flags() {
  for (int i = 0; i < kSlots; ++i) {
    const Alias& a = oracle_.alias(i);
    if (!a.defined || oracle_.stale(a)) continue;
    const Tensor& slot = executor_.slot(i);
    if (slot.requires_grad() != oracle_.says(a))
      return fail(Outcome::SilentlyWrong,
                  fmt::format("t{} says requires_grad = {}", i, slot.requires_grad()));
  }
}

/// Whatever happened, nothing outlives the program's handles.
void Trial::check_leaks() {
  executor_.reset();
  const std::array<int64_t, 3> now = alive();
  if (now != alive_)
    fail(Outcome::Broken, fmt::format("{} tensors, {} nodes and {} storages outlive it",
                                      now[0] - alive_[0], now[1] - alive_[1], now[2] - alive_[2]));
}

const TrialResult& Trial::end() {
  if (!stopped_ && check_values()) {
    try {
      check_flags();
    } catch (const Error& error) {
      ++result_.unwanted[static_cast<std::size_t>(failure_of(error.kind()))];
      note(Outcome::Unexplained);
      result_.failure = failure_of(error.kind());
      result_.detail = error.what();
    }
  }
  if (result_.outcome == Outcome::RequiredRejection && result_.gradients > 0)
    result_.outcome = Outcome::Exact;
  check_leaks();
  return result_;
}

const TrialResult& Trial::run(const Program& program) {
  begin(features_of(program));
  for (const Statement& s : program) {
    step(s);
    if (stopped_) break;
  }
  return end();
}

}  // namespace notape::verify::alias
