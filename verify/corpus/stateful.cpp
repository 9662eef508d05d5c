// Functions with workspaces, caches and several results, as kernels have them, and what becomes of
// these between forward and backward.
#include <cmath>
#include <mutex>

#include "ops/linalg.h"
#include "ops/reduce.h"
#include "ops/shape.h"
#include "ops/transcendental.h"
#include "verify/corpus/family.h"

namespace notape::verify::corpus {
namespace {

/// What a kernel keeps between calls. The right functions may be called by two threads at once, and
/// then only overwrite what they keep.
struct Workspace {
  Numbers numbers;
  Tensor buffer;
  int calls = 0;

  void keep(Numbers made) {
    const std::lock_guard lock(mutex);
    numbers = std::move(made);
  }
  Numbers kept() {
    const std::lock_guard lock(mutex);
    return numbers;
  }

 private:
  std::mutex mutex;
};

/// The gradient in a buffer that the next call overwrites.
Tensor in_buffer(Workspace& workspace, const Tensor& gradient) {
  if (!workspace.buffer.defined() || workspace.buffer.numel() != gradient.numel())
    workspace.buffer = zeros_like(gradient);
  workspace.buffer.copy_(gradient);
  return workspace.buffer;
}

/// exp, with what forward computed last in a workspace.
Authored exp_with_workspace() {
  const auto workspace = std::make_shared<Workspace>();
  return {.name = "exp_with_workspace",
          .forward = [=](const variable_list& x) -> variable_list {
            Numbers y = numbers_of(x[0]);
            for (double& one : y) one = std::exp(one);
            workspace->keep(y);
            return {filled_like(x[0], y)};
          },
          .backward = [=](const Call& call) -> variable_list {
            Numbers gradient = numbers_of(call.given[0]);
            const Numbers own = numbers_of(call.y[0]);
            const Numbers last = workspace->kept();
            const bool stale = call.slip("workspace") && last.size() == own.size();
            for (std::size_t i = 0; i < own.size(); ++i) gradient[i] *= stale ? last[i] : own[i];
            const Tensor result = filled_like(call.x[0], gradient);
            return {call.slip("buffer") ? in_buffer(*workspace, result) : result};
          },
          .inputs = between(-2, 2, {5}),
          .slips = {{"workspace", Kind::StaleState}, {"buffer", Kind::StaleState}},
          .traits = {.order = 1}};
}

/// x / |x|, the norm kept in a member as modules do.
Authored norm_in_member() {
  const auto workspace = std::make_shared<Workspace>();
  const auto norm_of = [](const Numbers& x) {
    double total = 0;
    for (const double one : x) total += one * one;
    return std::sqrt(total);
  };
  return {.name = "norm_in_member",
          .forward = [=](const variable_list& x) -> variable_list {
            Numbers y = numbers_of(x[0]);
            const double norm = norm_of(y);
            workspace->keep({norm});
            for (double& one : y) one /= norm;
            return {filled_like(x[0], y)};
          },
          .backward = [=](const Call& call) -> variable_list {
            const Numbers y = numbers_of(call.y[0]);
            const double norm =
                call.slip("member") ? workspace->kept()[0] : norm_of(numbers_of(call.x[0]));
            Numbers gradient = numbers_of(call.given[0]);
            double part = 0;
            for (std::size_t i = 0; i < y.size(); ++i) part += y[i] * gradient[i];
            for (std::size_t i = 0; i < y.size(); ++i)
              gradient[i] = (gradient[i] - (call.slip("term") ? 0 : y[i] * part)) / norm;
            return {filled_like(call.x[0], gradient)};
          },
          .inputs = between(0.5, 3, {5}),
          .slips = {{"member", Kind::StaleState}, "term"},
          .traits = {.order = 1}};
}

/// Right at the first backward; what it accumulates into is not cleared for the next.
Authored sum_of_squares_accumulating() {
  const auto workspace = std::make_shared<Workspace>();
  return {.name = "squares_accumulating",
          .forward = [=](const variable_list& x) -> variable_list {
            workspace->keep(Numbers(static_cast<std::size_t>(x[0].numel())));
            return {sum(x[0] * x[0])};
          },
          .backward = [=](const Call& call) -> variable_list {
            const Numbers x = numbers_of(call.x[0]);
            const double given = numbers_of(call.given[0])[0];
            Numbers own(x.size());
            Numbers& total = call.slip("accumulates") ? workspace->numbers : own;
            total.resize(x.size());
            for (std::size_t i = 0; i < x.size(); ++i)
              total[i] += (call.slip("factor") ? 1 : 2) * given * x[i];
            return {filled_like(call.x[0], total)};
          },
          .inputs = between(-2, 2, {6}),
          .slips = {{"accumulates", Kind::StaleState}, "factor"},
          .traits = {.order = 1}};
}

/// Mean and standard deviation, two results.
Authored mean_and_deviation() {
  return {.name = "mean_and_deviation",
          .forward = [](const variable_list& x) -> variable_list {
            return {mean(x[0], 1), sqrt(var(x[0], 1, false))};
          },
          .backward = [](const Call& call) -> variable_list {
            const Tensor x = call.slip("detached") ? call.x[0].detach() : call.x[0];
            const auto count = static_cast<double>(x.size(1));
            const Tensor centred = x - mean(x, 1, true);
            const Tensor deviation = sqrt(mean(square(centred), 1, true));
            const Tensor by_mean = call.given[0].unsqueeze(1).expand(x.sizes()) / count;
            const Tensor by_deviation = call.given[1].unsqueeze(1) * centred / deviation / count;
            if (call.slip("first")) return {by_mean};
            if (call.slip("second")) return {by_deviation};
            if (call.slip("biased")) return {by_mean + by_deviation * count / (count - 1)};
            return {by_mean + by_deviation};
          },
          .inputs = between(-3, 3, {2, 5}),
          .slips = {{"first", Kind::LostTerm}, {"second", Kind::LostTerm}, "biased", "detached"}};
}

/// (r cos a, r sin a): two results of two inputs.
Authored polar() {
  return {.name = "polar",
          .forward = [](const variable_list& x) -> variable_list {
            return {x[0] * cos(x[1]), x[0] * sin(x[1])};
          },
          .backward = [](const Call& call) -> variable_list {
            const Tensor &r = call.x[0], &a = call.x[1];
            const Tensor &u = call.given[0], &v = call.given[1];
            const Tensor of_angle = v * cos(a) - u * sin(a);
            if (call.slip("swapped")) return {v * cos(a) + u * sin(a), r * of_angle};
            return {u * cos(a) + v * sin(a),
                    call.slip("factor")
                        ? of_angle
                        : r * (call.slip("sign") ? v * cos(a) + u * sin(a) : of_angle)};
          },
          .inputs = drawn({uniform({5}, 0.2, 3), uniform({5}, -3, 3)}),
          .slips = {"swapped", "factor", "sign"}};
}

/// A cell of an LSTM: gates (4, N) and the old state (N), giving the hidden state and the new one.
Authored lstm_cell() {
  const auto gates = [](const Tensor& x) -> variable_list {
    return {sigmoid(x.select(0, 0)), sigmoid(x.select(0, 1)), tanh(x.select(0, 2)),
            sigmoid(x.select(0, 3))};
  };
  return {.name = "lstm_cell",
          .forward = [=](const variable_list& x) -> variable_list {
            const variable_list g = gates(x[0]);
            const Tensor state = g[1] * x[1] + g[0] * g[2];
            return {g[3] * tanh(state), state};
          },
          .backward = [=](const Call& call) -> variable_list {
            const variable_list g = gates(call.x[0]);
            const Tensor bent = tanh(g[1] * call.x[1] + g[0] * g[2]);
            const Tensor by_hidden = call.given[0] * g[3] * (1 - bent * bent);
            const Tensor of_state =
                call.slip("hidden-only") ? by_hidden : by_hidden + call.given[1];
            const auto gated = [](const Tensor& s) { return s * (1 - s); };
            const Tensor candidate =
                of_state * g[0] * (call.slip("tanh") ? gated(g[2]) : 1 - g[2] * g[2]);
            return {stack({of_state * g[2] * gated(g[0]), of_state * call.x[1] * gated(g[1]),
                           candidate, call.given[0] * bent * gated(g[3])}),
                    call.slip("missing") ? Tensor() : of_state * g[1]};
          },
          .inputs = drawn({uniform({4, 3}, -4, 4), uniform({3}, -2, 2)}),
          .slips = {{"hidden-only", Kind::LostTerm}, {"tanh", Kind::LostTerm}, "missing"}};
}

/// A residual block x + tanh(x w): x is used twice.
Authored residual() {
  return {.name = "residual",
          .forward = [](const variable_list& x) -> variable_list {
            return {x[0] + tanh(mm(x[0], x[1]))};
          },
          .backward = [](const Call& call) -> variable_list {
            const Tensor bent = tanh(mm(call.x[0], call.x[1]));
            const Tensor inner = call.given[0] * (1 - bent * bent);
            const Tensor through = mm(inner, t(call.x[1]));
            return {call.slip("skip")     ? through
                    : call.slip("branch") ? call.given[0]
                                          : call.given[0] + through,
                    mm(t(call.x[0]), call.slip("factor") ? call.given[0] : inner)};
          },
          .inputs = drawn({uniform({2, 3}, -2, 2), uniform({3, 3}, -1, 1)}),
          .slips = {{"skip", Kind::TiedWeights}, {"branch", Kind::TiedWeights}, "factor"}};
}

}  // namespace

void add_stateful(std::vector<Entry>& entries) {
  Family family("state-and-results", entries);
  family.add(exp_with_workspace());
  family.add(norm_in_member());
  family.add(sum_of_squares_accumulating());
  family.add(mean_and_deviation());
  family.add(polar());
  family.add(lstm_cell());
  family.add(residual());
}

}  // namespace notape::verify::corpus
