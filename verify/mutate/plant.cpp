// How a mistake gets into an operator: its value is the right one, and a node of our own stands in
// the graph for the operator's node.

#include "autograd/autograd.h"
#include "autograd/forward/tangent.h"
#include "autograd/graph/record.h"
#include "verify/mutate/mutant.h"

namespace notape::verify::mutate {
namespace {

/// The parameters of a planted node.
struct Planted {
  std::shared_ptr<const Truth> right;
  std::shared_ptr<const Rules> rules;
  std::vector<std::size_t> real;
  variable_list handles;
  std::vector<bool> dual;  ///< which of `real` have tangents

  /// The arguments with what the node saved instead of those that have derivatives.
  variable_list with_saved(const variable_list& saved) const {
    variable_list x = handles;
    for (std::size_t i = 0; i < saved.size(); ++i) {
      Tensor& one = x[real[i]];
      const bool active = one.requires_grad();
      one = GradMode::is_enabled() ? saved[i] : saved[i].detach().requires_grad_(active);
    }
    return x;
  }
  Tensor reverse(std::size_t i, const Tensor& incoming, const variable_list& x) const {
    if (!rules->reverse) return right->gradient(real[i], x, incoming);
    return rules->reverse({*right, real[i], x, handles}, incoming);
  }
  Tensor forward(std::size_t i, const Tensor& tangent, variable_list x) const {
    for (std::size_t j = 0; j < real.size(); ++j)
      x[real[j]] = x[real[j]].detach().requires_grad_(dual[j]);
    if (!rules->forward) return right->tangent(real[i], x, tangent);
    return rules->forward({*right, real[i], x, handles}, tangent);
  }
};

template <std::size_t I, typename All>
struct Saving;
template <std::size_t I, std::size_t... J>
struct Saving<I, std::index_sequence<J...>> {
  struct Vjp {
    Tensor operator()(const Tensor& incoming, const Input<static_cast<int>(J)>&... x,
                      const Planted& p) const {
      return p.reverse(I, incoming, p.with_saved({x...}));
    }
  };
  struct Jvp {
    Tensor operator()(const Tensor& tangent, const Input<static_cast<int>(J)>&... x,
                      const Planted& p) const {
      return p.forward(I, tangent, p.with_saved({x...}));
    }
  };
};
/// Reads the arguments themselves, whatever was written to them since.
template <std::size_t I>
struct Unchecked {
  struct Vjp {
    Tensor operator()(const Tensor& incoming, const Planted& p) const {
      variable_list now;
      for (const Tensor& handle : p.handles)
        now.push_back(GradMode::is_enabled() ? handle : handle.detach());
      return p.reverse(I, incoming, now);
    }
  };
  struct Jvp {
    Tensor operator()(const Tensor& tangent, const Planted& p) const {
      return p.forward(I, tangent, p.handles);
    }
  };
};

/// Names of arguments, of which usual rules have four.
constexpr auto with_places = [](const auto& derivative) {
  return derivative.template with_arguments<"first", "second", "third", "fourth", "fifth", "sixth",
                                            "seventh", "eighth">();
};
constexpr std::size_t kMostArguments = 8;

template <std::size_t... I>
Tensor record_planted(const Planted& planted, std::index_sequence<I...> all) {
  const Operation op("planted", SourceLocation::current());
  const Tensor value = planted.right->value(planted.handles);
  if (!value.is_floating_point()) return value;
  using All = decltype(all);
  if (planted.rules->unchecked)
    return record(
        with_places(derivative("PlantedBackward0", rule(typename Unchecked<I>::Vjp(),
                                                        typename Unchecked<I>::Jvp())...)),
        op, value, planted, planted.handles[planted.real[I]]...);
  return record(
      with_places(derivative("PlantedBackward0", rule(typename Saving<I, All>::Vjp(),
                                                      typename Saving<I, All>::Jvp())...)),
      op, value, planted, planted.handles[planted.real[I]]...);
}

template <std::size_t Count = 1>
Tensor call_planted(const Planted& planted) {
  if constexpr (Count < kMostArguments)
    if (planted.real.size() > Count) return call_planted<Count + 1>(planted);
  return record_planted(planted, std::make_index_sequence<Count>());
}

}  // namespace

OpSpec plant(const OpSpec& spec, const Mutant& mutant) {
  OpSpec planted = spec;
  planted.draw = [&spec, &mutant](Draw& draw) {
    OpCase one = spec.draw(draw);
    const Target target(spec, one);
    // A node has room for so many; calls with more stay as they are.
    if (target.real.empty() || target.real.size() > kMostArguments) return one;
    auto rules = mutant.plant(target);
    if (!rules) rules = Rules();
    const auto right = std::make_shared<const Truth>(one.call);
    const auto shared = std::make_shared<const Rules>(std::move(*rules));
    const std::vector<std::size_t> real = target.real;
    one.call = [=](const variable_list& x) {
      std::vector<bool> dual;
      for (std::size_t argument : real) dual.push_back(!active_levels({&x[argument]}).empty());
      return call_planted({right, shared, real, x, dual});
    };
    // The in-place form would still be right, and give the mistake away.
    one.call_in_place = nullptr;
    return one;
  };
  return planted;
}

}  // namespace notape::verify::mutate
